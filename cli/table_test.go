package cli

import (
	"strings"
	"testing"
	"time"
)

func TestColumnsAlignByDisplayWidth(t *testing.T) {
	tb := table{head: []string{"KEY", "SUMMARY"}}
	tb.add("/用户/偏好", "喜欢中文")
	tb.add("/a", "e\u0301tudes and a text that is too long for the terminal")
	var out strings.Builder
	tb.columns(&out, 40, false)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, l := range lines {
		if w := displayWidth(l); w > 40 {
			t.Errorf("%d columns: %q", w, l)
		}
	}
	a := displayWidth(lines[1][:strings.Index(lines[1], "喜")])
	b := displayWidth(lines[2][:strings.Index(lines[2], "e")])
	if a != b {
		t.Errorf("the second column begins at %d and at %d:\n%s", a, b, out.String())
	}
	if !strings.HasSuffix(lines[2], "…") {
		t.Errorf("a cut text does not show it: %q", lines[2])
	}
}

// What stands below a row is there as a whole, within the width.
func TestBelowARow(t *testing.T) {
	why := "1.200 = importance 0.8 x decay 1 x boost 1.5 x match 0.25 of a neighbor"
	tb := table{head: []string{"KEY", "SUMMARY"}, below: []string{why, "short"}}
	tb.add("/session/sess_20260222_ada/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", "a text")
	tb.add("/a", "another")
	for width := 16; width <= 120; width++ {
		var out strings.Builder
		tb.columns(&out, width, false)
		for line := range strings.Lines(out.String()) {
			if w := displayWidth(strings.TrimSuffix(line, "\n")); w > width {
				t.Errorf("%d columns of %d: %q", w, width, line)
			}
		}
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, why) {
			t.Errorf("%d: not all of it:\n%s", width, out.String())
		}
	}
}

// No line passes the terminal's width, and keys keep the ends in which they differ.
func TestTablesKeepToTheWidth(t *testing.T) {
	tb := table{head: []string{"TIME", "KEY", "WRITE", "SOURCE", "SUMMARY"}}
	for _, end := range []string{"FAV", "FAW"} {
		tb.add("2026-02-22T10:00:00.000000Z", "/agent/ada/journal/01ARZ3NDEKTSV4RRFFQ69G5"+end,
			"project set", "agent claude-code, mem touch",
			"a summary of some length, 牙科复诊 and more")
	}
	for width := 1; width <= 240; width++ {
		var out strings.Builder
		tb.columns(&out, width, false)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for _, l := range lines {
			if w := displayWidth(l); w > width {
				t.Errorf("%d columns of %d: %q", w, width, l)
			}
		}
		if width >= 80 && !strings.Contains(lines[1], "5FAV  project") {
			t.Errorf("%d: %q", width, lines[1])
		}
		if width == 240 && strings.Contains(out.String(), "…") {
			t.Errorf("it is cut:\n%s", out.String())
		}
	}
	for columns, want := range map[int]string{
		7: "/牙科/c", 6: "/…科/c", 4: "/…/c", 3: "…/c", 2: "…c",
	} {
		if got := cutMiddle("/牙科/c", columns); got != want {
			t.Errorf("%d: %q, want %q", columns, got, want)
		}
	}
}

func TestTableColourOnlyForPeople(t *testing.T) {
	for env, want := range map[string]bool{"": true, "NO_COLOR": false} {
		a := &app{getenv: func(name string) string {
			if name == env {
				return "1"
			}
			return ""
		}}
		if got := a.colour(); got != want {
			t.Errorf("with %q: %v", env, got)
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
	b := newBar(&out, false)
	b.start = time.Now().Add(-time.Minute)
	b.progress("set", 1, 2)
	b.finish()
	if out.Len() > 0 {
		t.Errorf("a bar in a pipe: %q", out.String())
	}
}

// A message keeps to its line, whatever a file name or a key put into it.
func TestOneLineHidesNothing(t *testing.T) {
	in := "a\nb\u009bc\u200bd\U000e0169e \u00a0 \x1b[1m"
	if got, want := oneLine(in), "a b c d e    [1m"; got != want {
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
		a := &answer{to: &out, terminal: terminal, before: func() {}}
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
