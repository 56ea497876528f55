package server

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

// No terminal obeys a server, and no escape reaches a model with a page, in a pipe neither; content
// that is printed as it is stays so.
func TestShown(t *testing.T) {
	t.Parallel()
	const text = "a\tb\x1b[31mc\x1b[0m\x1b[2J\u009b\x07\u202ed\r\n"
	const bare, coloured = "a\tb[31mc[0m[2Jd\n", "a\tb\x1b[31mc\x1b[0m[2Jd\n"
	for _, c := range []struct {
		verb    string
		columns int
		isErr   bool
		want    string
	}{
		{"read", 0, false, bare}, {"read", 80, false, bare}, {"read", 0, true, bare},
		{"bundle", 0, false, bare}, {"bundle", 80, false, bare}, {"search", 0, false, bare},
		{"search", 80, false, coloured}, {"get", 80, false, coloured}, {"get", 0, false, text},
		{"get", 0, true, bare}, {"get", 80, true, coloured},
	} {
		f := &forwarding{a: &app.App{}, cmd: &cobra.Command{Use: c.verb}}
		var out strings.Builder
		n, err := f.shown(&out, c.columns, c.isErr).Write([]byte(text))
		if n != len(text) || err != nil || out.String() != c.want {
			t.Errorf("%+v: %q, %d of %d, %v", c, out.String(), n, len(text), err)
		}
	}
	// What a filter makes of escaped text is as harmless.
	f := &forwarding{a: &app.App{JQ: ".text"}, cmd: &cobra.Command{Use: "read"}}
	var out strings.Builder
	to, err := f.a.Filtered(f.shown(&out, 0, false))
	if err == nil {
		_, err = to.Write([]byte(`{"text":"a\u001b[2Jb"}` + "\n"))
	}
	if err != nil || out.String() != "a[2Jb\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if _, err = to.Write([]byte("no JSON\n")); mem.KindOf(err) != mem.KindIO {
		t.Errorf("a line that is no JSON: %v", err)
	}
}

// What a server prints takes no more memory here than a few times its bytes, whatever is left out.
func TestShownIsLean(t *testing.T) {
	text := bytes.Repeat([]byte("a\x00"), 1<<20)
	for _, columns := range []int{0, 80} {
		f := &forwarding{a: &app.App{}, cmd: &cobra.Command{Use: "ls"}}
		to := f.shown(io.Discard, columns, false)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := to.Write(text); err != nil {
			t.Error(err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8*uint64(len(text)) {
			t.Errorf("%d columns: %d bytes for %d", columns, took, len(text))
		}
	}
}
