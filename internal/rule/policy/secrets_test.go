package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
)

// madeUp is a token that never was one, put together so that no scanner takes this file for a leak.
const madeUp = "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J0kAlBmCnDoEpFqGr"

func TestCheckSecrets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key, content, source string
		allowed              []string
		want                 string // the refusal; empty: admitted
	}{
		{"/user/x", `{"text":"no secret"}`, `"chat"`, nil, ""},
		{"/user/x", `{"text":"a T"}`, `"chat"`, nil, "secret: content.text, characters 3 to 42: " +
			"github-pat"},
		{"/user/x", `1`, `{"locator":{"url":"https://x/?t=T"}}`, nil,
			"secret: source.locator.url, characters 14 to 53: github-pat"},
		{"/user/T", `1`, `"chat"`, nil, "secret: key, characters 7 to 46: github-pat"},
		{"/env/DB_PASSWORD=P", `1`, `"chat"`, nil,
			"secret: key, characters 18 to 24: credential-marker"},
		{"/db", `{"db":{"password":"P"}}`, `"chat"`, nil,
			"secret: content.db.password, characters 1 to 7: credential-marker"},
		{"/user/x", `1`, `{"locator":{"url":"https://ada:P@x.com/"}}`, nil,
			"secret: source.locator.url, characters 13 to 19: url-password"},
		{"/user/x", `{"text":"a T"}`, `"chat"`, []string{"github-pat"}, ""},
		{"/user/x", `{"text":"a T"}`, `"chat"`, []string{"gitlab-pat"},
			"secret: content.text, characters 3 to 42: github-pat"},
		{"/user/x", `["T","T","T","T","T"]`, `"chat"`, nil,
			"secret: content[0], characters 1 to 40: github-pat; content[1], characters 1 to " +
				"40: github-pat; " +
				"content[2], characters 1 to 40: github-pat; and 2 more"},
		// A memory with a secret can be deleted, but not with another secret in the source.
		{"/user/T", `null`, `{"locator":{"key":"/user/T"}}`, nil, ""},
		{"/user/x", `null`, `"T"`, nil, "secret: source, characters 1 to 40: github-pat"},
		// Notes are refused in the words of N-14, and by the words of N-15 and N-16.
		{"/note/user/m-1", `{"text":"a T"}`, `"chat"`, nil,
			"text appears to contain a secret — not stored: content.text, characters 3 to 42: " +
				"github-pat"},
		{"/note/user/m-1", `{"text":"password: swordfish"}`, `"chat"`, nil,
			"text appears to contain a secret — not stored: content.text, characters 11 to 19: " +
				"credential-marker"},
		{"/untrusted/note/m-1", `{"text":"sk-ab"}`, `"chat"`, nil,
			"text appears to contain a secret — not stored: content.text, characters 1 to 5: " +
				"token-prefix"},
		{"/note/user/m-1", `{"text":"Authorization: Bearer abcdef"}`, `"chat"`, nil,
			"text appears to contain a secret — not stored: content.text, characters 23 to 28: " +
				"credential-marker"},
		{"/note/user/m-1", `{"text":"password: ask Ada"}`, `"chat"`, nil, ""},
		{"/notes/m-1", `{"text":"password: swordfish"}`, `"chat"`, nil, ""},
		{"/note/user/m-1", `{"text":"task-list, risk-free"}`, `"chat"`, nil, ""},
	} {
		t.Run("", func(t *testing.T) {
			fill := strings.NewReplacer("T", madeUp, ":P@", ":hunter2@", `"P"`, `"hunter2"`, "=P",
				"=hunter2").Replace
			f := facts(backend.Caller{}, Set, 0, fill(c.key), fill(c.content), fill(c.source))
			err := f.checkSecrets(&Ground{Allowed: c.allowed})
			if c.want == "" && err == nil {
				return
			}
			if !errors.Is(err, ErrSecret) || err.Error() != c.want {
				t.Errorf("%s %s from %s: %v, want %s", c.key, c.content, c.source, err, c.want)
			}
		})
	}
}

// A write is clean, so that the journal may name it as it is, where the scan found nothing at all.
func TestClean(t *testing.T) {
	t.Parallel()
	const random = "Zq8vT2xKp4LmN7wR9yHc3JdF6gSaU1bE5oXi0tQz"
	for _, c := range []struct {
		key, content string
		want         bool
	}{
		{"/user/x", `"words"`, true},
		{"/event/s1/evt_" + ulid, `{"session_id":"s1"}`, true},
		{"/event/" + random + "/evt_" + ulid, `{"session_id":"` + random + `"}`, false},
		{"/user/x", `"` + madeUp + `"`, false},
		{"/user/x", "null", false}, // its key may be the secret that is deleted
	} {
		f := facts(backend.Caller{}, Set, 0, c.key, c.content, `"chat"`)
		err := f.checkSecrets(&Ground{Allowed: []string{"github-pat"}})
		if err != nil || f.Clean() != c.want {
			t.Errorf("%s: %v, want %v, %v", c.key, f.Clean(), c.want, err)
		}
	}
}

// Whatever is printed of a refusal, the secret is not in it.
func TestRefusalsDoNotTell(t *testing.T) {
	t.Parallel()
	hidden := string(jsontext.AppendString(nil, madeUp))
	f := facts(backend.Caller{}, Set, 0, "/a/"+madeUp,
		fmt.Sprintf(`{%s:[%s]}`, hidden, hidden), hidden)
	err := f.checkSecrets(&Ground{})
	var refusal *SecretError
	if !errors.As(err, &refusal) || len(refusal.Found) != 4 {
		t.Fatalf("%v", err)
	}
	told := fmt.Sprintf("%v %+v %#v %s", err, refusal, refusal, refusal.Advice().String())
	for i := range len(madeUp) - 8 {
		if strings.Contains(told, madeUp[i:i+8]) {
			t.Errorf("%s tells %s", told, madeUp[i:i+8])
		}
	}
	if want := "--allow-secret github-pat lets it pass"; strings.Count(refusal.Advice().String(),
		"--allow-secret") != 1 || !strings.Contains(refusal.Advice().String(), want) {
		t.Errorf("hint %q", refusal.Advice().String())
	}
}

func TestCheckAllowed(t *testing.T) {
	t.Parallel()
	if err := CheckAllowed([]string{"github-pat", "random-blob"}); err != nil {
		t.Error(err)
	}
	if err := CheckAllowed([]string{"github-pat", "no-such"}); err == nil ||
		!strings.Contains(err.Error(), `"no-such"`) {
		t.Error(err)
	}
}
