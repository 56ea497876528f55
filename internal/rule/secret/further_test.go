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

// furtherLine is a text with a credential of one kind, bare in a sentence, or one that looks alike.
type furtherLine struct {
	Want, Kind, Text string
	Secret           []string
}

// wrong reports whether a secret passes somewhere, or a harmless text is refused anywhere.
func (l furtherLine) wrong() bool {
	for _, as := range []string{"note", "event", "output"} {
		all, some := kindLine{As: as, Text: l.Text, Secret: l.Secret}.refused()
		if l.Want == "refuse" && !all || l.Want == "store" && some {
			return true
		}
	}
	return false
}

func furtherLines(t *testing.T) (list []furtherLine) {
	data, err := os.ReadFile("testdata/further.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for text := bufio.NewScanner(bytes.NewReader(data)); text.Scan(); {
		var l furtherLine
		if err := json.Unmarshal(text.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	return list
}

// Of sixty further kinds of credentials and a key that is cut at most two pass, and of sixty texts
// that look alike at most one is refused. The lists are older than the rules that know them.
func TestFurtherKinds(t *testing.T) {
	t.Parallel()
	lines, wrong := map[string]int{}, map[string]int{}
	for _, l := range furtherLines(t) {
		lines[l.Want]++
		if l.wrong() {
			wrong[l.Want]++
			t.Logf("wrong: %s %s: %q", l.Want, l.Kind, l.Text)
		}
	}
	if lines["refuse"] < 61 || lines["store"] < 60 || wrong["refuse"] > 2 || wrong["store"] > 1 {
		t.Errorf("%d of %d secrets pass, %d of %d harmless texts are refused",
			wrong["refuse"], lines["refuse"], wrong["store"], lines["store"])
	}
}

// A message that quotes a text with a credential in it repeats no part of that.
func TestFurtherKindsAreMasked(t *testing.T) {
	t.Parallel()
	for _, l := range furtherLines(t) {
		for _, s := range l.Secret {
			shown := Mask(l.Text, "...")
			quoted := Mask(string(jsontext.AppendString(nil, l.Text)), "...")
			for part := range strings.FieldsSeq(s) {
				if len(part) >= 16 && (strings.Contains(shown, part) ||
					strings.Contains(quoted, part)) {
					t.Errorf("%s is shown: %q, %q", l.Kind, shown, quoted)
				}
			}
		}
	}
}

// A kind is known whatever sign follows it.
func TestFurtherKindsBeforeSigns(t *testing.T) {
	t.Parallel()
	for _, l := range furtherLines(t) {
		for _, s := range l.Secret {
			for _, around := range []string{"%, so", "(%)", "it is %.", "%: it works", "=%&x"} {
				text := strings.ReplaceAll(around, "%", s)
				if all, _ := (kindLine{As: "note", Text: text}).refused(); !all {
					t.Errorf("%s passes: %q", l.Kind, text)
				}
			}
		}
	}
}
