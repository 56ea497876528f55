package policy

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var update = flag.Bool("update", false, "write the goldens of testdata")

// isGolden compares a text with testdata/name, which -update writes.
func isGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, []byte(got)) {
		return
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := 0; i < max(len(was), len(is)); i++ {
		line := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return "(none)"
		}
		if line(was) != line(is) {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, line(is), line(was))
		}
	}
}

// columns are the writes of which each operation is asked, in the order of the letters.
var columns = []struct{ key, text, source string }{
	{"/a", `1`, `"x"`}, {"/a", `null`, `"x"`}, {"/a", `1`, byUser},
	{"/a", `1`, `{"kind":"agent","name":"x","pinned_by":"user"}`},
	{"/a", `{"type":"rule"}`, `"x"`}, {"/stored", `1`, `"x"`},
	{"/rules/user/a", `1`, `"x"`}, {"/rules/user/a", `null`, `"x"`},
	{"/agent/ada/core/" + ulid, `1`, `"x"`}, {"/agent/ada/core/" + ulid, `null`, `"x"`},
	{"/agent/ada/core/x", `1`, `"x"`},
	{"/agent/ada/identity", `1`, wire}, {"/agent/ada/identity", `null`, wire},
	{inSession, `1`, `"x"`}, {inSession, `null`, `"x"`}, {"/session/s", `1`, `"x"`},
	{event, `1`, `"x"`}, {event, `null`, `"x"`}, {"/event/s/x", `1`, `"x"`},
	{"/artifact/art_" + ulid, `1`, `"x"`}, {"/handoff/s/a", `1`, `"x"`},
	{"/untrusted/a", `1`, `"x"`}, {"/untrusted/a", `null`, `"x"`},
	{aProposal, `1`, `"x"`}, {aProposal, `null`, `"x"`},
	{"/note/user/m-1", `1`, `"x"`}, {"/task/a", `{"sensitivity":"high"}`, `"x"`},
	{"/elsewhere", `1`, `"x"`}, {"/kb/a", `1`, `"x"`}, {"/a\u200b", `1`, `"x"`},
	{"/a", `1`, `7`}, {"/a", `"` + madeUp + `"`, `"x"`}, {"/agent/bob/core/" + ulid, `null`, `"x"`},
}

// letters stand for the refusals, the more exact ones first.
var letters = []struct {
	is     error
	letter byte
}{
	{ErrRule, 'U'}, {ErrPerson, 'P'}, {ErrUnattended, 'A'}, {ErrReserved, 'R'},
	{ErrProvenance, 'V'}, {ErrSecret, 'S'}, {keypath.ErrKey, 'K'}, {ErrInput, 'F'}, {errElsewhere,
		'L'},
}

func letterOf(err error) byte {
	if err == nil {
		return '.'
	}
	for _, l := range letters {
		if errors.Is(err, l.is) {
			return l.letter
		}
	}
	return '?'
}

func matrixGround() *Ground {
	return &Ground{
		Belongs: func(key keypath.Key) error {
			if key.String() == "/elsewhere" {
				return errElsewhere
			}
			return nil
		},
		Stored: func(key keypath.Key) (bool, error) { return key.String() == "/stored", nil },
	}
}

var callers = []struct {
	name string
	backend.Caller
}{
	{"person", person}, {"script", script}, {"client", client}, {"ada", ada}, {"bob", bob},
}

// decisions returns a letter for each column: whether the write is admitted, and the mark with
// which ("!" where it gets one).
func decisions(c backend.Caller, verb Verb, x Exemptions, refusals map[string]string) string {
	var row strings.Builder
	for _, col := range columns {
		f := facts(c, verb, x, col.key, col.text, col.source)
		err := matrixGround().Admit(f)
		origin := ""
		if err == nil {
			origin, err = f.Origin()
		}
		if err != nil {
			noteRefusal(refusals, err)
		}
		if origin != "" {
			row.WriteByte(origin[0] ^ 0x20)
			continue
		}
		row.WriteByte(letterOf(err))
	}
	return row.String()
}

func noteRefusal(refusals map[string]string, err error) {
	text := err.Error()
	if rule := (*RuleError)(nil); errors.As(err, &rule) {
		text = rule.Verb.String() + ": " + text
	}
	var advised interface{ Advice() advice.List }
	if errors.As(err, &advised) {
		refusals[text] = advised.Advice().String()
		return
	}
	refusals[text] = ""
}

// rightsOf returns what the methods say of an operation.
func rightsOf(v Verb) string {
	var list []string
	for _, r := range []struct {
		name string
		has  bool
	}{
		{"adds", v.Adds()}, {"restores", v.Restores()}, {"claims", v.Claims()},
		{"keepsRules", v.KeepsRules()}, {"tends", v.TendsSessions()},
	} {
		if r.has {
			list = append(list, r.name)
		}
	}
	for class := range keypath.Class(16) {
		if v.Writes(class) {
			list = append(list, fmt.Sprintf("class%d", class))
		}
	}
	return fmt.Sprintf("%s write=%v", strings.Join(list, " "), CountsAsWrite(v.String()))
}

// The whole table of operations: what each may write, by caller and kind of key. A letter is a
// refusal: rUle, Person, no Answer, Reserved, proVenance, Key, Layer, Form, Secret; I and C are
// lines with the mark of an import and of a client.
func TestDecisions(t *testing.T) {
	var text strings.Builder
	refusals := map[string]string{}
	for i, col := range columns {
		fmt.Fprintf(&text, "%2d %s %s %s\n", i+1, col.key,
			strings.ReplaceAll(col.text, madeUp, "SECRET"), col.source)
	}
	told := []Verb{Set, Note, Edit, Forget, Import, Restore}
	for _, verb := range Verbs() {
		fmt.Fprintf(&text, "\n%s: %s needs=%q\n", verb, rightsOf(verb), verb.needs)
		noted := refusals
		if !slices.Contains(told, verb) {
			noted = map[string]string{} // they say the same
		}
		for _, c := range callers {
			err := CheckPerson(c.Caller, verb)
			if err != nil {
				noteRefusal(refusals, err)
			}
			adas := keypath.MustParse("/agent/ada/core/" + ulid)
			old := log.Record{Envelope: log.Envelope{Key: keypath.MustParse("/a")}}
			isRule := func(log.Record) bool { return true }
			fmt.Fprintf(&text, "  %-6s %s %c%c %v\n", c.name,
				decisions(c.Caller, verb, 0, noted), letterOf(err),
				letterOf(MayChange(c.Caller, verb, old, isRule)), Reaches(c.Caller, verb, adas))
		}
	}
	for _, x := range []Exemptions{Forced, Purging, Tending, Given, Numbered, Approved} {
		for _, verb := range []Verb{Set, Note, Forget, Import, Undo, Event, Approve, Propose,
			Restore} {
			fmt.Fprintf(&text, "\n%s, exemption %d\n", verb, x)
			for _, c := range callers {
				row := decisions(c.Caller, verb, x, map[string]string{})
				fmt.Fprintf(&text, "  %-6s %s\n", c.name, row)
			}
		}
	}
	isGolden(t, "decisions.txt", text.String())
	text.Reset()
	for _, message := range sortedKeys(refusals) {
		fmt.Fprintf(&text, "%s\n  %s\n", message, refusals[message])
	}
	isGolden(t, "refusals.txt", text.String())
}

// docs/decisions.md has a row for each operation that only a person may call.
func TestDecisionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(text), "\n| Operation | Why |\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	for _, verb := range Verbs() {
		if verb.needs != "" && !strings.Contains(rows, "`mem "+verb.name) {
			t.Errorf("no row has mem %s: %s", verb, verb.needs)
		}
	}
}
