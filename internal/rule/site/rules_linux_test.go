package site_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/rule/site"
)

// The rules of one server bind in a store that a person has let in: not those of another server in
// its place, nor any after the trust has ended.
func TestRulesOfAServer(t *testing.T) {
	t.Parallel()
	state, root := t.TempDir(), filepath.Join(t.TempDir(), ".mem")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	book := site.OpenBook(func(name string) string {
		return map[string]string{"XDG_STATE_HOME": state}[name]
	}, "")
	grant, err := book.Grant(root, 1)
	if err != nil {
		t.Fatal(err)
	}
	const url = "https://memd.example/t1"
	server := site.ServerID(url, "token", "certificate")
	takes := func(what string, id string, want bool) {
		t.Helper()
		if got := book.TakesRules(grant, id); got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	takes("nobody has said so", server, false)
	takes("a server without identity", "", false)
	if err := book.LetRulesIn(grant, server); err != nil {
		t.Fatal(err)
	}
	takes("that server", server, true)
	takes("no server", "", false)
	for id, want := range map[string]string{server: root, "other": "", "": ""} {
		got, err := book.RuledBy(id)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("ruled by %q: %v, %v", id, got, err)
		}
	}
	for what, id := range map[string]string{
		"another address": site.ServerID("https://memd.example:8443/t1", "token",
			"certificate"),
		"another name":        site.ServerID("https://other.example/t1", "token", "certificate"),
		"another tenant":      site.ServerID("https://memd.example/t2", "token", "certificate"),
		"another token":       site.ServerID(url, "token2", "certificate"),
		"another certificate": site.ServerID(url, "token", ""),
	} {
		takes(what, id, false)
	}
	if g := grant; !book.HasRules(g) || book.LetRulesIn(site.Grant{ID: "../x"}, server) == nil {
		t.Error("a file outside of the book")
	}
	if was, err := book.RevokeRules(grant); !was || err != nil {
		t.Errorf("taken back: %v, %v", was, err)
	}
	takes("taken back", server, false)
	if was, err := book.RevokeRules(grant); was || err != nil {
		t.Errorf("taken back twice: %v, %v", was, err)
	}
	if err := book.LetRulesIn(grant, server); err != nil {
		t.Fatal(err)
	}
	if was, err := book.Revoke(root); !was || err != nil {
		t.Fatalf("%v, %v", was, err)
	}
	takes("the store is not trusted", server, false)
	names, err := os.ReadDir(filepath.Join(state, "mem", "rules"))
	if len(names) > 0 || err != nil {
		t.Errorf("left: %v, %v", names, err)
	}
}
