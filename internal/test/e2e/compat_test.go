package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	editing "github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Stores that earlier builds wrote are read by every later one, forever: testdata/compat/vN is a
// store of format N, vN.live what is live in it. v1-0.1.0 is from the first release, f6e3c78, with
// every kind of file that it wrote; v1-0.2.0 is that of a project by the build before 0.2.0, with
// letters in its ids, a purge, an archive, an artifact and a damaged line. They are never
// rewritten; a new format adds a directory.
func TestCompatStores(t *testing.T) {
	t.Parallel()
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
			f.Must(os.CopyFS(f.Root, os.DirFS(from)))
			f.Open()
			if got := f.lines(); got != string(want) {
				t.Errorf("a reader sees\n%swant\n%s", got, want)
			}
			for line := range strings.Lines(string(want)) {
				key, content, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				if got := f.Content(key); got != content {
					t.Errorf("get %s: %s, want %s", key, got, content)
				}
			}
			f.Put("/written/later", "1")
			f.Remove("/written/later")
			if _, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{}); err != nil {
				t.Error(err)
			}
			if got := f.lines(); got != string(want) {
				t.Errorf("after a write and a compaction\n%swant\n%s", got, want)
			}
			// Files that came out of a copy have the modes of that copy.
			_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
			f.Must(err)
		})
	}
}

// What waits for a person in the store of 0.2.0 waits still, and what was purged stays away.
func TestCompatProject(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.Must(os.CopyFS(f.Root, os.DirFS("testdata/compat/v1-0.2.0")))
	f.Open()
	list, err := proposal.List(ctx, f.Store, mem.Caller{})
	f.Must(err)
	if len(list) != 1 || list[0].Key.String() != "/note/workspace/m-7-gqvzjy" {
		t.Errorf("proposals: %+v", list)
	}
	purged := 0
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		if rec.Key.String() == "/purged" {
			purged++
			if rec.Valid() {
				t.Errorf("a purged version: %s", rec.Line)
			}
		}
		return nil
	}))
	if purged == 0 {
		t.Error("no mark of the purge")
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
}

// What the first release kept beside the history counts, too: no id of a note comes again, and
// what a conversation was told is known.
func TestCompatFirstRelease(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.Must(os.CopyFS(f.Root, os.DirFS("testdata/compat/v1-0.1.0")))
	f.Open()
	told, err := inject.Recorded(f.Store, "one", 0)
	f.Must(err)
	if len(told) != 4 || len(told[0].Memories) == 0 || told[3].Retained != inject.RetainedNothing {
		t.Errorf("injections: %v", told)
	}
	added, err := note.Add(ctx, f.Store, mem.Caller{}, "One more", note.Options{Tags: []string{"a"}})
	f.Must(err)
	if added.ID != "m-8" {
		t.Errorf("the next note is %s, want m-8", added.ID)
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
}

// A line whose source has a mark is a fact, for no person vouches for it; and it stays one when a
// repair stores it anew, or it is exported.
func TestCompatMarks(t *testing.T) {
	t.Parallel()
	f := newStore(t)
	f.Must(os.CopyFS(f.Root, os.DirFS("testdata/compat/v1-claimed")))
	f.Open()
	if got := f.rules(); got != "/user/own" {
		t.Errorf("rules: %s", got)
	}
	touched, err := editing.Touch(ctx, f.Store, mem.Caller{},
		[]keypath.Key{keypath.MustParse("/user/claim")}, editing.Changes{Add: []string{"t"}},
		editing.Author{})
	f.Must(err)
	if got := f.rules(); len(touched.Touched) != 1 || got != "/user/own" {
		t.Errorf("rules after a touch: %s (%+v)", got, touched)
	}
	var file bytes.Buffer
	_, err = transfer.Export(ctx, f.Store, mem.Caller{}, &file, transfer.ExportOptions{})
	f.Must(err)
	to := newStore(t)
	_, err = transfer.Import(ctx, to.Store, mem.Caller{},
		transfer.Incoming{Stream: &file}, transfer.ImportOptions{Mine: true})
	to.Must(err)
	if got := to.rules(); got != "/user/own" {
		t.Errorf("rules after a restore: %s", got)
	}
	// The clock is behind all lines: the repair stores them anew.
	later := f.Clock.AddDate(0, 0, 1)
	f.Clock = f.Clock.AddDate(0, 0, -3)
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true, TrustClock: true})
	f.Must(err)
	if got := f.rules(); got != "/user/own" {
		t.Errorf("rules after a repair: %s", got)
	}
	f.Clock = later
}

// rules returns the keys of the rules of the user.
func (f *fixture) rules() string {
	f.T.Helper()
	var keys []string
	standing := f.Reader(mem.Caller{}).Standing
	f.Must(f.List(ctx, mem.Caller{}, mem.Filter{}, func(r log.Record) error {
		if it := mem.ItemOf(r); standing(&it) == readout.Rule {
			keys = append(keys, r.Key.String())
		}
		return nil
	}))
	return strings.Join(keys, " ")
}

// lines returns the live memories as key, tab, content.
func (f *fixture) lines() string {
	f.T.Helper()
	var out strings.Builder
	f.Must(f.List(ctx, mem.Caller{}, mem.Filter{}, func(r log.Record) error {
		fmt.Fprintf(&out, "%s\t%s\n", r.Key, r.Content)
		return nil
	}))
	return out.String()
}
