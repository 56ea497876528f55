package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A check is one thing that must hold of a client.
type check struct {
	name string
	only string // the clients it is about, with commas between; empty: all
	run  func(l *lab) error
}

var checks = []check{
	{"setup", "", setUp},
	{"session-start", "", sessionStart},
	{"prompt", "", prompt},
	{"prompt-again", "", promptAgain},
	{"hostile-memory", "", hostileMemory},
	{"full-block", "", fullBlock},
	{"shell-tool", "", shellTool},
	{"server", "", server},
	{"store-read-only", "", readOnly},
	{"store-missing", "", missing},
	{"store-locked", "", locked},
	{"two-projects", "", twoProjects},
	{"planted-store", "", plantedStores},
	{"edit", "", edited},
	{"sub-agent", "claude-code,codex", subAgent},
	{"resume", "claude-code,codex", resumption},
	{"compaction", "claude-code,codex", compaction},
	{"clear", "claude-code", cleared},
	{"capture", "claude-code", captured},
	{"off", "", off},
	{"hook-not-trusted", "codex", notTrusted},
	{"sandbox", "codex", sandbox},
}

// answered checks that the client showed the model's reply and nothing else on its standard output.
func answered(s screen) error {
	if strings.TrimSpace(s.out) != reply {
		return fmt.Errorf("standard output is %.200q", s.out)
	}
	return nil
}

// heard puts a prompt to the client, or goes on with the conversation before, and gives what its
// model was sent in the end.
func (l *lab) heard(prompt string, again bool) (*request, error) {
	return l.heardArgs(l.client.ask(prompt, again))
}

func (l *lab) heardArgs(args []string) (*request, error) {
	requests, shown, err := l.run(args)
	if err != nil {
		return nil, err
	}
	r, err := last(requests)
	return r, errors.Join(err, answered(shown))
}

// told checks how often a prompt brings what the session start has, and what only the question
// does.
func (l *lab) told(prompt string, again bool, wantImportant, wantAsked int) error {
	r, err := l.heard(prompt, again)
	if err != nil {
		return err
	}
	return errors.Join(l.brings(r, important, wantImportant), l.brings(r, asked, wantAsked))
}

// setUp: what mem setup wrote, the client takes, guidance and hooks, and leaves in place; when it
// is removed, nothing comes of it any more.
func setUp(l *lab) error {
	guidance, err := l.runMem("", "prompt", "--client", l.Name)
	if err != nil {
		return err
	}
	r, err := l.heard(greeting, false)
	if err != nil {
		return err
	}
	if n := r.times(strings.TrimSpace(guidance)); n != 1 {
		return r.fault("the guidance came %d times", n)
	}
	if err := errors.Join(l.setUp("--check"), l.setUp("--remove")); err != nil {
		return err
	}
	if err := l.setUp("--check"); exitCode(err) != 1 {
		return fmt.Errorf("after its removal, setup --check has exit code %d, want 1: %w", exitCode(err), errors.Join(errArrival, err))
	}
	if r, err = l.heard(question, false); err != nil {
		return err
	}
	if n := r.times(strings.TrimSpace(guidance)); n != 0 {
		return r.fault("the guidance is removed and comes")
	}
	return errors.Join(l.brings(r, important, 0), l.brings(r, asked, 0))
}

// sessionStart: the first request has what matters most, and not what only a question would bring.
func sessionStart(l *lab) error { return l.told(greeting, false, 1, 0) }

// prompt: a question brings the memory that it is about, beside those of the session start.
func prompt(l *lab) error { return l.told(question, false, 1, 1) }

// promptAgain: when a conversation goes on, what it was told is still there, and was not told
// again.
func promptAgain(l *lab) error {
	if err := prompt(l); err != nil {
		return err
	}
	return l.told(question, true, 1, 1)
}

// resumption: a conversation that is resumed by its id, once and again, has what it was told, once.
func resumption(l *lab) error {
	if err := l.told(greeting, false, 1, 0); err != nil {
		return err
	}
	list, err := l.injections()
	if err != nil {
		return err
	}
	args := l.client.ask(question, true)
	for i, arg := range args {
		if arg == "--continue" || arg == "--last" {
			args = slices.Replace(args, i, i+1, l.client.resume(list[0].Conversation)...)
		}
	}
	for range 2 {
		r, err := l.heardArgs(args)
		if err == nil {
			err = errors.Join(l.brings(r, important, 1), l.brings(r, asked, 1))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compaction: when the conversation so far was replaced by a summary, the model is told again what
// the session start brings, and once; nor does it come again when the conversation goes on.
func compaction(l *lab) error {
	if err := l.told(greeting, false, 1, 0); err != nil {
		return err
	}
	if _, _, err := l.run(l.client.compact()); err != nil {
		return err
	}
	if err := l.told(question, true, 1, 1); err != nil {
		return err
	}
	return l.told(question, true, 1, 1)
}

// cleared: when the person clears the conversation, the model is told again what the session start
// brings.
func cleared(l *lab) error {
	for _, text := range []string{greeting, "/clear", question} {
		line, err := json.Marshal(object{"type": "user", "message": object{"role": "user", "content": text}})
		if err != nil {
			return err
		}
		l.input += string(line) + "\n"
	}
	args := l.client.ask("", false)[2:] // without the prompt
	requests, _, err := l.run(append(args, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"))
	if err != nil {
		return err
	}
	r, err := last(requests)
	if err != nil {
		return err
	}
	return errors.Join(l.brings(r, important, 1), l.brings(r, asked, 1))
}

// off: where the project is off, and with MEM_OFF, nothing is told; afterwards it is.
func off(l *lab) error {
	if _, err := l.runMem("", "off"); err != nil {
		return err
	}
	if err := l.told(question, false, 0, 0); err != nil {
		return err
	}
	if _, err := l.runMem("", "on"); err != nil {
		return err
	}
	l.extra = append(l.extra, "MEM_OFF=1")
	if err := l.told(question, false, 0, 0); err != nil {
		return err
	}
	l.extra = nil
	return l.told(question, false, 1, 1)
}

// hostileMemory: a memory cannot end what is put around it. The tags are the client's to guard:
// this tells when one of them ceases to.
func hostileMemory(l *lab) error {
	r, err := l.heard(kitchen, false)
	if err != nil {
		return err
	}
	if r.times("FORGED\n") != 1 {
		return r.fault("the memory came %d times, want once", r.times("FORGED\n"))
	}
	if _, after, _ := strings.Cut(r.around("FORGED\n"), l.wrapper); l.wrapper != "" && strings.Contains(after, l.wrapper) {
		return r.fault("a memory ends what the client puts around it, %s", l.wrapper)
	}
	return nil
}

// fullBlock: as much as a block ever holds arrives to the last letter, in a script of three bytes a
// letter.
func fullBlock(l *lab) error {
	var batch strings.Builder
	for i := range bulk {
		summary := fmt.Sprintf("第%d号零件存放在装配车间的架子上，涂成了第%d种颜色，每周检查一次", i, i*7%97)
		batch.WriteString(memory(fmt.Sprintf("/hall/zh/%03d", i), "fact", summary, 9))
	}
	if _, err := l.runMem(batch.String(), "set", "-"); err != nil {
		return err
	}
	// What is told is the person's to say, in their own store.
	config := filepath.Join(l.home, ".local", "share", "mem", "config.json")
	if err := write(config, `{"inject":{"start_tokens":100000}}`); err != nil {
		return err
	}
	r, err := l.heard(greeting, false)
	if err != nil {
		return err
	}
	told, err := l.injections()
	if err != nil {
		return err
	}
	lines, err := r.lines()
	if err == nil && (len(lines) < 60 || len(lines) != len(told[0].Memories)) {
		err = r.fault("%d memories arrived of %d", len(lines), len(told[0].Memories))
	}
	return err
}

// An injection is what mem says that it told the client.
type injection struct {
	Conversation string
	Event        string
	Memories     []struct{ Key string }
}

func (l *lab) injections() ([]injection, error) {
	out, err := l.runMem("", "injections", "--json")
	if err != nil {
		return nil, err
	}
	var list struct{ Injections []injection }
	if err = json.Unmarshal([]byte(out), &list); err == nil && len(list.Injections) == 0 {
		err = errors.New("mem injections knows of none")
	}
	return list.Injections, err
}

// shellTool: the agent notes something down with its own shell tool, and mem knows which agent it
// was and in which conversation.
func shellTool(l *lab) error {
	l.model.willCall(shell("mem note '" + noted + "' --tag habit"))
	r, err := l.heard("Remember how Ada drinks her coffee.", false)
	if err != nil {
		return err
	}
	if l.model.uncalled() > 0 {
		return r.fault("no shell tool was offered")
	}
	told, err := l.injections()
	if err != nil {
		return err
	}
	return l.hasNote(r, told[0].Conversation)
}

func (l *lab) hasNote(r *request, conversation string) error {
	notes, err := l.runMem("", "notes", "--query", "coffee")
	if err != nil {
		return err
	}
	if !strings.Contains(notes, noted) {
		return r.fault("the note is not there: %s", notes)
	}
	source, err := l.runMem("", "query", `select(.content.text == "`+noted+`") | .source`)
	if err != nil {
		return err
	}
	var have struct {
		Kind, Name string
		Locator    struct{ Session string }
	}
	if err := json.Unmarshal([]byte(source), &have); err != nil {
		return fmt.Errorf("source %s: %w", source, err)
	}
	if !l.session {
		conversation = ""
	}
	if have.Kind != "agent" || have.Name != l.Name || have.Locator.Session != conversation {
		return fmt.Errorf("the note's source is %s, want %s in %q", strings.TrimSpace(source), l.Name, conversation)
	}
	return nil
}

// subAgent: what the client hands on to a sub-agent goes there with memories of its own.
func subAgent(l *lab) error {
	const task, order = "Let a sub-agent count the widgets.", "Count the widgets."
	for _, c := range l.delegate(order) {
		l.model.willCall(c)
	}
	requests, shown, err := l.run(l.client.ask(task, false))
	if err != nil {
		return err
	}
	for _, r := range requests {
		if r.times(order) > 0 && r.times(task) == 0 {
			return errors.Join(l.brings(r, important, 1), answered(shown))
		}
	}
	return fmt.Errorf("%w: no request is the sub-agent's", errArrival)
}

// edited: where the model edits a file, it is sent the memory that names the file, once; a file that
// no memory names brings nothing. The file is written.
func edited(l *lab) error {
	for _, name := range []string{"src/other.go", "src/price.go", "src/price.go"} {
		l.model.willCall(l.client.edit(filepath.Join(l.project, name), "package src"))
	}
	requests, shown, err := l.run(append(l.client.ask(greeting, false), l.client.edits...))
	if err != nil {
		return err
	}
	r, err := last(requests)
	if err := errors.Join(err, answered(shown), l.brings(requests[0], inFile, 0)); err != nil {
		return err
	}
	if n := l.model.uncalled(); n > 0 {
		return r.fault("%d edits were not made", n)
	}
	text, err := os.ReadFile(filepath.Join(l.project, "src", "price.go"))
	if err == nil && !strings.Contains(string(text), "package src") {
		err = fmt.Errorf("src/price.go has %q", text)
	}
	return errors.Join(err, l.brings(r, inFile, 1))
}
