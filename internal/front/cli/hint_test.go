package cli

import (
	"slices"
	"strings"
	"testing"
)

// A hint works as printed, also where the store was named by a flag.
func TestHintsNameTheRoot(t *testing.T) {
	for _, c := range []struct{ hint, root, want string }{
		{"mem ls lists the keys there are", "", "mem ls lists the keys there are"},
		{"mem ls lists the keys there are", "a/b", "mem --root a/b ls lists the keys there are"},
		{"mem fsck --adopt x, mem fsck --repair y", "it's", `mem --root 'it'\''s' fsck --adopt x, ` +
			`mem --root 'it'\''s' fsck --repair y`},
		{"type mem get", "$HOME", "type mem --root '$HOME' get"},
		{"mem help exit-codes", "r", "mem help exit-codes"},
		{"mem --root x ls", "r", "mem --root x ls"},
	} {
		if got := withRoot(c.hint, c.root); got != c.want {
			t.Errorf("%s: %s, want %s", c.hint, got, c.want)
		}
	}
}

func TestHintsKnowTheVerbsOfAStore(t *testing.T) {
	var want []string
	for _, v := range verbs {
		if !slices.Contains([]string{"copy", "hook", "prompt", "trust", "version"}, v.name) {
			want = append(want, v.name)
		}
	}
	slices.Sort(want)
	if got := strings.Split(ofStore, "|"); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
