package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

// customLines run mem's hook, and are not what setup would have written.
var customLines = []string{
	"mem hook codex; $HOME/bin/load-env.sh", "mem hook codex && date", "mem hook codex || true",
	"mem hook codex | tee log", "mem hook codex 2>>log", "mem hook codex < event",
	"mem hook codex $(date)", "mem hook codex `date`", `mem hook "$CLIENT"`, "mem hook codex &",
	"load-env.sh; mem hook codex", "cd /x && /usr/bin/mem hook codex", "(mem hook codex)",
	"mem hook codex\ndate", "MEM_ROOT=/x mem hook codex", "~/bin/mem hook codex # mine",
	"mem hook codex || : ; date", "mem hook codex || : || :", `"$HOME/bin/mem" hook codex`,
}

func TestCustomHandlersAreRecognized(t *testing.T) {
	for _, line := range customLines {
		if got := kindOfLine(line); got != custom {
			t.Errorf("%s: %v", line, got)
		}
	}
	for _, line := range []string{
		"mem hook codex", "mem hook codex || :", "/usr/bin/mem hook codex --root '/a; b'",
		`C:\PROGRA~1\mem.exe hook codex`, `mem hook codex --root "a|b"`, `/a\;b/mem hook`,
	} {
		if got := kindOfLine(line); got != ours {
			t.Errorf("%s: %v", line, got)
		}
	}
	for _, line := range []string{
		"", "date", "echo mem hook codex", "echo 'x; mem hook codex'", "memo hook; mem ls",
	} {
		if got := kindOfLine(line); got != theirs {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// A handler in which a person has put more than mem's words is theirs: neither setup nor its
// removal changes it, no second one runs beside it, and both say so.
func TestCustomHandlersStay(t *testing.T) {
	for _, client := range []string{"claude-code", "codex"} {
		for _, line := range customLines {
			f := newFixture(t)
			r := f.request(client, User)
			name := r.MainFile()
			handler := `{"hooks":[{"type":"command","command":` + quote(line) + `}]}`
			text := `{"hooks":{"SessionStart":[` + handler + `]}}`
			write(t, name, text)
			changes := f.plan(r)
			if c := changes[0]; c.State != Custom || len(c.Custom) != 1 ||
				!strings.Contains(c.Custom[0].Where, "line 1") {
				t.Fatalf("%s: %s: %+v", client, line, c)
			}
			f.install(r)
			got := read(name)
			start := got[:strings.Index(got+`"UserPrompt`, `"UserPrompt`)]
			if !strings.HasPrefix(got, text[:len(text)-2]) || strings.Count(start, "mem") != 1 {
				t.Errorf("%s: %s: %s", client, line, got)
			}
			if got := read(name + BackupSuffix); got != text {
				t.Errorf("%s: %s: the copy is %s", client, line, got)
			}
			f.uninstall(r)
			if got := read(name); got != text {
				t.Errorf("%s: %s: after the removal: %s", client, line, got)
			}
		}
	}
}

// What a person has changed in a handler of ours, or in the file that setup made, is not lost with
// it: a copy is kept.
func TestWhatSetupDidNotWriteIsKept(t *testing.T) {
	changed := func(from, to string) func(string) string {
		return func(text string) string { return strings.Replace(text, from, to, 1) }
	}
	for name, change := range map[string]func(string) string{
		"a timeout":  changed(`"timeout": 5`, `"timeout": 9`),
		"a member":   changed(`"type"`, `"statusMessage": "x", "type"`),
		"a comment":  changed(`"type"`, `/* mine */ "type"`),
		"a matcher":  changed(`"startup|resume|clear|compact|fork"`, `"startup"`),
		"a flag":     changed(`"claude-code"]`, `"claude-code", "--quiet"]`),
		"not a byte": changed("", ""),
	} {
		f := newFixture(t)
		r := f.request("claude-code", User)
		f.install(r)
		file := r.MainFile()
		text := change(read(file))
		write(t, file, text)
		f.uninstall(r)
		if got := read(file); got != "" {
			t.Errorf("%s: left: %s", name, got)
		}
		kept := read(file + BackupSuffix + "-1")
		if name == "not a byte" {
			text = ""
		}
		if kept != text {
			t.Errorf("%s: kept %q", name, kept)
		}
	}
}

// The guidance of today was written by setup; any other text in its block may be a person's.
func TestGuidanceThatWasEditedIsKept(t *testing.T) {
	f := newFixture(t)
	r := f.request("agents-md", Project)
	f.install(r)
	edited := strings.Replace(read(r.MainFile()), "# Memory", "# My memory", 1)
	write(t, r.MainFile(), edited)
	f.install(r)
	found := false
	for _, text := range f.snapshot() {
		found = found || strings.HasPrefix(text, edited)
	}
	if !found {
		t.Errorf("the edited text is nowhere in %q", f.snapshot())
	}
}

// A comment is something of the user's.
func TestFileWithACommentStays(t *testing.T) {
	f := newFixture(t)
	r := f.request("gemini", User)
	f.install(r)
	write(t, r.MainFile(), "// mine\n"+read(r.MainFile()))
	f.uninstall(r)
	if got := read(r.MainFile()); got != "// mine\n{}\n" {
		t.Errorf("%q", got)
	}
}

// The line of before is brought up to date, in every client that has a shell.
func TestOlderLineIsBroughtUpToDate(t *testing.T) {
	for _, client := range []string{"codex", "gemini", "vscode"} {
		r := requestFor(client)
		now, err := hooksOf(client).add(nil, r)
		if err != nil || !strings.Contains(string(now), `"mem hook `+client+` || :"`) {
			t.Fatalf("%s: %v: %s", client, err, now)
		}
		before := strings.ReplaceAll(string(now), " || :", "")
		if got, err := hooksOf(client).add([]byte(before), r); err != nil ||
			string(got) != string(now) {
			t.Errorf("%s: %v: %s", client, err, got)
		}
		r.Windows = true
		if text, _ := hooksOf(client).add(nil, r); strings.Contains(string(text), "||") {
			t.Errorf("%s: on Windows: %s", client, text)
		}
	}
}

// Whatever becomes of mem, a shell that runs the line ends with 0.
func TestLineEndsWellWhateverMemDoes(t *testing.T) {
	testkit.Need(t, runtime.GOOS != "windows", "a POSIX shell")
	program := filepath.Join(t.TempDir(), "mem")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r := requestFor("codex")
	r.Program = program
	line := hookLine(r)
	if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", line, err, out)
	}
	if err := exec.Command("sh", "-c", shellLine(r.words(), false)).Run(); err == nil {
		t.Error("the plain line does not fail either")
	}
	if client := ClientByName("codex"); client.Hooks.Form != lineHooks {
		t.Error("codex has another form of hooks")
	}
}

// Copies in a project would be taken by "git add -A": they are kept elsewhere, and found there.
func TestBackupsOfAProjectAreOutsideOfIt(t *testing.T) {
	f := newFixture(t)
	f.env["XDG_STATE_HOME"] = f.home + "/state"
	r := f.request("claude-code", Project)
	const before = `{"hooks": {"SessionStart": []}}`
	write(t, r.MainFile(), before)
	f.install(r)
	copies := 0
	for name, text := range f.snapshot() {
		if strings.Contains(name, "mem-backup") {
			copies++
			if !strings.HasPrefix(name, "state/mem/setup/") || !strings.HasPrefix(text, before) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	if copies != 1 {
		t.Errorf("%d copies", copies)
	}
	f.uninstall(r)
	if got := f.snapshotWithoutTimes(); len(got) != 1 || read(r.MainFile()) != before {
		t.Errorf("after the removal: %q", got)
	}
}

// No file is at any moment open to more people than the one it replaces: there may be keys in it.
func TestDraftsArePrivate(t *testing.T) {
	f := newFixture(t)
	name := filepath.Join(f.home, "settings.json")
	write(t, name, "{}")
	root, err := os.OpenRoot(f.home)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for i, mode := range []os.FileMode{0o600, 0o640, 0o644} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		old, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := createDraft(root, fmt.Sprint("draft", i), old)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := draft.Stat(); err != nil || fi.Mode() != 0o600 || fi.Size() != 0 {
			t.Errorf("a draft has mode %v, %v", fi.Mode(), err)
		}
		draft.Close()
		if err := writeFile("", name, []byte("new"), old); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(name); err != nil || fi.Mode() != mode {
			t.Errorf("%v: %v, %v", mode, fi.Mode(), err)
		}
	}
	fresh := filepath.Join(f.home, "fresh")
	if err := writeFile("", fresh, nil, nil); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(fresh); err != nil || fi.Mode() != 0o644 {
		t.Errorf("a new file has mode %v, %v", fi.Mode(), err)
	}
}
