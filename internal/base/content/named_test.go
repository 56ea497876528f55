package content

import "testing"

// A member has the name that FoldName makes of it, whatever its spelling.
func TestIsNamed(t *testing.T) {
	names := []string{"", "kind", "Kind", "KIND", "k_i-n_d", "-kind_", "kinds", "kin", "\u212Aind",
		"kınd", "url", "U-R_L", "kind\xff", "\xffkind", "k\u00cfnd", "ki", "locator", "kind\u0301"}
	for _, name := range names {
		for _, folded := range []string{"kind", "url", "locator", "claimed"} {
			want := FoldName(name) == folded
			if got := isNamed([]byte(name), folded); got != want {
				t.Errorf("%q is %s: %t, want %t", name, folded, got, want)
			}
		}
	}
}

// A successor is found by an escaped name, too.
func TestSuccessor(t *testing.T) {
	for text, want := range map[string]string{
		`{"superseded_by":"/a"}`: "/a", `{"\u0073uperseded_by":"/a"}`: "/a", `"superseded_by"`: "",
		`{"text":"superseded_by","x":{"superseded_by":"/a"}}`: "", `{}`: "", `null`: "",
	} {
		if got := Successor([]byte(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
