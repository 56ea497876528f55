package hook

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
)

// event is what a client writes to standard input.
type event struct {
	Session  text `json:"session_id"`
	Dir      text `json:"cwd"`
	Name     text `json:"hook_event_name"`
	Prompt   text `json:"prompt"`
	Source   text `json:"source"`
	SubAgent text `json:"agent_id"`
	Tool     text `json:"tool_name"`
	Input    edit `json:"tool_input"`

	Transcript text     `json:"transcript_path"`
	Error      text     `json:"error"` // of a tool that failed
	Response   response `json:"tool_response"`
	Result     response `json:"tool_result"` // the same of Copilot

	// Session and Name as VS Code documents them; its source has the names above.
	SessionID text `json:"sessionId,omitempty"`
	EventName text `json:"hookEventName,omitempty"`

	Away *away `json:"mem,omitempty"` // of an event from another machine
}

// edit is the part of a tool's input that is read; nothing for any other value.
type edit struct {
	File     text `json:"file_path"`
	Notebook text `json:"notebook_path"`
	Patch    text `json:"command"` // of apply_patch; the command of a shell
	Path     text `json:"path"`    // of the file, or where files are searched for
	Pattern  text `json:"pattern"`
	Prompt   text `json:"prompt"` // that the model writes for a later time
}

// UnmarshalJSON accepts any value.
func (e *edit) UnmarshalJSON(value []byte) error {
	type plain edit
	var p plain
	if json.Unmarshal(value, &p) == nil {
		*e = edit(p)
	}
	return nil
}

// text is a string, or "" for whatever else a client may write there one day.
type text string

// UnmarshalJSON accepts any value.
func (t *text) UnmarshalJSON(value []byte) error {
	var s string
	if json.Unmarshal(value, &s) == nil {
		*t = text(s)
	}
	return nil
}

// maxEvent is how much of standard input is read. A client may put a whole file into a prompt.
const maxEvent = 16 << 20

func readEvent(in io.Reader) (e event, err error) {
	text := bufio.NewReader(io.LimitReader(in, maxEvent))
	// Programs on Windows write a byte order mark. Where the first character is another one, an
	// error is returned to the decoder.
	if r, _, _ := text.ReadRune(); r != '\ufeff' {
		_ = text.UnreadRune()
	}
	// Only one object is read, not all of the input: a client may forget to close the pipe.
	err = json.NewDecoder(text).Decode(&e)
	e.Session, e.Name = cmp.Or(e.Session, e.SessionID), cmp.Or(e.Name, e.EventName)
	return e, err
}

// trigger returns why memories are to be delivered; ok is false if none are.
func (e event) trigger(client *setup.Client) (o inject.Trigger, ok bool) {
	switch e.Name {
	case setup.SessionStart:
		o = inject.AtStart
	case setup.UserPromptSubmit, setup.BeforeAgent:
		o = inject.AtPrompt
	case setup.SubagentStart:
		return inject.AtSubagent, true
	case setup.PreToolUse, setup.AfterTool, setup.PostToolUse:
		isEdit := e.runsShell() || client.EditsWith(string(e.Name), string(e.Tool))
		return inject.AtEdit, isEdit && len(e.files()) > 0
	default:
		return "", false
	}
	// A sub-agent gets memories when it starts, and no more.
	return o, e.SubAgent == ""
}

// resume is the source of a start that goes on with a conversation.
const resume = "resume"

// retained returns the earlier injections that the conversation still has.
func (e event) retained(client *setup.Client) inject.Retained {
	if e.Name != setup.SessionStart {
		return inject.RetainedAll
	}
	switch e.Source {
	case "compact", "clear":
		return inject.RetainedNothing
	case resume:
		return retainedAtResume(client)
	}
	return inject.RetainedAll
}

// fileMarks begin the lines of a patch that name its files.
var fileMarks = [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: ",
	"*** Move to: "}

// files returns the absolute paths of the files that the tool is about to edit, or has edited.
func (e event) files() (list []string) {
	if e.Away != nil {
		return e.awayFiles()
	}
	if e.runsShell() {
		for _, name := range edits(string(e.Input.Patch)) {
			list = append(list, e.absolute(name))
		}
		for _, r := range e.renames() {
			list = append(list, r.To)
		}
		return list[:min(len(list), inject.MaxEdited)]
	}
	for _, name := range [...]text{e.Input.File, e.Input.Notebook, e.Input.Path} {
		if name != "" {
			list = append(list, e.absolute(string(name)))
		}
	}
	for line := range strings.Lines(string(e.Input.Patch)) {
		for _, mark := range fileMarks {
			name, ok := strings.CutPrefix(strings.TrimRight(line, " \r\n"), mark)
			if ok && len(list) < inject.MaxEdited {
				list = append(list, e.absolute(name))
			}
		}
	}
	return list
}

// renames returns the absolute paths that a command of a shell has renamed, each with the path that
// is there now: in a folder, where it was moved into one.
func (e event) renames() (list []inject.Rename) {
	if e.Away != nil || !e.runsShell() {
		return nil
	}
	for _, r := range renames(string(e.Input.Patch)) {
		r = inject.Rename{From: e.absolute(r.From), To: e.absolute(r.To)}
		within := filepath.Join(r.To, filepath.Base(r.From))
		if _, err := os.Lstat(within); err == nil {
			r.To = within
		}
		list = append(list, r)
	}
	return list
}

func (e event) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(string(e.Dir), name)
}

// message returns the prompt as the user wrote it: without what clients and mem added before.
func (e event) message() string {
	return cutTags(string(e.Prompt))
}

func cutTags(message string) string {
	for _, tag := range [...]string{"hook_context", "system-reminder"} {
		message = cutElements(message, "<"+tag+">", "</"+tag+">")
	}
	return message
}

// cutElements returns s without everything from an opening to its closing.
func cutElements(s, opening, closing string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(s, opening)
		_, after, closed := strings.Cut(rest, closing)
		if !found || !closed {
			out.WriteString(s)
			return out.String()
		}
		out.WriteString(before)
		s = after
	}
}

// encode returns the bytes that the hook prints to add a block to the conversation and to show the
// person a notice, in the form of the client; nil if there is neither.
func (e event) encode(client *setup.Client, block, notice string) []byte {
	var doc jsontext.Object
	doc.TextUnlessEmpty("systemMessage", notice)
	if client.BareContext {
		doc.TextUnlessEmpty("additionalContext", block)
	} else if block != "" {
		var output jsontext.Object
		output.Text("hookEventName", string(e.Name))
		output.Text("additionalContext", block)
		doc.Raw("hookSpecificOutput", output.Bytes())
	}
	if doc.Empty() {
		return nil
	}
	return append(doc.Bytes(), '\n')
}
