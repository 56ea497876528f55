package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Stores that earlier builds wrote are read by every later one, forever: testdata/compat/vN is a
// store of format N, vN.live what is live in it. They are never rewritten; a new format adds a
// directory.
func TestCompatStores(t *testing.T) {
	stores, err := filepath.Glob("testdata/compat/v*.live")
	if err != nil || len(stores) < log.FormatVersion {
		t.Fatalf("%d stores for format %d (%v)", len(stores), log.FormatVersion, err)
	}
	for _, expect := range stores {
		from := strings.TrimSuffix(expect, ".live")
		t.Run(filepath.Base(from), func(t *testing.T) {
			want, err := os.ReadFile(expect)
			if err != nil {
				t.Fatal(err)
			}
			f := newStore(t)
			f.must(os.CopyFS(f.root, os.DirFS(from)))
			f.open()
			if got := f.lines(); got != string(want) {
				t.Errorf("a reader sees\n%swant\n%s", got, want)
			}
			for line := range strings.Lines(string(want)) {
				key, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				if got := f.content(key); got != content {
					t.Errorf("get %s: %s, want %s", key, got, content)
				}
			}
			f.put("/written/later", "1")
			f.must(f.remove("/written/later"))
			if _, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
				t.Error(err)
			}
			if got := f.lines(); got != string(want) {
				t.Errorf("after a write and a compaction\n%swant\n%s", got, want)
			}
			// Files that came out of a copy have the modes of that copy.
			_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
			f.must(err)
		})
	}
}

// lines returns the live memories as key, tab, content.
func (f *fixture) lines() string {
	f.t.Helper()
	var out strings.Builder
	f.must(f.List(ctx, mem.Caller{}, mem.Filter{}, func(r log.Record) error {
		fmt.Fprintf(&out, "%s\t%s\n", r.Key, r.Content)
		return nil
	}))
	return out.String()
}

func (f *fixture) remove(key string) error {
	_, _, err := f.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(key)}, nil)
	return err
}
