package text

import "testing"

func TestTypos(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xyz", 3},
		{"kitten", "sitting", 3}, {"", "abc", 3}} {
		if got := typos(c.a, c.b, 9); got != c.want || typos(c.b, c.a, 9) != c.want {
			t.Errorf("%s, %s: %d", c.a, c.b, got)
		}
	}
}

func TestNearestOfTwo(t *testing.T) {
	for _, c := range []struct {
		word, want string
		list       []string
	}{
		{"nots", "notes", []string{"note", "notes"}},
		{"gett", "get", []string{"set", "get"}},
		{"not", "note", []string{"note", "notes"}},
	} {
		if got := Nearest(c.word, c.list); got != c.want {
			t.Errorf("%s: %q, want %q", c.word, got, c.want)
		}
	}
}
