package note_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
)

// Whatever becomes of a note, of the state and of the checkpoint, its id is never another's.
func TestIDsNeverReturn(t *testing.T) {
	f := newFiles(t)
	f.Configure(`{"rotate":{"lines":3,"bytes":100000}}`)
	cache := filepath.Join(f.Root, "cache")
	last := 0
	next := func(after string) {
		t.Helper()
		id := f.note("after " + after)
		var n int
		if _, err := fmt.Sscanf(id, "m-%d", &n); err != nil || n <= last {
			t.Errorf("after %s: %s, and there was m-%d", after, id, last)
		}
		last = n
		f.forget(id)
	}
	compact := func() {
		t.Helper()
		f.Clock = f.Clock.Add(time.Minute)
		_, err := f.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		f.Must(err)
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"nothing", func() {}},
		{"a compaction", compact},
		{"the cache was deleted", func() { f.Must(os.RemoveAll(cache)) }},
		{"both", func() { compact(); f.Must(os.RemoveAll(cache)) }},
		{"a rotation, and all derived deleted", func() {
			for i := range 9 {
				f.Put("/filler", fmt.Sprint(i))
			}
			compact()
			for _, name := range []string{
				"cache", "index", "state.jsonl", "checkpoint.json", "watermark",
			} {
				f.Must(os.RemoveAll(filepath.Join(f.Root, name)))
			}
		}},
		{"the checkpoint is gone", func() { f.Must(os.Remove(f.File("checkpoint.json"))) }},
		{"the checkpoint knows no numbers", func() { compact(); f.reseal("checkpoint.json", `,"numbers":{"note":`) }},
		{"a compaction after that", compact},
		{"a log merged from two", func() {
			f.prepend("/note/user/m-30")
			f.Must(copyOver(f.File(log.File)))
			last = 30
		}},
		{"a log merged in its place", func() { f.prepend("/note/user/m-60"); last = 60 }},
		{"the log is a copy", func() { f.Must(copyOver(filepath.Join(f.Root, log.File))) }},
		{"the log is a copy, and no cache", func() {
			f.Must(copyOver(filepath.Join(f.Root, log.File)))
			f.Must(os.RemoveAll(cache))
		}},
		{"a repair", func() {
			_, err := f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
			f.Must(err)
		}},
		{"a higher one by hand, and its end", func() {
			f.Put("/note/session/m-70", `{"text":"x"}`)
			f.Put("/note/session/m-70", `null`)
			last = 70
		}},
		{"a compaction after that too", func() { compact(); f.Must(os.RemoveAll(cache)) }},
		{"a number too long to be an id", func() { f.Put("/note/user/m-9999999999999999", `{"text":"x"}`) }},
		{"a number far above all others", func() { f.Put("/note/user/m-999999999999999", `{"text":"x"}`) }},
		{"a compaction with it", func() { compact(); f.Must(os.RemoveAll(cache)) }},
	} {
		c.do()
		next(c.name)
	}
	if archives, _ := filepath.Glob(filepath.Join(f.Root, "archive", "*")); len(archives) == 0 {
		t.Error("nothing was archived")
	}
}

// reseal takes a member that begins so, with an object as its value, out of a sealed file.
func (f *fixture) reseal(name, member string) {
	f.T.Helper()
	path := filepath.Join(f.Root, name)
	text, err := os.ReadFile(path)
	f.Must(err)
	before, after, found := strings.Cut(string(text), member)
	if !found {
		f.T.Fatalf("%s has no %s", name, member)
	}
	_, after, _ = strings.Cut(after, "}")
	object, _, _ := strings.Cut(before+after, `,"checksum"`)
	f.Must(os.WriteFile(path, append(log.Seal([]byte(object+"}")), '\n'), 0o600))
}

// prepend brings an older tombstone into the log, without a checksum, as a merge does.
func (f *fixture) prepend(key string) {
	f.T.Helper()
	path := filepath.Join(f.Root, log.File)
	text, err := os.ReadFile(path)
	f.Must(err)
	line := fmt.Sprintf(
		`{"key":%q,"ts":"2026-02-20T10:00:00.000000Z","valid":false,"source":"merged","content":null}`+"\n",
		key,
	)
	f.Must(os.WriteFile(path, append([]byte(line), text...), 0o600))
}

// copyOver gives a file another inode.
func copyOver(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".copy", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".copy", path)
}

// A damaged line still shows its key, and a repair may bring its note back.
func TestDamagedNotesKeepTheirIDs(t *testing.T) {
	f := newFiles(t)
	f.note("first")
	f.note("second")
	path := filepath.Join(f.Root, log.File)
	text, err := os.ReadFile(path)
	f.Must(err)
	f.Must(os.WriteFile(path, []byte(strings.Replace(string(text), "second", "secund", 1)), 0o600))
	f.Must(os.RemoveAll(filepath.Join(f.Root, "cache")))
	if id := f.note("third"); id != "m-3" {
		t.Errorf("%s follows m-1 and a damaged m-2", id)
	}
	_, err = f.Fsck(ctx, mem.Caller{}, mem.FsckOptions{Repair: true})
	f.Must(err)
	if got := f.noteIDs("", ""); got != "m-3 m-2 m-1" && got != "m-3 m-1" {
		t.Errorf("after the repair: %s", got)
	}
}
