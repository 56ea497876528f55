package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/setup"

	"github.com/set-memory/mem/scripts/harness"
)

// A check is one thing that must hold of a client.
type check struct {
	name string
	only string // the clients it is about, with commas between; empty: all
	run  func(l *lab)
}

// isFor reports whether a check is about a client: of one without hooks there is only its setup.
func (k check) isFor(c client) bool {
	return (c.HasHooks() || k.name == "setup") && among(k.only, c.Name)
}

// first are the clients on which the checks of mem's own stores and of its server run: a client more
// would say nothing new of the stores.
const first = "claude-code,codex,gemini"

// atPrompt are the clients that run a hook at a prompt without a terminal.
const atPrompt = "claude-code,codex,gemini,qwen,copilot,pi,cline,opencode,kilo"

var checks = []check{
	{"setup", "", setUp},
	{"session-start", "", sessionStart},
	{"prompt", atPrompt, prompt},
	{"off-topic", atPrompt, offTopic},
	{"prompt-again", "claude-code,codex,gemini,qwen,copilot,pi,opencode,kilo", promptAgain},
	{"hostile-memory", atPrompt, hostileMemory},
	{"full-block", first, fullBlock},
	{"shell-tool", "", shellTool},
	{"server", first, server},
	{"store-read-only", first, readOnly},
	{"store-missing", first, missing},
	{"store-locked", first, locked},
	{"two-projects", first, twoProjects},
	{"planted-store", first, plantedStores},
	{"edit", "", edited},
	{"sub-agent", "claude-code,codex,cline", subAgent},
	{"resume", "claude-code,codex,qwen,copilot,pi,opencode,kilo", resumption},
	{"compaction", "claude-code,codex,copilot", compaction},
	{"clear", "claude-code", cleared},
	{"capture", "claude-code", captured},
	{"off", first, off},
	{"hook-not-trusted", "codex", notTrusted},
	{"sandbox", "codex", sandbox},
}

// answered checks that the client showed the model's reply and nothing else on its standard output,
// where it does not show the calls as well.
func (l *lab) answered(s screen) {
	out := strings.TrimSpace(s.out)
	if out != reply && !(l.printsCalls && strings.HasSuffix(out, reply)) {
		harness.Failf("standard output is %.200q", s.out)
	}
}

// heard puts a prompt to the client, or goes on with the conversation before, and gives what its
// model was sent in the end.
func (l *lab) heard(prompt string, again bool) *request {
	return l.heardArgs(l.client.ask(prompt, again))
}

func (l *lab) heardArgs(args []string) *request {
	requests, shown := l.run(args)
	r := last(requests)
	l.answered(shown)
	return r
}

// told checks how often a prompt brings what the session start has, and what only the question
// does.
func (l *lab) told(prompt string, again bool, wantImportant, wantAsked int) {
	r := l.heard(prompt, again)
	l.brings(r, important, wantImportant)
	l.brings(r, asked, wantAsked)
}

// setUp: what mem setup wrote, the client takes, guidance and hooks, and leaves in place; when it
// is removed, nothing comes of it any more.
func setUp(l *lab) {
	guidance := l.runMem("", "prompt", "--client", l.Name)
	r := l.heard(greeting, false)
	if n := r.times(strings.TrimSpace(guidance)); n != 1 {
		r.fault("the guidance came %d times", n)
	}
	l.setUp("--check")
	l.setUp("--remove")
	if err := harness.Try(func() { l.setUp("--check") }); exitCode(err) != 1 {
		harness.Failf("after its removal, setup --check has exit code %d, want 1: %w", exitCode(err), errors.Join(errArrival, err))
	}
	r = l.heard(question, false)
	if n := r.times(strings.TrimSpace(guidance)); n != 0 {
		r.fault("the guidance is removed and comes")
	}
	l.brings(r, important, 0)
	l.brings(r, asked, 0)
}

// sessionStart: the first request has what matters most, and not what only a question would bring.
func sessionStart(l *lab) { l.told(greeting, false, 1, 0) }

// prompt: a question brings the memory that it is about, beside those of the session start.
func prompt(l *lab) { l.told(question, false, 1, 1) }

// offTopic: a prompt about something else brings no memory.
func offTopic(l *lab) {
	l.heard("Write a limerick of penguins who juggle.", false)
	list := slices.DeleteFunc(l.injections(), func(in injection) bool {
		return in.Event == setup.SessionStart
	})
	if len(list) == 0 {
		harness.Failf("no hook ran at the prompt")
	}
	for _, in := range list {
		if len(in.Memories) > 0 {
			harness.Failf("%w: %s brought %v", errArrival, in.Event, in.Memories)
		}
	}
}

// promptAgain: when a conversation goes on, what it was told is still there, and was not told
// again.
func promptAgain(l *lab) {
	prompt(l)
	l.told(question, true, 1, 1)
}

// resumption: a conversation that is resumed by its id, once and again, has what it was told, once.
func resumption(l *lab) {
	l.told(greeting, false, 1, 0)
	list := l.injections()
	args := l.client.ask(question, true)
	for i, arg := range args {
		if arg == "--continue" || arg == "--last" {
			args = slices.Replace(args, i, i+1, l.client.resume(list[0].Conversation)...)
		}
	}
	for range 2 {
		r := l.heardArgs(args)
		l.brings(r, important, 1)
		l.brings(r, asked, 1)
	}
}

// compaction: when the conversation so far was replaced by a summary, the model is told again what
// the session start brings, and once; nor does it come again when the conversation goes on.
func compaction(l *lab) {
	l.told(greeting, false, 1, 0)
	l.run(l.client.compact())
	l.told(question, true, 1, 1)
	l.told(question, true, 1, 1)
}

// cleared: when the person clears the conversation, the model is told again what the session start
// brings.
func cleared(l *lab) {
	for _, text := range []string{greeting, "/clear", question} {
		line := harness.Must(json.Marshal(object{"type": "user", "message": object{"role": "user", "content": text}}))
		l.input += string(line) + "\n"
	}
	args := l.client.ask("", false)[2:] // without the prompt
	requests, _ := l.run(append(args, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"))
	r := last(requests)
	l.brings(r, important, 1)
	l.brings(r, asked, 1)
}

// off: where the project is off, and with MEM_OFF, nothing is told; afterwards it is.
func off(l *lab) {
	l.runMem("", "off")
	l.told(question, false, 0, 0)
	l.runMem("", "on")
	l.extra = append(l.extra, "MEM_OFF=1")
	l.told(question, false, 0, 0)
	l.extra = nil
	l.told(question, false, 1, 1)
}

// hostileMemory: a memory cannot end what is put around it. The tags are the client's to guard:
// this tells when one of them ceases to.
func hostileMemory(l *lab) {
	r := l.heard(kitchen, false)
	if r.times("FORGED\n") != 1 {
		r.fault("the memory came %d times, want once", r.times("FORGED\n"))
	}
	if _, after, _ := strings.Cut(r.around("FORGED\n"), l.wrapper); l.wrapper != "" && strings.Contains(after, l.wrapper) {
		r.fault("a memory ends what the client puts around it, %s", l.wrapper)
	}
}

// fullBlock: as much as a block ever holds arrives to the last letter, in a script of three bytes a
// letter.
func fullBlock(l *lab) {
	var batch strings.Builder
	for i := range bulk {
		summary := fmt.Sprintf("第%d号零件存放在装配车间的架子上，涂成了第%d种颜色，每周检查一次", i, i*7%97)
		batch.WriteString(memory(fmt.Sprintf("/hall/zh/%03d", i), "fact", summary, 9))
	}
	l.runMem(batch.String(), "set", "-")
	// What is told is the person's to say, in their own store.
	config := filepath.Join(l.home, ".local", "share", "mem", "config.json")
	write(config, `{"inject":{"start_tokens":100000}}`)
	r := l.heard(greeting, false)
	told := l.injections()
	if lines := r.lines(); len(lines) < 60 || len(lines) != len(told[0].Memories) {
		r.fault("%d memories arrived of %d", len(lines), len(told[0].Memories))
	}
}

// An injection is what mem says that it told the client.
type injection struct {
	Conversation string
	Event        string
	Memories     []struct{ Key string }
}

func (l *lab) injections() []injection {
	out := l.runMem("", "injections", "--json")
	var list struct{ Injections []injection }
	harness.Check(json.Unmarshal([]byte(out), &list))
	if len(list.Injections) == 0 {
		harness.Failf("mem injections knows of none")
	}
	return list.Injections
}

// shellTool: the agent notes something down with its own shell tool, and mem knows which agent it
// was and in which conversation.
func shellTool(l *lab) {
	l.model.willCall(shell("mem note '" + noted + "' --tag habit"))
	r := l.heard("Remember how Ada drinks her coffee.", false)
	if l.model.uncalled() > 0 {
		r.fault("no shell tool was offered")
	}
	told := l.injections()
	l.hasNote(r, told[0].Conversation)
}

func (l *lab) hasNote(r *request, conversation string) {
	notes := l.runMem("", "notes", "--query", "coffee")
	if !strings.Contains(notes, noted) {
		r.fault("the note is not there: %s", notes)
	}
	source := l.runMem("", "query", `select(.content.text == "`+noted+`") | .source`)
	var have struct {
		Kind, Name string
		Locator    struct{ Session string }
	}
	if err := json.Unmarshal([]byte(source), &have); err != nil {
		harness.Failf("source %s: %w", source, err)
	}
	if !l.session {
		conversation = ""
	}
	if have.Kind != "agent" || have.Name != l.Name || have.Locator.Session != conversation {
		harness.Failf("the note's source is %s, want %s in %q", strings.TrimSpace(source), l.Name, conversation)
	}
}

// subAgent: what the client hands on to a sub-agent goes there with memories of its own.
func subAgent(l *lab) {
	const task, order = "Let a sub-agent count the widgets.", "Count the widgets."
	for _, c := range l.delegate(order) {
		l.model.willCall(c)
	}
	requests, shown := l.run(l.client.ask(task, false))
	for _, r := range requests {
		if r.times(order) > 0 && r.times(task) == 0 {
			l.brings(r, important, 1)
			l.answered(shown)
			return
		}
	}
	harness.Failf("%w: no request is the sub-agent's", errArrival)
}

// edited: where the model edits a file, it is sent the memory that names the file, once; a file that
// no memory names brings nothing. The file is written.
func edited(l *lab) {
	harness.Check(os.MkdirAll(filepath.Join(l.project, "src"), 0o755))
	for _, name := range []string{"src/other.go", "src/price.go", "src/price.go"} {
		l.model.willCall(l.client.edit(filepath.Join(l.project, name), "package src"))
	}
	requests, shown := l.run(append(l.client.ask(greeting, false), l.client.edits...))
	r := last(requests)
	l.answered(shown)
	l.brings(requests[0], inFile, 0)
	if n := l.model.uncalled(); n > 0 {
		r.fault("%d edits were not made", n)
	}
	text := harness.Must(os.ReadFile(filepath.Join(l.project, "src", "price.go")))
	if !strings.Contains(string(text), "package src") {
		harness.Failf("src/price.go has %q", text)
	}
	l.brings(r, inFile, 1)
}
