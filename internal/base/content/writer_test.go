package content_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

func TestWithWriter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, name, want string }{
		{`"chat"`, "", `"chat"`},
		{`"chat"`, "ada", `{"name":"chat","member":"ada"}`},
		{`{"kind":"agent","member":"bob"}`, "ada", `{"kind":"agent","member":"ada"}`},
		{`{"Member":"bob","MEM-BER":"eve","kind":"agent"}`, "ada",
			`{"kind":"agent","member":"ada"}`},
		{`{"kind":"agent","member":"bob"}`, "", `{"kind":"agent"}`},
		{`{"kind":"agent"}`, "", `{"kind":"agent"}`},
		{`{"member":{"a":1}}`, "ada", `{"member":"ada"}`},
	} {
		got := string(content.WithWriter([]byte(c.source), c.name))
		if got != c.want {
			t.Errorf("%s by %q: %s, want %s", c.source, c.name, got, c.want)
		}
		if by := content.Writer([]byte(got)); by != c.name {
			t.Errorf("%s: by %q, want %q", got, by, c.name)
		}
	}
}

func TestAuthorNameInATeam(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`{"kind":"user","name":"mem set","member":"ada"}`:                             "ada",
		`{"kind":"agent","name":"mem note","member":"ada"}`:                           "ada",
		`{"kind":"agent","name":"x","locator":{"agent":"bot"},"member":"ada"}`:        "bot of ada",
		`{"kind":"agent","name":"mem note","locator":{"agent":"ada"},"member":"ada"}`: "ada",
		`{"kind":"web","member":"ada"}`:                                               "web",
	} {
		if got := content.AuthorName([]byte(source)); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
