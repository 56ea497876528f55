package compact

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var noon = time.Date(2026, 2, 22, 12, 0, 0, 0, time.UTC)

// world is a store under test with a clock and a boot id of its own. Unless dirty, it ends with a full fsck.
type world struct {
	t     testing.TB
	path  string
	dir   *disk.Dir
	now   time.Time
	boot  string
	dirty bool
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, path: t.TempDir(), now: noon, boot: "boot-1"}
	w.open()
	t.Cleanup(func() {
		if found := w.audit(); len(found) > 0 && !w.dirty {
			t.Errorf("the test leaves a damaged store: %v", found)
		}
		w.dir.Close()
	})
	return w
}

func (w *world) open() {
	w.t.Helper()
	dir, err := disk.Open(w.path)
	w.must(err)
	w.dir = dir
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) file(name string) string { return filepath.Join(w.path, filepath.FromSlash(name)) }

// write runs fn on an open writer.
func (w *world) write(fn func(*Writer) error) error {
	wr, err := OpenWriter(w.dir, w.now, w.boot)
	if err != nil {
		return err
	}
	defer wr.Close()
	return fn(wr)
}

// set stores contents under keys: pairs of key and content, "null" voids.
func (w *world) set(pairs ...string) {
	w.t.Helper()
	w.must(w.trySet(pairs...))
}

func (w *world) trySet(pairs ...string) error {
	return w.write(func(wr *Writer) error {
		var batch []log.Envelope
		ts := wr.MaxTS()
		for i := 0; i < len(pairs); i += 2 {
			var err error
			if ts, err = log.NextStamp(w.now, ts); err != nil {
				return err
			}
			batch = append(batch, log.Envelope{Key: keypath.MustParse(pairs[i]), TS: ts, Source: []byte(`"test"`), Content: []byte(pairs[i+1])})
		}
		return wr.Append(batch)
	})
}

func (w *world) job(limits Limits) *Job {
	return &Job{Dir: w.dir, Now: w.now, Boot: w.boot, Limits: limits, Lock: noLock}
}

func noLock() (func() error, error) { return func() error { return nil }, nil }

var (
	keepLog   = Limits{Lines: 1 << 30, Bytes: 1 << 40}
	rotateLog = Limits{Lines: 1, Bytes: 1}
)

func (w *world) compact(limits Limits) Report {
	w.t.Helper()
	rep, err := w.job(limits).Run()
	w.must(err)
	return rep
}

// live gives the live contents by key, as a reader sees them.
func (w *world) live() map[string]string {
	w.t.Helper()
	v, err := Load(w.dir, w.boot)
	w.must(err)
	defer v.Close()
	got := map[string]string{}
	last := ""
	for rec, err := range v.Live() {
		w.must(err)
		if rec.Key.String() <= last {
			w.t.Fatalf("%s comes after %s", rec.Key, last)
		}
		last = rec.Key.String()
		got[last] = string(rec.Content)
	}
	return got
}

// get looks one key up, the quick way.
func (w *world) get(key string) (string, bool) {
	w.t.Helper()
	rec, ok, err := Lookup(w.dir, w.boot, keypath.MustParse(key))
	w.must(err)
	return string(rec.Content), ok
}

func (w *world) audit() []Finding {
	w.t.Helper()
	a := &Audit{Dir: w.dir, Now: w.now, Boot: w.boot}
	found, err := a.Run()
	w.must(err)
	return found
}

// repair audits and repairs once.
func (w *world) repair() {
	w.t.Helper()
	a := &Audit{Dir: w.dir, Now: w.now, Boot: w.boot}
	found, err := a.Run()
	w.must(err)
	w.must((&Fix{Audit: a, Findings: found}).Run())
}

// edit changes the bytes of a file in place.
func (w *world) edit(name string, fn func([]byte) []byte) {
	w.t.Helper()
	path := w.file(name)
	data, err := os.ReadFile(path)
	w.must(err)
	fi, err := os.Stat(path)
	w.must(err)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, fi.Mode())
	w.must(err)
	_, err = f.Write(fn(data))
	w.must(err)
	w.must(f.Close())
}

func (w *world) indexFile(key string) string {
	return "index/" + string(keypath.MustParse(key).Path())
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// What is tested here is what a killed process leaves, not what a disk does: in memory the thousands of stores cost no fsync.
func TestMain(m *testing.M) {
	if dir, err := os.MkdirTemp("/dev/shm", "mem-test-"); err == nil {
		os.Setenv("TMPDIR", dir)
		defer os.RemoveAll(dir)
	}
	m.Run()
}
