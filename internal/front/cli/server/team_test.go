package server

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/page"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/test/storetest"
)

// team is a server in this process with all its fronts, and the memory of its tenant t1. That
// passes a full fsck at the end.
type team struct {
	*testing.T
	store  string // the files of the memory
	url    string // of the memory
	secret map[string]string
	pages  *pages

	browser            *http.Client // that was invited to the page; nil: none was yet
	pageURL, formToken string
}

// build returns memd's, with the verbs that a team uses.
func build() app.Build {
	return app.Build{Program: "memd", Version: "test", Commit: "test",
		Verbs: Verbs, Serve: cli.Serve, Doctor: cli.Doctor, Keys: LoadKeys,
		Connect: Connect, Migrate: Migrate, Forward: Forward, Ask: Ask,
		Answer: Answer, Give: GiveTo, Server: ServerOf}
}

// newTeam serves to a person, boss, and to the agents of the members ada and ben.
func newTeam(t *testing.T) *team {
	t.Helper()
	dir := storetest.Dir(t)
	for _, sign := range setup.Signs {
		t.Setenv(sign.Variable, "")
	}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	root, err := serve.MakeRoot(filepath.Join(dir, "served"))
	if err != nil {
		t.Fatal(err)
	}
	l := &serve.Listeners{}
	if err := l.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	tm := &team{T: t, secret: map[string]string{},
		store: filepath.Join(dir, "served", "tenants", "t1"),
		url:   l.Origin() + "/t1",
		pages: &pages{host: &app.App{Build: build(), Getenv: os.Getenv}, root: root,
			log: slog.New(slog.DiscardHandler), origin: l.Origin(),
			all: map[string]*page.Page{}}}
	server := tm.pages.server(serve.Options{Clock: time.Now, Log: tm.pages.log,
		Store: mem.Options{Now: time.Now, LockWait: mem.DefaultLockWait}})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		tm.here("", 0, "fsck")
	})
	for _, name := range []string{"ada", "ben", "boss"} {
		args := []string{"token", "add", "t1", "--member", name, "--agent", name + "-bot"}
		if name == "boss" {
			args[len(args)-2], args = "--person", args[:len(args)-1]
		}
		args = append(args, "--root", filepath.Join(dir, "served"), "--yes", "-q")
		_, secret, _ := tm.run(nil, args...)
		tm.secret[name] = strings.TrimSpace(secret)
	}
	return tm
}

// run runs a command line, and returns its exit code and what it prints.
func (tm *team) run(stdin io.Reader, args ...string) (exit int, out, says string) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	var stdout, stderr bytes.Buffer
	exit = cli.Run(args, stdin, &stdout, &stderr, build())
	return exit, stdout.String(), stderr.String()
}

// here runs a command line on the files of the memory, for a client or, where that is "", for a
// person.
func (tm *team) here(client string, exit int, args ...string) string {
	tm.Helper()
	tm.Setenv("CLAUDECODE", client)
	tm.Setenv("MEM_ROOT", tm.store)
	defer tm.Setenv("CLAUDECODE", "")
	got, out, says := tm.run(nil, args...)
	if got != exit {
		tm.Errorf("%q: exit %d, want %d: %s%s", args, got, exit, out, says)
	}
	return out + says
}

// at runs a command line at the server, with the token of a member.
func (tm *team) at(member string, stdin io.Reader, args ...string) (exit int, out, says string) {
	tm.Helper()
	file := filepath.Join(tm.TempDir(), "tokens")
	origin := strings.TrimSuffix(tm.url, "/t1")
	if err := os.WriteFile(file, []byte(origin+" "+tm.secret[member]+"\n"), 0o600); err != nil {
		tm.Fatal(err)
	}
	tm.Setenv("MEM_TOKEN_FILE", file)
	tm.Setenv("MEM_ROOT", tm.url)
	return tm.run(stdin, args...)
}

// typist is a terminal at which somebody types texts, each of which one prompt takes.
type typist struct {
	typed []string
	asked int
	now   func() // runs before the answer to the last prompt
	rest  io.Reader
}

func (d *typist) IsTerminal() bool { return true }

func (d *typist) Read(p []byte) (int, error) {
	if d.rest == nil {
		if d.asked == len(d.typed) {
			return 0, io.EOF
		}
		if d.asked++; d.asked == len(d.typed) && d.now != nil {
			d.now()
		}
		d.rest = strings.NewReader(d.typed[d.asked-1])
	}
	n, err := d.rest.Read(p)
	if err == io.EOF {
		d.rest = nil
	}
	return n, err
}

// A person at a team's server decides on all that waits there with one answer: the token is asked
// for once and kept nowhere, and what changed since it was shown is named and stays.
func TestApproveAllAtAServer(t *testing.T) {
	tm := newTeam(t)
	if exit, _, says := tm.at("ada", &typist{}, "approve", "--all"); exit != 1 ||
		!strings.Contains(says, "nothing waits here") {
		t.Errorf("nothing waits: exit %d: %s", exit, says)
	}
	tm.at("boss", nil, "set", "/user/style", "--type", "preference", "--text", "spaces", "-s", "me")
	tm.at("boss", nil, "set", "/user/tone", "--type", "preference", "--text", "short", "-s", "me")
	tm.at("ada", nil, "set", "/user/style", "--text", "tabs", "-s", "chat", "--propose", "-q")
	tm.at("ben", nil, "forget", "/user/tone", "--propose", "-q")
	tm.at("ben", nil, "note", "Never push to main", "--pin", "-q")
	tm.at("ada", nil, "set", "/kb/port", "8080", "-s", "web", "--on-untrusted", "quarantine", "-q")
	for _, args := range [][]string{{"approve", "--all"}, {"approve", "--all", "--yes"},
		{"reject", "--all", "--yes"}} {
		exit, out, says := tm.at("ada", nil, args...)
		if exit != 3 || out != "" || strings.Count(says, "\n") != 2 ||
			!strings.Contains(says, "for which mem asks at a terminal") {
			t.Errorf("%q without a terminal: exit %d: %s%s", args, exit, out, says)
		}
	}
	exit, _, says := tm.at("boss", nil, "approve", "--all")
	if exit != 2 || !strings.Contains(says, "no terminal to ask") {
		t.Errorf("a person's script: exit %d: %s", exit, says)
	}
	_, list, _ := tm.at("ada", nil, "approve")
	typed := &typist{typed: []string{tm.secret["boss"] + "\n", "y\n"}}
	typed.now = func() {
		tm.here("", 0, "set", "/user/tone", "--type", "preference", "--text", "long", "-s", "me",
			"-q")
	}
	exit, out, says := tm.at("ada", typed, "approve", "--all")
	for line := range strings.Lines(list) {
		if !strings.HasPrefix(line, "/untrusted/") && !strings.Contains(says, line) {
			t.Errorf("it does not show %q: %s", line, says)
		}
	}
	if exit != 4 || typed.asked != 2 ||
		!strings.Contains(says, "3 proposed changes and 1 quarantined write?") ||
		!strings.Contains(says, ": it changed since it was shown") ||
		!strings.Contains(out, "stored: p-") || !strings.Contains(out, "/kb/port") {
		t.Errorf("exit %d after %d prompts: %s%s", exit, typed.asked, out, says)
	}
	for key, want := range map[string]string{"/user/style": "tabs", "/user/tone": "long",
		"/kb/port": "8080", "m-1": `"pinned":true`} {
		if got := tm.here("", 0, "get", key); !strings.Contains(got, want) {
			t.Errorf("%s holds %s", key, got)
		}
	}
	if left := tm.here("", 0, "approve", "--json", "--jq", ".proposals | length"); left != "1\n" {
		t.Errorf("%s wait", left)
	}
	err := filepath.WalkDir(os.Getenv("HOME"), func(path string, e os.DirEntry, err error) error {
		if text, _ := os.ReadFile(path); bytes.Contains(text, []byte(tm.secret["boss"])) {
			t.Errorf("%s has the token", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
