// Package testkit is for tests only: what they need of the machine that they run on, and how they
// show the go command the sources of a program that they start.
package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Need skips the test unless ok: what it needs is missing on this machine. In CI (CI=1) and in a
// full run (MEM_TEST_ALL=1) that is a failure.
func Need(t testing.TB, ok bool, what string) {
	t.Helper()
	if !ok {
		missing(t, what, isSet("CI") || Full())
	}
}

// NeedInFull is Need for what a CI machine does not have to have, as mounts, node or a browser: it
// fails in a full run only.
func NeedInFull(t testing.TB, ok bool, what string) {
	t.Helper()
	if !ok {
		missing(t, what, Full())
	}
}

// Program returns the path of a program that the test needs.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	Need(t, err == nil, name+" is not installed")
	return path
}

// Full reports whether nothing may be left out.
func Full() bool { return isSet("MEM_TEST_ALL") }

func isSet(name string) bool {
	switch os.Getenv(name) {
	case "", "0", "false":
		return false
	}
	return true
}

// missing ends the test. The list of skips is looked for only here: its name differs from run to
// run, and a test that read it would never be cached.
func missing(t testing.TB, what string, fails bool) {
	t.Helper()
	if fails {
		t.Fatalf("not held: %s", what)
	}
	if list := os.Getenv("MEM_SKIPS"); list != "" {
		if err := appendLine(list, t.Name()+": "+what); err != nil {
			t.Error(err)
		}
	}
	t.Skip(what)
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
