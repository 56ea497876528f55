package e2e

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// knowledge is what may be found in a store after a kill or a power cut.
type knowledge struct {
	from    int                        // of a tape: the moment from which it holds
	allowed map[string]map[string]bool // contents by key; "" stands for none
	must    map[string]bool            // lines that the history must have
	written map[string]bool            // lines that were ever written
	bytes   []string                   // damaged bytes that must be somewhere
	damaged bool                       // fsck may find a damaged line
	gone    []string                   // texts that no file may be
}

func (n knowledge) clone() knowledge {
	n.allowed, n.must, n.written = maps.Clone(n.allowed), maps.Clone(n.must), maps.Clone(n.written)
	for key, contents := range n.allowed {
		n.allowed[key] = maps.Clone(contents)
	}
	return n
}

func (n *knowledge) mayBecome(to map[string]string) {
	for key, content := range to {
		if n.allowed[key] == nil {
			n.allowed[key] = map[string]bool{"": true}
		}
		n.allowed[key][content] = true
	}
}

// history returns every line of log and archives that is a record.
func history(t testing.TB, s *mem.Store) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	if err := s.Everything(ctx,
		func(r log.Record) error { lines[string(r.Line)] = true; return nil }); err != nil {
		t.Error(err)
	}
	return lines
}

// compare checks what a reader sees: the list, each key by itself, the history, and the bytes that
// must be somewhere. after is what was written since, whatever is known of those keys.
func (n knowledge) compare(t testing.TB, what string, s *mem.Store, after map[string]string) {
	t.Helper()
	live, err := contents(s)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for key, want := range n.allowed {
		if content, ok := after[key]; ok {
			want = map[string]bool{content: true}
		}
		if !want[live[key]] {
			t.Errorf("%s: %s is %q, want one of %q", what, key, live[key],
				slices.Collect(maps.Keys(want)))
		}
		rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
		if err != nil && !errors.Is(err, mem.ErrNotFound) || string(rec.Content) != live[key] {
			t.Errorf("%s: get %s gives %q (%v), the list has %q", what, key, rec.Content, err,
				live[key])
		}
	}
	for key, content := range live {
		if n.allowed[key] == nil && after[key] != content {
			t.Errorf("%s: %s: %s was never written", what, key, content)
		}
	}
	n.compareHistory(t, what, s, after)
	all := everyByte(s.Path())
	for _, text := range n.bytes {
		if !strings.Contains(all, text) {
			t.Errorf("%s: nowhere: %.100q", what, text)
		}
	}
}

func (n knowledge) compareHistory(t testing.TB, what string, s *mem.Store,
	after map[string]string) {
	t.Helper()
	lines := history(t, s)
	for line := range n.must {
		if !lines[line] {
			t.Errorf("%s: lost: %s", what, line)
		}
	}
	for line := range lines {
		e, err := log.Decode([]byte(line))
		content := string(e.Content)
		if key := e.Key.String(); !n.written[line] &&
			(err != nil || after[key] != content && !n.allowed[key][content] &&
				!(n.allowed[key][""] && !e.Valid())) {
			t.Errorf("%s: never written: %s", what, line)
		}
	}
}

// contents returns what is live.
func contents(s *mem.Store) (map[string]string, error) {
	live := map[string]string{}
	err := s.List(ctx, mem.Caller{}, mem.Filter{},
		func(r log.Record) error { live[r.Key.String()] = string(r.Content); return nil })
	return live, err
}

// everyByte is the text of every file below a directory, one after another.
func everyByte(base string) string {
	var all strings.Builder
	filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			all.Write(text)
		}
		return nil
	})
	return all.String()
}

func set(s *mem.Store, key, content string) error {
	_, err := s.Set(ctx, mem.Caller{}, write(key, content), mem.SetOptions{})
	return err
}
