package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

// A panic is told as a bug in one line, and leaves with the code of one; who wants to know more
// gets the stack.
func TestPanicIsABug(t *testing.T) {
	odd := func(*cobra.Command, []string) { panic("odd") }
	err := app.Execute(&cobra.Command{Use: "x", Run: odd})
	for level, stack := range map[string]bool{"warn": false, "debug": true} {
		var out, stderr bytes.Buffer
		a := &app.App{Build: testBuild, LogLevel: level}
		if code := a.Report(&out, &stderr, err); code != mem.KindBug.ExitCode() || out.Len() > 0 {
			t.Errorf("exit %d, stdout %q", code, out.String())
		}
		told := stderr.String()
		if !strings.HasPrefix(told, "mem: panic: odd\nmem: hint: please report") {
			t.Errorf("stderr %q", told)
		}
		if strings.Contains(told, "goroutine ") != stack {
			t.Errorf("level %s: stderr %q", level, told)
		}
	}
}

// Messages begin with the name of the program that runs the verbs.
func TestProgramTellsItsName(t *testing.T) {
	var out, stderr bytes.Buffer
	b := app.Build{Program: "memd", Version: "1.2.3", Commit: "abc"}
	code := Run([]string{"nonsense"}, strings.NewReader(""), &out, &stderr, b)
	if code != exitInput {
		t.Errorf("exit %d", code)
	}
	if !strings.HasPrefix(stderr.String(), "memd: nonsense: no such command\nmemd: hint: ") {
		t.Errorf("stderr %q", stderr.String())
	}
	Run([]string{"version"}, strings.NewReader(""), &out, &stderr, b)
	if !strings.HasPrefix(out.String(), "memd 1.2.3 (abc, ") {
		t.Errorf("stdout %q", out.String())
	}
}
