package serve

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

var adas = Token{Tenant: "t1", Agents: []string{"ada"}}

func newTokens(t *testing.T) *Tokens {
	t.Helper()
	root, err := MakeRoot(filepath.Join(storetest.Dir(t), "root"))
	if err != nil {
		t.Fatal(err)
	}
	tokens := NewTokens(root, time.Now, time.Minute)
	t.Cleanup(tokens.Close)
	return tokens
}

// The root keeps of a token all but the token, in a file for its owner alone.
func TestTokenIsKeptHashed(t *testing.T) {
	tokens := newTokens(t)
	token, secret, err := tokens.Add(t.Context(), Token{Tenant: "t1",
		Agents: []string{"grace", "ada", "ada"}})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^mem_[0-9A-Za-z]{43}$`).MatchString(secret) {
		t.Errorf("token %q", secret)
	}
	path := filepath.Join(tokens.root.path, TokensFile)
	text, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(text), secret[4:]) {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	got, ok, err := tokens.Check(secret)
	if !ok || err != nil || got.ID != token.ID || strings.Join(got.Agents, " ") != "ada grace" {
		t.Errorf("%+v %v %v", got, ok, err)
	}
	list, err := tokens.List()
	if err != nil || len(list) != 1 || list[0].ID != token.ID || list[0].Tenant != "t1" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTokensThatAreRefused(t *testing.T) {
	tokens := newTokens(t)
	for _, c := range []struct {
		tenant string
		agents []string
	}{
		{"..", []string{"ada"}}, {"", []string{"ada"}}, {"a/b", []string{"ada"}},
		{"t1", nil}, {"t1", []string{""}}, {"t1", []string{".."}}, {"t1", []string{"a b"}},
	} {
		_, _, err := tokens.Add(t.Context(), Token{Tenant: c.tenant, Agents: c.agents})
		if !errors.Is(err, mem.ErrInput) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := tokens.Revoke(t.Context(), "nonsense"); !errors.Is(err, ErrNoToken) ||
		mem.KindOf(err) != mem.KindNo {
		t.Errorf("%v", err)
	}
	if _, ok, err := tokens.Check(""); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

// A file that cannot be read lets nobody in, and nobody writes over it.
func TestTokensThatCannotBeRead(t *testing.T) {
	tokens := newTokens(t)
	_, secret, err := tokens.Add(t.Context(), adas)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(tokens.root.path, TokensFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "{", `{"version":2,"tokens":[]}`} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, ok, err := tokens.Check(secret); ok || mem.KindOf(err) != mem.KindIO {
				t.Errorf("%q: %v %v", bad, ok, err)
			}
		}
		if _, _, err := tokens.Add(t.Context(), adas); err == nil {
			t.Errorf("%q was written over", bad)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := tokens.Check(secret); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := tokens.Check(secret); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

// Of many who add at once none loses another's token.
func TestTokensOfMany(t *testing.T) {
	tokens := newTokens(t)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			other := NewTokens(tokens.root, time.Now, time.Minute)
			if _, _, err := other.Add(t.Context(), adas); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := tokens.List(); err != nil || len(list) != 16 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

func TestRootThatIsAMemory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, log.File), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := MakeRoot(dir)
	if mem.KindOf(err) != mem.KindInput || mem.Hint(err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := OpenRoot(dir); mem.KindOf(err) != mem.KindInput || mem.Hint(err) == "" {
		t.Errorf("%v", err)
	}
	none := filepath.Join(dir, "none")
	if _, err := OpenRoot(none); mem.KindOf(err) != mem.KindInput {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was made: %v", err)
	}
}

// Each write by a token has a name, those of older tokens too.
func TestTokenOfMember(t *testing.T) {
	tokens := newTokens(t)
	for _, c := range []struct {
		agents       []string
		person       bool
		member, want string
	}{
		{agents: []string{"ada"}, member: "Ada.L", want: "Ada.L"},
		{agents: []string{"bob", "ada"}, want: "ada"},
		{agents: []string{"ada"}, person: true, want: "ada"},
		{agents: []string{"ada@home"}},
		{person: true},
		{person: true, member: strings.Repeat("a", 64), want: strings.Repeat("a", 64)},
	} {
		wanted := Token{Tenant: "t1", Agents: c.agents, Person: c.person, Member: c.member}
		token, secret, err := tokens.Add(t.Context(), wanted)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			c.want = token.ID
		}
		got, ok, err := tokens.Check(secret)
		older := got
		older.Member = ""
		if err != nil || !ok || got.Name() != c.want || c.member == "" && older.Name() != c.want {
			t.Errorf("%+v: %q, %q, %v", c, got.Name(), older.Name(), err)
		}
	}
	for _, name := range []string{"a b", "a/b", "ö", "a@b", "a\n", strings.Repeat("a", 65)} {
		_, _, err := tokens.Add(t.Context(), Token{Tenant: "t1", Person: true, Member: name})
		if !errors.Is(err, mem.ErrInput) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
