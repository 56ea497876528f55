package hook

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/jsontext"
)

// event is what a client says on standard input.
type event struct {
	Session text `json:"session_id"`
	Dir     text `json:"cwd"`
	Name    text `json:"hook_event_name"`
	Prompt  text `json:"prompt"`
	Source  text `json:"source"`
	Agent   text `json:"agent_id"`
}

// text is a string, or "" for whatever else a client may write there one day.
type text string

// UnmarshalJSON takes anything.
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
	// The object's end ends the event: a client may forget to close the pipe.
	err = json.NewDecoder(io.LimitReader(in, maxEvent)).Decode(&e)
	return e, err
}

// occasion tells what there is to say something for; ok is false where there is nothing.
func (e event) occasion() (o mem.Occasion, ok bool) {
	o, ok = occasionOf(e.Name)
	if e.Agent != "" && o != mem.AtSubagent {
		return o, false
	}
	return o, ok
}

// kept tells what the conversation still has of what it was told before.
func (e event) kept(c Client) mem.Kept {
	if e.Name != "SessionStart" {
		return mem.KeptAll
	}
	switch e.Source {
	case "compact", "clear":
		return mem.KeptNothing
	case "resume":
		return c.resumed
	}
	return mem.KeptAll
}

// message is the prompt as the user wrote it: without what clients and mem itself have put into it before.
func (e event) message() string {
	message := string(e.Prompt)
	for _, tag := range [...]string{"hook_context", "system-reminder"} {
		message = without(message, "<"+tag+">", "</"+tag+">")
	}
	return message
}

// without takes out everything from an opening to its closing; an opening that is not closed stays.
func without(s, opening, closing string) string {
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

// answer is the event's answer: this and nothing else.
func (e event) answer(block string) []byte {
	b := jsontext.AppendString([]byte(`{"hookSpecificOutput":{"hookEventName":`), string(e.Name))
	b = jsontext.AppendString(append(b, `,"additionalContext":`...), block)
	return append(b, "}}\n"...)
}
