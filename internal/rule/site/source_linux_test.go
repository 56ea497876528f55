package site_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// A store that memories are taken from is this person's own, a .mem that was let in, or one of
// others, by whatever path it is named.
func TestSource(t *testing.T) {
	w := newWorld(t)
	w.home("home")
	w.dirs("home/.local/share/mem", "home/.local/share/mem-projects/app-1", "x/.mem",
		"y/.mem", "plain")
	w.let("x/.mem")
	w.must(os.Symlink(w.base, filepath.Join(w.base, "link")))
	s := w.find("plain")
	for root, want := range map[string]struct{ layer, source string }{
		"home/.local/share/mem":                {site.User, "own"},
		"home/.local/share/mem-projects/app-1": {site.Project, "own"},
		"home/.local/share/mem-projects":       {"", "others"},
		"x/.mem":                               {"", "let in"},
		"y/.mem":                               {"", "refused"},
		"plain":                                {"", "others"},
	} {
		for _, path := range []string{w.path(root), w.path("link/" + root)} {
			one, err := s.Source(path)
			got := "own"
			switch {
			case errors.As(err, new(*site.UntrustedError)):
				got = "refused"
			case err != nil:
				got = err.Error()
			case one.Grant != nil:
				got = "let in"
			case one.InRepository():
				got = "others"
			}
			if got != want.source || s.OwnLayer(path) != want.layer {
				t.Errorf("%s: %s of %q, want %v", path, got, s.OwnLayer(path), want)
			}
		}
	}
}
