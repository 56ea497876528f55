package secret

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// agentLine is a line that an agent would write, and what is to be done with it: to refuse it or to
// store it. A note is judged as a note and as the text of any other memory.
type agentLine struct {
	Want                  string
	Note, Content, Source json.RawMessage
}

// found reports whether a secret is seen in every reading of the line, and in any.
func (l agentLine) found(t *testing.T) (every, some bool) {
	t.Helper()
	compact := func(v []byte) []byte {
		v, err := jsontext.Compact(nil, v)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if l.Note == nil {
		is := Scan("content", compact(append(l.Content, l.Source...))) != nil
		return is, is
	}
	text := compact(l.Note)
	note := ScanNote("content", append(append([]byte(`{"text":`), text...), '}')) != nil
	bare := Scan("content", text) != nil
	return note && bare, note || bare
}

// The rules are judged on lines that were written before them: at most one in twenty is wrong on
// either side.
func TestWhatAgentsWrite(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/agents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines, wrong := map[string]int{}, map[string]int{}
	for text := bufio.NewScanner(bytes.NewReader(data)); text.Scan(); {
		var l agentLine
		if err := json.Unmarshal(text.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines[l.Want]++
		every, some := l.found(t)
		if l.Want == "refuse" && !every || l.Want == "store" && some {
			wrong[l.Want]++
			t.Logf("wrong: %s", text.Bytes())
		}
	}
	for _, want := range []string{"refuse", "store"} {
		if lines[want] != 60 || wrong[want] > lines[want]/20 {
			t.Errorf("to %s: %d of %d wrong", want, wrong[want], lines[want])
		}
	}
}
