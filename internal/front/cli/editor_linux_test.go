package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// onTerminal runs a command whose three streams are a terminal, on which somebody has typed ahead,
// and returns what that shows.
func onTerminal(t *testing.T, typed string, args ...string) (exit int, shows string) {
	t.Helper()
	master, slave := testkit.Terminal(t, 0)
	if _, err := io.WriteString(master, typed); err != nil {
		t.Fatal(err)
	}
	exit = Run(args, slave, slave, slave, testBuild)
	if _, err := io.WriteString(slave, "THE END"); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := master.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 4096); !bytes.Contains(got.Bytes(), []byte("THE END")); {
		n, err := master.Read(b)
		if err != nil {
			t.Fatal(err, got.String())
		}
		got.Write(b[:n])
	}
	return exit, strings.TrimSuffix(strings.ReplaceAll(got.String(), "\r\n", "\n"), "THE END")
}

func TestDiffHasColoursForPeople(t *testing.T) {
	desk(t)
	const red = "\x1b[31m-  \"text\": \"the first\"\x1b[0m\n"
	_, shows := onTerminal(t, "", "diff", "/a")
	if !strings.Contains(shows, red) || !strings.Contains(shows, "\x1b[32m+") {
		t.Errorf("%q", shows)
	}
	t.Setenv("NO_COLOR", "1")
	if _, shows = onTerminal(t, "", "diff", "/a"); strings.Contains(shows, "\x1b") {
		t.Errorf("%q", shows)
	}
	if out := answered(t, "", "diff", "/a"); strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}

// An edit that is no JSON is refused with its line, and kept in its file.
func TestEditKeepsAMistake(t *testing.T) {
	root := desk(t)
	t.Setenv("EDITOR", `f() { echo oops > "$1"; }; f`)
	exit, shows := onTerminal(t, "", "edit", "/a", "--root", root)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "mem-edit-*", "*"))
	if exit != exitInput || !strings.Contains(shows, "memory.json:1: JSON: ") || err != nil ||
		len(left) != 1 {
		t.Errorf("exit %d, %q, left %v, %v", exit, shows, left, err)
	}
	if stored := answered(t, "", "get", "/a"); !strings.Contains(stored, "the second") {
		t.Error(stored)
	}
}
