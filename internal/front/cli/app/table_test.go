package app

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestColoursOnlyForPeople(t *testing.T) {
	for _, c := range []struct {
		flag, env string
		want      bool
	}{
		{"auto", "", false}, {"always", "NO_COLOR", true}, {"never", "", false},
	} {
		a := &App{color: c.flag, Getenv: func(name string) string {
			if name == c.env {
				return "1"
			}
			return ""
		}}
		if got := a.Colours(os.Stdin); got != c.want {
			t.Errorf("--color %s with %q: %v", c.flag, c.env, got)
		}
	}
}

func TestProgressLine(t *testing.T) {
	const want = "set: 2500 of 10000 records, 500/s, 15s left"
	if got := describe("set", 2500, 10_000, 5*time.Second); got != want {
		t.Error(got)
	}
	if got := describe("fsck", 2500, 0, 5*time.Second); got != "fsck: 2500 records, 500/s" {
		t.Error(got)
	}
	var out strings.Builder
	b := NewBar(&out, false)
	b.start = time.Now().Add(-time.Minute)
	b.Progress("set", 1, 2)
	b.finish()
	if out.Len() > 0 {
		t.Errorf("a bar in a pipe: %q", out.String())
	}
}

// A message keeps to its line, whatever a file name or a key put into it.
func TestOneLineHidesNothing(t *testing.T) {
	in := "a\nb\u009bc\u200bd\U000e0169e \u00a0 \x1b[1m"
	if got, want := OneLine(in), "a b c d e    [1m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No memory moves the cursor of a terminal, or hides there. In a pipe its bytes are its own.
func TestAnswerOnATerminal(t *testing.T) {
	const text = "\x1b[2mhead\x1b[0m\n\"牙科\u009b31m\u200b\"\n"
	for terminal, want := range map[bool]string{
		false: text, true: "\x1b[2mhead\x1b[0m\n\"牙科\\u009b31m\\u200b\"\n",
	} {
		var out strings.Builder
		a := &Answer{To: &out, Terminal: terminal, before: func() {}}
		for _, part := range []string{text[:15], text[15:]} { // within a character
			if n, err := a.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		}
		if out.String() != want {
			t.Errorf("terminal %v: %q", terminal, out.String())
		}
	}
}
