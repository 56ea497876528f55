package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// layout is how the memories of a month lie in stores.
type layout string

const (
	inLayers layout = "layers"       // a .mem in each repository, and the user's store
	apart    layout = "a store each" // a store for each repository, and none of the user
	inOne    layout = "all in one"   // one store, as without layers
)

// home is the directory of a user that is made up: their repositories lie below src, their stores
// as the layout says.
type home struct {
	mem    string // the binary, as a path that holds everywhere
	dir    string
	layout layout
	known  map[string]dayNote // by the name of the store and the key; userRepo is the user's
	now    time.Time          // of what is run
	asked  int                // conversations begun
}

// dayAsked is when the prompts of the daily set are typed: in the morning after the month.
var dayAsked = time.Date(2026, 10, 31, 9, 0, 0, 0, time.UTC)

func newHome(mem string, l layout) (h *home) {
	h = &home{layout: l, known: map[string]dayNote{}, now: dayAsked}
	h.mem = harness.Must(filepath.Abs(mem))
	h.dir = harness.Must(os.MkdirTemp("", "recall-*"))
	for _, repo := range dayRepos {
		// What mem takes for a repository: it asks no git program.
		git := filepath.Join(h.work(repo), ".git")
		harness.Check(os.MkdirAll(git, 0o755))
		harness.Check(os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
		if l == inLayers {
			h.run(repo, nil, nil, "init")
		}
	}
	return h
}

func (h *home) close() { os.RemoveAll(h.dir) }

// work is the working directory in a repository. What is the user's is written from the first.
func (h *home) work(repo string) string {
	if repo == userRepo {
		repo = dayRepos[0]
	}
	return filepath.Join(h.dir, "src", repo)
}

// store names the store that has what belongs to a repository, and is its directory below the home
// unless there are layers.
func (h *home) store(repo string) string {
	if h.layout == inOne {
		return "all"
	}
	return repo
}

// run runs the binary in a repository, with nothing of this process's environment. A process of an
// agent has its variables, too.
func (h *home) run(repo string, env []string, in io.Reader, args ...string) []byte {
	if h.layout != inLayers {
		args = append([]string{"--root", filepath.Join(h.dir, h.store(repo))}, args...)
	}
	cmd := exec.Command(h.mem, args...)
	cmd.Dir, cmd.Stdin = h.work(repo), in
	cmd.Env = append([]string{
		"HOME=" + h.dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		"MEM_NOW=" + h.now.Format(time.RFC3339), "MEM_HOOK_DEADLINE=1m",
	}, env...)
	return harness.Output(cmd, 0)
}

// write stores a memory at its time, from within a conversation of its day.
func (h *home) write(n dayNote, more ...string) (id string) {
	now := h.now
	h.now = n.TS
	defer func() { h.now = now }()
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + n.TS.Format("day-02")}
	args := []string{"note", "--json"}
	scope := "workspace"
	if n.Repo == userRepo {
		scope = userRepo
	}
	if n.Key != "" {
		args = []string{"set", n.Key, "--json", "--text", n.Text}
		if n.Type != "" {
			args = append(args, "--type", n.Type)
		}
		if n.Type == "rule" { // only a person may write it
			env, args = nil, append(args, "--source", "chat", "--yes")
		}
	} else {
		args = append(args, "--scope", scope)
	}
	for _, tag := range n.Tags {
		args = append(args, "--tag", tag)
	}
	args = append(args, more...)
	if n.Key == "" {
		args = append(args, "--", n.Text)
	}
	out := h.run(n.Repo, env, nil, args...)
	var answer struct{ ID string }
	if err := json.Unmarshal(out, &answer); err != nil {
		harness.Failf("%s: %w", out, err)
	}
	key := n.Key
	if key == "" {
		key = "/note/" + scope + "/" + answer.ID
	}
	h.known[h.store(n.Repo)+key] = n
	return answer.ID
}

// block is what a hook told: the memories, best first, and what that cost.
type block struct {
	notes  []dayNote
	tokens int
}

// begin returns the name of a conversation that there was none of.
func (h *home) begin() string {
	h.asked++
	return fmt.Sprintf("asked-%d", h.asked)
}

// tell lets a client ask: at a prompt, or without one at the start of a conversation.
func (h *home) tell(repo, conversation, prompt string) (b block) {
	text := textOf(h.hook(repo, conversation, prompt))
	rec := h.record(repo, conversation)
	b.tokens = rec.Tokens
	for _, m := range rec.Memories {
		n := h.identify(repo, m, text)
		b.notes = append(b.notes, n)
	}
	if (len(b.notes) > 0) != (text != "") {
		harness.Failf("%d memories recorded as told: %s", len(b.notes), text)
	}
	return b
}

// hook returns the answer of the hook to a prompt, or without one to the start of a conversation.
func (h *home) hook(repo, conversation, prompt string) []byte {
	event := map[string]string{"session_id": conversation, "cwd": h.work(repo)}
	if prompt == "" {
		event["hook_event_name"], event["source"] = "SessionStart", "startup"
	} else {
		event["hook_event_name"], event["prompt"] = "UserPromptSubmit", prompt
	}
	in := harness.Must(json.Marshal(event))
	return h.run(repo, nil, bytes.NewReader(in), "hook", "claude-code")
}

// recorded is what injections.jsonl says of a block.
type recorded struct {
	Conversation string
	Memories     []recordedMemory
	Tokens       int
}

type recordedMemory struct{ Key, Layer string }

// record returns the newest line of injections.jsonl, which has to be that of a conversation: so a
// hook that was silent was asked and had nothing to say.
func (h *home) record(repo, conversation string) (rec recorded) {
	dir := filepath.Join(h.dir, ".local", "share", "mem")
	if h.layout != inLayers {
		dir = filepath.Join(h.dir, h.store(repo))
	}
	data := harness.Must(os.ReadFile(filepath.Join(dir, "injections.jsonl")))
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	harness.Check(json.Unmarshal(lines[len(lines)-1], &rec))
	if rec.Conversation != conversation {
		harness.Failf("the hook recorded nothing of %s", conversation)
	}
	return rec
}

// identify returns the note that a key stands for, and holds it against what was told: so one of
// another repository is seen, whatever its key.
func (h *home) identify(repo string, m recordedMemory, text string) dayNote {
	store := h.store(repo)
	if m.Layer == userRepo {
		store = userRepo
	}
	n, ok := h.known[store+m.Key]
	if ok && strings.Contains(text, beginning(n.Text)) {
		return n
	}
	harness.Failf("in %s: %s of layer %q is not what was told: %s", repo, m.Key, m.Layer, text)
	return n
}

// textOf returns the text that an answer of a hook adds to a conversation, its blanks as those of
// beginning.
func textOf(answer []byte) string {
	if len(answer) == 0 {
		return ""
	}
	var a struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	harness.Check(json.Unmarshal(answer, &a))
	return oneBlank(a.HookSpecificOutput.AdditionalContext)
}

// beginning returns so much of a text as is on its line whatever the line begins with, for the end
// may be cut.
func beginning(text string) string {
	signs := []rune(oneBlank(text))
	return string(signs[:min(len(signs), 40)])
}

func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }
