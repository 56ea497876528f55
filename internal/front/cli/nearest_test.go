package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/log"
)

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"gett": "get", "serch": "search", "edti": "edit", "hsitory": "history", "sett": "set",
		"bundel": "bundle", "nots": "note", "forgte": "forget", "x": "", "nonsense": "", "": "",
		"rmm": "rm", "lss": "ls", "doctr": "doctor",
	} {
		if got := text.Nearest(word, verbNames()); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

// What a hint names is a verb.
func TestOtherNamesAreNone(t *testing.T) {
	for other, meant := range otherNames {
		verb, _, _ := strings.Cut(meant, " ")
		if !slices.Contains(verbNames(), verb) || slices.Contains(verbNames(), other) {
			t.Errorf("%s: %s", other, meant)
		}
	}
}

// A backup has both layers and the bytes of artifacts, not the lines of one layer alone.
func TestBackupIsOfAllLayers(t *testing.T) {
	root := (&app{build: testBuild}).command([]string{"stat"})
	var e *usage
	if err := noSuchCommand(root, []string{"backup"}, "backup"); !errors.As(err, &e) ||
		!strings.Contains(forPeople(&app{build: testBuild}, e.do), "mem export --all-layers") {
		t.Errorf("%+v", err)
	}
}

// A hint is a command line again, with what was meant in the place of what was typed.
func TestRetyped(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"delete|/a b|--json", "mem rm '/a b' --json"}, {"--root|r|delete", "mem --root r rm"},
		{"delete||", "mem rm '' ''"}, {"delete|a\nb", ""}, {"other", ""},
		{"delete|" + strings.Repeat("x", 200), ""},
	} {
		if got := retyped(strings.Split(c.args, "|"), "delete", "rm"); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
}

// Two versions of one second are told apart.
func TestVersionTimes(t *testing.T) {
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.FixedZone("there", 3600)
	at := log.StampOf(time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC))
	got := versionTimes([]log.Stamp{at + 60_000_000, at + 2, at + 1, at - 60_000_000})
	want := []string{"2026-02-22 11:01:00", "2026-02-22 11:00:00.000002",
		"2026-02-22 11:00:00.000001", "2026-02-22 10:59:00"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := unitOf("11:00:00.02"); got != 10*time.Millisecond {
		t.Error(got)
	}
}
