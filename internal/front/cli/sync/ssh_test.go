//go:build !windows

package sync

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/depot"
	_ "github.com/set-memory/mem/internal/test/testkit" // the place of its directories
	"github.com/set-memory/mem/internal/view/exchange/places"
)

// fakeSSH puts a program ssh into the PATH that greets, describes a depot, and then runs a script.
func fakeSSH(t *testing.T, script string) places.Dest {
	t.Helper()
	bin := t.TempDir()
	info := `{"v":1,"id":"` + strings.Repeat("ab", 16) + `","plain":true}`
	text := fmt.Sprintf("#!/bin/sh\necho 'mem-depot 1'\nread -r q\n"+
		"printf '{\"size\":%d}\\n%%s' '%s'\n%s\n", len(info), info, script)
	if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	d, err := places.ParseDest("ssh://nas.example/home")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func shorten(t *testing.T, limit *time.Duration) {
	was := *limit
	*limit = 200 * time.Millisecond
	t.Cleanup(func() { *limit = was })
}

// A machine that answers no more is left after a time, whatever ssh has started; work here between
// two requests does not count.
func TestSilentMachine(t *testing.T) {
	shorten(t, &answerWait)
	for _, silent := range []string{"exec sleep 20", "sleep 20", "read -r q; sleep 20 & wait"} {
		o, err := overSSH(t.Context(), fakeSSH(t, silent), nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * answerWait)
		began := time.Now()
		_, err = o.List()
		if !errors.Is(err, depot.ErrNoServer) ||
			!strings.Contains(err.Error(), "silent for 200ms") {
			t.Errorf("%s: %v", silent, err)
		}
		if err := o.close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", silent, took)
		}
	}
	o, err := overSSH(t.Context(), fakeSSH(t, "read -r q; echo '{}'; exec sleep 20"), nil)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * answerWait)
	if names, err := o.List(); err != nil || len(names) > 0 {
		t.Errorf("after work here: %q, %v", names, err)
	}
	// Nobody reads there: the segment is longer than what a pipe holds.
	if err := o.Put(make([]byte, 1<<20)); !errors.Is(err, depot.ErrNoServer) {
		t.Errorf("nobody reads: %v", err)
	}
	o.close()
}

// An ssh that does not end after a good exchange makes it no bad one.
func TestLingeringSSH(t *testing.T) {
	shorten(t, &endWait)
	o, err := overSSH(t.Context(), fakeSSH(t, "exec sleep 20"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.close(); err != nil {
		t.Error(err)
	}
}
