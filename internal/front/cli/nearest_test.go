package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
)

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"gett": "get", "serch": "search", "edti": "edit", "hsitory": "history", "sett": "set",
		"bundel": "bundle", "nots": "notes", "forgte": "forget", "x": "", "nonsense": "", "": "",
		"rmm": "rm", "lss": "ls", "doctr": "doctor",
	} {
		if got := text.Nearest(word, verbNames()); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// What a hint names is a verb.
func TestOtherNamesAreNone(t *testing.T) {
	for other, meant := range otherNames() {
		verb, _, _ := strings.Cut(meant, " ")
		if !slices.Contains(verbNames(), verb) || slices.Contains(verbNames(), other) {
			t.Errorf("%s: %s", other, meant)
		}
	}
}

// A hint is a command line again, with what was meant in the place of what was typed.
func TestRetyped(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"delete|/a b|--json", "mem rm '/a b' --json"}, {"--root|r|delete", "mem --root r rm"},
		{"delete||", "mem rm '' ''"}, {"delete|a\nb", ""}, {"other", ""},
		{"delete|" + strings.Repeat("x", 200), ""},
	} {
		if got := app.Retyped(strings.Split(c.args, "|"), "delete", "rm"); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}
