package hook

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type openFunc func(string) (*View, error)

func TestNothingDisturbsTheConversation(t *testing.T) {
	for name, open := range map[string]func(f *fixture) openFunc{
		"no store can be opened": func(*fixture) openFunc {
			return func(string) (*View, error) { return nil, errors.New("no way") }
		},
		"it panics": func(*fixture) openFunc {
			return func(string) (*View, error) { panic("at the disco") }
		},
		"it hangs": func(f *fixture) openFunc {
			f.hook.Deadline = 10 * time.Millisecond
			return func(string) (*View, error) { select {} }
		},
		"a store that does not exist": func(f *fixture) openFunc {
			dir := filepath.Join(f.dir, "nowhere")
			return func(string) (*View, error) { return &View{Store: f.open(dir)}, nil }
		},
	} {
		f := newFixture(t, "claude-code", "something")
		f.hook.Open = open(f)
		if got := f.deliver(start("startup")); got != "" {
			t.Errorf("%s: delivered %q", name, got)
		}
		f.mu.Lock()
		if f.log.Len() == 0 && name != "a store that does not exist" {
			t.Errorf("%s: Debug was not called with why", name)
		}
		f.mu.Unlock()
		if _, err := os.Stat(filepath.Join(f.dir, "nowhere")); err == nil {
			t.Errorf("%s: the hook has created a store", name)
		}
	}
}

// With a configuration that is wrong a hook tells what it would tell without.
func TestWrongConfiguration(t *testing.T) {
	for _, wrong := range []string{"{", `{"inject":{"start_token":0}}`, `{"inject":{"start_tokens":"0"}}`} {
		f := newFixture(t, "claude-code", deploys)
		usual := f.deliver(start("startup"))
		f.forget()
		f.config(wrong)
		if got := f.deliver(start("startup")); got != usual || !strings.Contains(got, deploys) {
			t.Errorf("%s: delivered %q, want %q", wrong, got, usual)
		}
	}
}

// A client that never closes its pipe does not keep the hook waiting.
func TestStandardInputThatStaysOpen(t *testing.T) {
	f := newFixture(t, "claude-code", deploys)
	in, client := io.Pipe()
	defer client.Close()
	go io.WriteString(client, start("startup"))
	var out strings.Builder
	f.hook.Run(in, &out)
	if !strings.Contains(out.String(), "Tuesday") {
		t.Errorf("answered %q (%s)", out.String(), f.log.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("closed") }

// What did not arrive is not recorded as delivered.
func TestAnswerThatCannotBeWritten(t *testing.T) {
	f := newFixture(t, "claude-code", deploys)
	f.hook.Run(strings.NewReader(askDeploys), brokenWriter{})
	if got := f.deliver(askDeploys); !strings.Contains(got, "Tuesday") {
		t.Errorf("delivered %q", got)
	}
}
