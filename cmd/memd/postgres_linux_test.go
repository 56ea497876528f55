package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem/internal/test/pgtest"
)

// onDatabase starts memd on a database with these spaces, each with a role of its own, and returns
// it with the URL.
func onDatabase(t *testing.T, server *pgtest.Server, spaces ...string) (*daemon, string) {
	t.Helper()
	url := server.Database(t)
	bin := programs(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	mem := func(args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "mem"), append(args, "--root", url)...)
		if got := run(t, cmd); got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
	}
	mem("migrate")
	for _, space := range spaces {
		mem("space", "add", space)
	}
	dir := newRoot(t)
	if err := os.MkdirAll(filepath.Join(dir, "tenants"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, root: url, bin: bin, log: filepath.Join(t.TempDir(), "log")}
	t.Cleanup(func() {
		if !d.ended {
			d.stop()
		}
		for _, space := range spaces {
			cmd := exec.Command(filepath.Join(bin, "mem"), "fsck", "--root", url+"&space="+space)
			if got := run(t, cmd); got.code != 0 {
				t.Errorf("fsck of %s: %+v", space, got)
			}
		}
	})
	d.start("--socket", filepath.Join(dir, "s"))
	return d, url
}

// The spaces of a database are the tenants of a server: each sees its own, one that is not there is
// a 404, and both go on when PostgreSQL was restarted.
func TestServeDatabase(t *testing.T) {
	server := pgtest.Own(t)
	d, url := onDatabase(t, server, "one", "two")
	post := func(tenant, text string) int {
		t.Helper()
		got, err := d.ask("POST", "/api/v1/events", event(tenant, "s1", text))
		if err != nil {
			t.Fatal(err)
		}
		return got.status
	}
	if a, b := post("one", "first of one"), post("two", "first of two"); a != 201 || b != 201 {
		t.Fatalf("%d and %d", a, b)
	}
	if got := post("three", "of nobody"); got != http.StatusNotFound {
		t.Errorf("a tenant without a space: %d", got)
	}
	got, err := d.ask("GET", "/api/v1/memories?tenant_id=one&prefix=/event", nil)
	if err != nil || !strings.Contains(string(got.body), "first of one") ||
		strings.Contains(string(got.body), "first of two") {
		t.Errorf("%d %s %v", got.status, got.body, err)
	}
	list := listOf(t, "list of two")
	for _, e := range list {
		e["tenant_id"] = "two"
	}
	list[3]["kind"] = "joke"
	first, err := d.ask("POST", "/api/v1/events", list)
	again, failed := d.ask("POST", "/api/v1/events", list)
	if err != nil || failed != nil || first.status != 200 ||
		strings.Count(string(first.body), "chunk_ids") != len(list)-1 ||
		string(again.body) != string(first.body) {
		t.Errorf("%s, then %s: %v %v", first.body, again.body, err, failed)
	}
	if err := server.Down("fast"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		all.Go(func() {
			got, err := d.ask("POST", "/api/v1/events", event("one", "s1", fmt.Sprint("later ", i)))
			if err == nil {
				statuses[i] = got.status
			}
		})
	}
	if err := server.Up(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if slices.ContainsFunc(statuses, func(s int) bool { return s != 201 }) {
		t.Errorf("while PostgreSQL was restarted: %v", statuses)
	}
	cmd := exec.Command(filepath.Join(d.bin, "mem"), "query", "--history", "--root",
		url+"&space=one", `select(.key|startswith("/event/"))|.content.content.text`)
	there := run(t, cmd)
	if lines := strings.Count(there.out, "\n"); lines != 9 || there.code != 0 {
		t.Errorf("%d events are there: %+v", lines, there)
	}
}

// A token lets its tenant in over the network, until it is revoked.
func TestTokensOfDatabase(t *testing.T) {
	server := pgtest.Shared(t)
	url := server.Database(t)
	bin := programs(t)
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	mem := func(code int, args ...string) string {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "mem"), append(args, "--root", url)...)
		got := run(t, cmd)
		if got.code != code {
			t.Fatalf("%v: %+v", args, got)
		}
		return strings.TrimSpace(got.out)
	}
	mem(0, "migrate")
	mem(0, "space", "add", "one", "--no-role")
	secret := mem(0, "token", "add", "--yes", "one", "--agent", "ada")
	mem(1, "token", "add", "--yes", "nobody", "--agent", "ada")
	mem(0, "token", "add", "--yes", "one", "--person")
	if list := mem(0, "token", "list"); !strings.Contains(list, "one\ta person\t") {
		t.Errorf("no person: %s", list)
	}
	if list := mem(0, "token", "list"); !strings.Contains(list, "one\tada") ||
		strings.Contains(list, secret) {
		t.Errorf("list: %s", list)
	}
	_, name, _ := strings.Cut(url, "@/")
	name, _, _ = strings.Cut(name, "?")
	rows := server.SQL(t, name, "SELECT * FROM mem.tokens")
	if strings.Contains(rows, strings.TrimPrefix(secret, "mem_")) {
		t.Error("the database has the token itself")
	}
	mem(0, "token", "revoke", secret)
	mem(1, "token", "revoke", secret)
}

// Where another user has put something in the place of the socket's directory, no server serves and
// no client asks there; a socket elsewhere and the tokens need no such directory.
func TestSocketsDirectoryIsPrivate(t *testing.T) {
	bin, temp := programs(t), newDir(t)
	dir := filepath.Join(temp, fmt.Sprintf("memd-%d", os.Getuid()))
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", temp)
	mem := func(want string, args ...string) {
		t.Helper()
		// Without a server, and with an address that ends a server which has got so far.
		cmd := exec.Command(filepath.Join(bin, "memd"), append(args,
			"--root", "postgres://127.0.0.1:1/none", "--log-level", "error")...)
		got := run(t, cmd)
		if !strings.Contains(got.stderr, want) || got.code != 2 {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
	mem(": "+dir+": it must be", "serve", "--listen", "nonsense")
	mem(": "+dir+": it must be", "page", "--tenant", "one", "--no-open", "--yes")
	mem("--listen nonsense", "serve", "--listen", "nonsense", "--socket", filepath.Join(temp, "s"))
}
