package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/rule/derive"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/log"
)

// maxLine is the length in bytes of the longest line of a transcript that is read; a longer one
// holds the output of a tool.
const maxLine = 4 << 20

// turn is one line of a transcript of Claude Code 2.1.329 or before, or of a rollout of Codex
// 0.169.0, as far as it matters here.
type turn struct {
	Type      string    `json:"type"` // user, assistant and others
	Session   string    `json:"sessionId"`
	Dir       string    `json:"cwd"`
	At        log.Stamp `json:"timestamp"`
	Meta      bool      `json:"isMeta"`
	Sidechain bool      `json:"isSidechain"` // of a sub-agent
	Summary   bool      `json:"isCompactSummary"`
	Origin    struct {
		Kind string `json:"kind"` // human, or what the client itself says; "" in older versions
	} `json:"origin"`
	Message struct {
		Content blocks `json:"content"`
	} `json:"message"`
	Payload item `json:"payload"` // of Codex
}

// item is the payload of a line of Codex: a call of a shell, its output, or a message.
type item struct {
	Type      string `json:"type"` // function_call, function_call_output or message
	Role      string `json:"role"`
	Call      string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON
	Output    string `json:"output"`
	Content   blocks `json:"content"`
}

// block is a part of a message.
type block struct {
	Type   string `json:"type"` // text, tool_use or tool_result
	Text   string `json:"text"`
	ID     string `json:"id"`
	UseID  string `json:"tool_use_id"`
	Name   string `json:"name"`
	Failed bool   `json:"is_error"`
	Input  struct {
		Command  string `json:"command"`
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
		Pattern  string `json:"pattern"`
	} `json:"input"`
	Content json.RawMessage `json:"content"`
}

// blocks is the content of a message: a text, or blocks.
type blocks []block

// UnmarshalJSON accepts any value.
func (b *blocks) UnmarshalJSON(value []byte) error {
	var text string
	if json.Unmarshal(value, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	var list []block
	if json.Unmarshal(value, &list) == nil {
		*b = list
	}
	return nil
}

// Transcript is what a client's record of conversations holds, as its reader gets it.
type Transcript struct {
	Prompt    func(t Turn, text string)
	Assistant func(t Turn, text string)
	Step      func(t Turn, s inbox.Step)
	Damaged   func(line int) // nil: damaged lines are skipped without a word

	Turns int // that were read

	calls map[string]inbox.Step // without a result yet
}

// Turn says where a part of a transcript is from.
type Turn struct {
	Session, Dir string
	At           log.Stamp
}

// Read passes the parts of a transcript to its functions, line by line. What sub-agents did, and
// what the client wrote itself, is left out.
func (r *Transcript) Read(in io.Reader) error {
	r.calls = map[string]inbox.Step{}
	lines := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, whole, err := readLine(lines)
		if len(bytes.TrimSpace(line)) > 0 {
			var t turn
			if !whole || json.Unmarshal(line, &t) != nil {
				r.damaged(n)
			} else if !t.Sidechain && !t.Meta && !t.Summary {
				r.take(t)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns a line; whole is false for one that is longer than maxLine.
func readLine(in *bufio.Reader) (line []byte, whole bool, err error) {
	for whole = true; ; {
		part, err := in.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, whole, err
		}
	}
}

func (r *Transcript) damaged(n int) {
	if r.Damaged != nil {
		r.Damaged(n)
	}
}

func (t *turn) isHuman() bool { return t.Origin.Kind == "" || t.Origin.Kind == "human" }

func (r *Transcript) take(t turn) {
	if t.Type == "user" || t.Type == "assistant" || t.Type == "response_item" {
		r.Turns++
	}
	if t.Type == "response_item" {
		r.takeItem(t)
		return
	}
	at := Turn{Session: t.Session, Dir: t.Dir, At: t.At}
	for _, b := range t.Message.Content {
		switch {
		case b.Type == "text" && t.Type == "user" && r.Prompt != nil && t.isHuman():
			r.Prompt(at, b.Text)
		case b.Type == "text" && t.Type == "assistant" && r.Assistant != nil:
			r.Assistant(at, b.Text)
		case b.Type == "tool_use":
			r.calls[b.ID] = usedTool(t, b)
		case b.Type == "tool_result":
			s, known := r.calls[b.UseID]
			delete(r.calls, b.UseID)
			if s.Failed, s.Exit = b.Failed, 0; b.Failed {
				s.Exit = ExitCode(string(b.Content))
			}
			if known && r.Step != nil {
				r.Step(at, s)
			}
		}
	}
}

// takeItem takes a line of Codex. Its hooks say nothing of how a command ended; this does.
func (r *Transcript) takeItem(t turn) {
	it := t.Payload
	switch it.Type {
	case "function_call":
		var in struct {
			Command string `json:"cmd"`
			Dir     string `json:"workdir"`
		}
		if json.Unmarshal([]byte(it.Arguments), &in) == nil && in.Command != "" {
			r.calls[it.Call] = inbox.Step{At: t.At, Tool: "Bash", Command: in.Command,
				Dir: in.Dir}
		}
	case "function_call_output":
		s, known := r.calls[it.Call]
		delete(r.calls, it.Call)
		head, _, _ := strings.Cut(it.Output, "\nOutput:")
		_, code, ended := strings.Cut(head, "Process exited with code ")
		if code, _, _ = strings.Cut(code, "\n"); known && ended && r.Step != nil {
			s.Exit, _ = strconv.Atoi(code)
			s.Failed = s.Exit != 0
			r.Step(Turn{Dir: s.Dir}, s)
		}
	case "message":
		for _, b := range it.Content {
			if it.Role == "assistant" && r.Assistant != nil {
				r.Assistant(Turn{}, b.Text)
			}
		}
	}
}

func usedTool(t turn, b block) inbox.Step {
	s := inbox.Step{At: t.At, Dir: t.Dir, Tool: b.Name,
		Command: cmp.Or(b.Input.Command, SearchFor(b.Name, b.Input.Pattern))}
	for _, name := range [...]string{b.Input.File, b.Input.Notebook, b.Input.Path} {
		if name != "" {
			s.Files = append(s.Files, name)
		}
	}
	return s
}

// ExitCode returns the number behind "Exit code " in a client's message about a command that
// failed, 1 where it has none.
func ExitCode(message string) int {
	_, rest, found := strings.Cut(strings.ToLower(message), "exit code")
	digits := strings.TrimLeft(rest, ": ")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	if n, err := strconv.Atoi(digits); found && err == nil {
		return n
	}
	return 1
}

// maxTail is how much of the end of a transcript is looked through for decisions.
const maxTail = 1 << 20

// readTail reads the end of a transcript. What cannot be read says nothing.
func readTail(path string, r Transcript) {
	if fi, err := os.Stat(path); path == "" || err != nil || !fi.Mode().IsRegular() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.Seek(-maxTail, io.SeekEnd); err != nil {
		_, _ = f.Seek(0, io.SeekStart) // it is shorter
	}
	_ = r.Read(f)
}

func decisions(path string) (list []derive.Proposal) {
	readTail(path, Transcript{Assistant: func(_ Turn, text string) {
		list = append(list, derive.Decisions(text)...)
	}})
	return list[max(0, len(list)-maxDerived):]
}

// withRollout adds to a journal of Codex the commands of its rollout since its last step.
func withRollout(b *inbox.Inbox, j inbox.Journal) inbox.Journal {
	if j.Client != "codex" {
		return j
	}
	last := log.Stamp(0)
	for _, s := range j.Steps {
		if s.Tool != inbox.Prompt {
			last = max(last, s.At)
		}
	}
	readTail(j.Transcript, Transcript{Step: func(_ Turn, s inbox.Step) {
		if s.At > last {
			_ = Record(b, j.Client, j.Session.Session, s) // without it there are fewer facts
		}
	}})
	with, _ := b.Journal(j.Client, j.Session.Session)
	return with
}
