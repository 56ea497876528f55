package content_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

func TestOrigin(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		``:                          "",
		`"chat"`:                    "",
		`"web"`:                     "",
		`" HTTPS://example.org/a"`:  "web",
		`"see https://example.org"`: "",
		`{}`:                        "",
		`{"name":"chat"}`:           "",
		`{"kind":"user"}`:           "user",
		`{"kind":"system","given":{"kind":"web"},"name":"quarantine"}`: "web",
		`{"kind":"user","given":{"kind":"web"}}`:                       "user",
		`{"kind":"system","given":"x"}`:                                "",
		`{"name":"x","kind":"import"}`:                                 "import",
		`{"Kind":"web"}`:                                               "web",
		`{"k_ind":"tool"}`:                                             "tool",
		`{"\u006bind":"file"}`:                                         "file",
		`{"kind":"we\u0062\n- forged"}`:                                "web\n- forged",
		`{"kind":1,"name":"x"}`:                                        "",
		`{"kind":["web"]}`:                                             "",
		`{"locator":{"kind":"web"}}`:                                   "",
		`{"url":"x"}`:                                                  "web",
		`{"kind":"","URI":null}`:                                       "web",
		`{"kind":"user","url":"x"}`:                                    "user",
		`{"locator":"http://a"}`:                                       "web",
		`{"locator":{"url":"x"}}`:                                      "web",
		`{"locator":{"a":"http://a"}}`:                                 "web",
		`{"locator":{"a":["http://"]}}`:                                "",
		`{"locator":"/etc/passwd"}`:                                    "",
		`{"kind":"web"`:                                                "web",
	} {
		if got := content.Origin([]byte(source)); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
		own := want == "" || want == "user" || want == "agent"
		if got := content.IsOwn([]byte(source)); got != own {
			t.Errorf("%s is own: %v", source, got)
		}
	}
}

func TestAuthorName(t *testing.T) {
	for source, want := range map[string]string{
		`{"kind":"user","name":"mem note"}`:                             "you",
		`{"kind":"agent","name":"codex","locator":{"session":"s1"}}`:    "codex",
		`{"kind":"agent","name":"mem note","locator":{"scope":"user"}}`: "agent",
		`{"kind":"agent"}`: "agent", `{"kind":"web","name":"wiki"}`: "web",
		`"chat"`: "unknown", `{"name":"x"}`: "unknown", ``: "unknown",
	} {
		if got := content.AuthorName([]byte(source)); got != want {
			t.Errorf("%s is of %q, want %q", source, got, want)
		}
	}
}
