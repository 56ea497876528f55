package secret

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// kindLine is a text of one kind (a note, an event, an artifact, the output of a tool), to refuse
// or to store, with the parts of it that are secret.
type kindLine struct {
	Want, As, Text string
	Secret         []string
}

// refused reports whether no part of a secret is stored of a line, and whether anything was found.
// A note is refused; events, artifacts and output are stored without the secret.
func (l kindLine) refused() (all, some bool) {
	text := jsontext.AppendString(nil, l.Text)
	object := append(append([]byte(`{"text":`), text...), '}')
	if l.As == "note" {
		note, set := ScanNote("content", object) != nil, Scan("content", object) != nil
		return note && set, note || set
	}
	clean, found := RedactText(l.Text)
	if l.As == "event" {
		object, found = Redact("event", object)
		var event struct{ Text string }
		if json.Unmarshal(object, &event) != nil {
			return false, true
		}
		clean = event.Text
	}
	all = found != nil
	for _, s := range l.Secret {
		all = all && !strings.Contains(clean, s)
	}
	return all, found != nil
}

// The rules are judged on texts of four kinds, written by authors who had not read them: at most 5
// of 100 secrets pass, and at most 3 of 100 harmless texts are refused; of 60, 3 and 2.
func TestKindsOfText(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"kinds", "blind", "mixed", "projects"} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			judgeKinds(t, "testdata/"+list+".jsonl")
		})
	}
}

func judgeKinds(t *testing.T, list string) {
	data, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	lines, wrong := map[string]int{}, map[string]int{}
	for text := bufio.NewScanner(bytes.NewReader(data)); text.Scan(); {
		var l kindLine
		if err := json.Unmarshal(text.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines[l.Want]++
		all, some := l.refused()
		if l.Want == "refuse" && !all || l.Want == "store" && some {
			wrong[l.Want]++
			t.Logf("wrong: %s %s: %q", l.Want, l.As, l.Text)
		}
	}
	n := lines["refuse"]
	if n < 60 || wrong["refuse"] > n/20 || lines["store"] != n || wrong["store"] > (n+50)/50 {
		t.Errorf("%d of %d secrets pass, %d of %d harmless texts are refused",
			wrong["refuse"], lines["refuse"], wrong["store"], lines["store"])
	}
}
