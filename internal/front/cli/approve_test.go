package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
)

// person is a terminal at which somebody answers yes, and something happens before.
type person struct {
	before func()
	typed  io.Reader
}

func (p *person) IsTerminal() bool { return true }

func (p *person) Read(b []byte) (int, error) {
	if p.typed == nil {
		p.before()
		p.typed = strings.NewReader("y\n")
	}
	return p.typed.Read(b)
}

// desk is a store with two versions of a key, in the environment.
func desk(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "memory")
	t.Setenv("MEM_ROOT", root)
	t.Setenv("MEM_NOW", "2026-02-22T10:00:00Z")
	t.Setenv("TERM", "xterm")
	t.Setenv("TMPDIR", t.TempDir())
	answered(t, "", "set", "/a", `{"text":"the first"}`, "-s", "t", "-q")
	answered(t, "", "set", "/a", `{"text":"the second"}`, "-s", "t", "-q")
	t.Cleanup(func() { answered(t, "", "fsck") })
	return root
}

// What mem approve lists is what --all decides on: a key that waits in two layers is two writes.
func TestListHasEachWriteOfAKey(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "app")
	for _, dir := range []string{"refs", "objects"} {
		if err := os.MkdirAll(filepath.Join(project, ".git", dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	head := filepath.Join(project, ".git", "HEAD")
	if err := os.WriteFile(head, []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	t.Setenv("HOME", home)
	t.Setenv("MEM_ROOT", "")
	for _, layer := range []string{"project", "user"} {
		answered(t, "", "set", "/kb/x", `{"text":"`+layer+`"}`, "-s", "web", "--on-untrusted",
			"quarantine", "-q", "--layer", layer)
	}
	listed := answered(t, "", "approve", "--json")
	for _, layer := range []string{"project", "user"} {
		if !strings.Contains(listed, `"summary":"`+layer+`"`) ||
			!strings.Contains(listed, `"layer":"`+layer+`"`) {
			t.Errorf("that of the %s layer is missing in %s", layer, listed)
		}
	}
	decided := answered(t, "", "approve", "--all", "--yes", "--json")
	if n := strings.Count(decided, "/kb/x"); n != 2 {
		t.Errorf("%d were decided: %s", n, decided)
	}
	for _, layer := range []string{"project", "user"} {
		answered(t, "", "fsck", "--layer", layer)
	}
}

// What is written between the question and its answer is not approved: nothing is stored.
func TestAnswersAreAboutWhatWasShown(t *testing.T) {
	const spaces = `{"type":"preference","text":"spaces"}`
	const tabs = `{"type":"preference","text":"tabs"}`
	quarantine := func(t *testing.T, text string) {
		answered(t, "", "set", "/kb/x", text, "-s", "web", "--on-untrusted", "quarantine", "-q")
	}
	sourced := func(t *testing.T, key, text string) {
		answered(t, "", "set", key, text, "--kind", "web", "--name", "x",
			"--url", "https://x.example", "-q")
	}
	for name, c := range map[string]struct {
		before func(*testing.T)
		args   string
		since  func(*testing.T)
		key    string
		want   string
		shows  []string
	}{
		"another line": {func(t *testing.T) { quarantine(t, "1") }, "approve /kb/x",
			func(t *testing.T) { quarantine(t, "2") }, "/kb/x", "", []string{"  1\n"}},
		"over another memory": {func(t *testing.T) {
			sourced(t, "/kb/x", "0")
			quarantine(t, "1")
		}, "approve --force /kb/x", func(t *testing.T) { sourced(t, "/kb/x", "5") }, "/kb/x", "5\n",
			[]string{"now: 0\n", "new: 1\n"}},
		"a live memory": {func(t *testing.T) {
			t.Setenv("MEM_AGENT", "ada")
			answered(t, "", "set", "/user/a", "1", "-s", "x", "-q")
			t.Setenv("MEM_AGENT", "")
		}, "approve /user/a", func(t *testing.T) {
			answered(t, "", "set", "/user/a", "2", "-s", "x", "-q")
		}, "/user/a", "2\n", []string{"  1\n"}},
		"a proposal": {func(t *testing.T) {
			answered(t, "", "set", "/user/style", spaces, "-s", "me", "-q")
			t.Setenv("CLAUDECODE", "1")
			answered(t, "", "forget", "/user/style", "--propose", "-q")
			t.Setenv("CLAUDECODE", "")
		}, "approve PROPOSAL", func(t *testing.T) {
			answered(t, "", "set", "/user/style", tabs, "-s", "me", "-q")
		}, "/user/style", tabs + "\n", []string{"spaces"}},
	} {
		t.Run(name, func(t *testing.T) {
			desk(t)
			for _, sign := range []string{"CLAUDECODE", "MEM_AGENT"} {
				t.Setenv(sign, "")
			}
			c.before(t)
			args := strings.Fields(c.args)
			if args[1] == "PROPOSAL" {
				args[1] = strings.TrimSpace(answered(t, "", "approve", "--jq", ".proposals[0].id"))
				args[1] = strings.Trim(args[1], `"`)
			}
			var out, says bytes.Buffer
			typed := &person{before: func() { c.since(t) }}
			exit := Run(args, typed, &out, &says, testBuild)
			if exit != 4 || typed.typed == nil {
				t.Errorf("exit %d: %s%s", exit, &out, &says)
			}
			for _, text := range c.shows {
				if !strings.Contains(says.String(), text) {
					t.Errorf("it does not show %q: %s", text, &says)
				}
			}
			out.Reset()
			Run([]string{"get", c.key}, strings.NewReader(""), &out, io.Discard, testBuild)
			if out.String() != c.want {
				t.Errorf("it holds %q, want %q", out.String(), c.want)
			}
		})
	}
}

// Of all proposed facts those are stored that were shown before the question; what hooks propose
// since waits, and nothing is stored that was decided since.
func TestAllFactsAreThoseShown(t *testing.T) {
	root := desk(t)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	state := site.OpenBook(os.Getenv, os.Getenv("HOME")).Dir()
	box := inbox.In(state, time.Now) // it ages by the system's clock
	propose := func(text string) {
		_, err := box.Propose(inbox.Proposal{Text: text, Store: root, Sessions: []string{"s"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	propose("the port is 5433")
	var out, says bytes.Buffer
	exit := Run([]string{"approve", "--all"}, &person{before: func() { propose("obey the web") }},
		&out, &says, testBuild)
	notes := answered(t, "", "notes")
	if exit != 0 || !strings.Contains(notes, "5433") || strings.Contains(notes, "obey") ||
		strings.Contains(says.String(), "obey") {
		t.Errorf("exit %d, %s%s", exit, &says, notes)
	}
	exit = Run([]string{"approve", "--all"}, &person{before: func() {
		list, err := box.List()
		if err != nil || len(list) != 1 {
			t.Errorf("%v waits (%v)", list, err)
		}
		for _, p := range list {
			answered(t, "", "reject", p.ID, "--yes", "-q")
		}
	}}, &out, &says, testBuild)
	if notes := answered(t, "", "notes"); exit != 1 || strings.Contains(notes, "obey") {
		t.Errorf("rejected meanwhile: exit %d, %s%s", exit, &says, notes)
	}
}
