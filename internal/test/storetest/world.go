package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var Noon = time.Date(2026, 2, 22, 12, 0, 0, 0, time.UTC)

// World is a store under test with a clock and a boot id of its own. Unless dirty, it ends with a
// full fsck.
type World struct {
	T     testing.TB
	Path  string
	Dir   *disk.Dir
	Now   time.Time
	Boot  string
	Dirty bool

	Shared bool // git replaces the log
}

func NewWorld(t testing.TB) *World {
	w := &World{T: t, Path: t.TempDir(), Now: Noon, Boot: "boot-1"}
	w.Open()
	t.Cleanup(func() {
		if found := w.Check(); len(found) > 0 && !w.Dirty {
			t.Errorf("the test leaves a damaged store: %v", found)
		}
		w.Dir.Close()
	})
	return w
}

func (w *World) Open() {
	w.T.Helper()
	dir, err := disk.Open(w.Path)
	w.Must(err)
	w.Dir = dir
}

func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

func (w *World) File(name string) string { return filepath.Join(w.Path, filepath.FromSlash(name)) }

// Files are the store's.
func (w *World) Files() filestore.Files {
	return filestore.Files{Dir: w.Dir, Boot: w.Boot, Shared: w.Shared}
}

// Write runs fn on an open writer.
func (w *World) Write(fn func(*filestore.Writer) error) error {
	wr, err := w.Files().OpenWriter(w.Now)
	if err != nil {
		return err
	}
	defer wr.Close()
	return fn(wr)
}

// Set stores contents under keys: pairs of key and content, "null" deletes.
func (w *World) Set(pairs ...string) {
	w.T.Helper()
	w.Must(w.TrySet(pairs...))
}

func (w *World) TrySet(pairs ...string) error {
	return w.Write(func(wr *filestore.Writer) error {
		var batch []log.Envelope
		ts := wr.Watermark().MaxTS
		for i := 0; i < len(pairs); i += 2 {
			var err error
			if ts, err = log.NextStamp(w.Now, ts); err != nil {
				return err
			}
			batch = append(batch, log.Envelope{Key: keypath.MustParse(pairs[i]), TS: ts,
				Source: []byte(`"test"`), Content: []byte(pairs[i+1])})
		}
		return wr.Append(batch)
	})
}

func (w *World) Job(limits backend.Limits) *compact.Job {
	return &compact.Job{Dir: w.Dir, Now: w.Now, Boot: w.Boot, Lock: NoLock, Shared: w.Shared,
		CompactOptions: backend.CompactOptions{Limits: limits}}
}

func NoLock() (func() error, error) { return func() error { return nil }, nil }

var (
	KeepLog   = backend.Limits{Lines: 1 << 30, Bytes: 1 << 40}
	RotateLog = backend.Limits{Lines: 1, Bytes: 1}
)

func (w *World) Compact(limits backend.Limits) compact.Report {
	w.T.Helper()
	rep, err := w.Job(limits).Run()
	w.Must(err)
	return rep
}

// CompactByItself is Compact as a write starts it: it does not look into the files of the index.
func (w *World) CompactByItself(limits backend.Limits) compact.Report {
	w.T.Helper()
	job := w.Job(limits)
	job.NamesOnly = true
	rep, err := job.Run()
	w.Must(err)
	return rep
}

// Live returns the live contents by key, as a reader sees them.
func (w *World) Live() map[string]string {
	w.T.Helper()
	v, err := w.Files().Load()
	w.Must(err)
	defer v.Close()
	got := map[string]string{}
	last := ""
	for rec, err := range v.Live() {
		w.Must(err)
		if rec.Key.String() <= last {
			w.T.Fatalf("%s comes after %s", rec.Key, last)
		}
		last = rec.Key.String()
		got[last] = string(rec.Content)
	}
	return got
}

// Get looks one key up with filestore.Lookup.
func (w *World) Get(key string) (string, bool) {
	w.T.Helper()
	rec, ok, _, err := w.Files().Lookup(keypath.MustParse(key))
	w.Must(err)
	return string(rec.Content), ok
}

func (w *World) Check() []fsck.Finding {
	w.T.Helper()
	a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot, Shared: w.Shared}
	found, err := a.Run()
	w.Must(err)
	return found
}

// Repair audits and repairs once.
func (w *World) Repair() {
	w.T.Helper()
	a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot, Shared: w.Shared}
	found, err := a.Run()
	w.Must(err)
	w.Must((&fsck.Repairer{Checker: a, Findings: found}).Run())
}

// Seal repairs a store in which nothing is wrong but that lines have no checksum.
func (w *World) Seal() {
	w.T.Helper()
	for _, f := range w.Check() {
		if f.Name != "unsealed" {
			w.T.Errorf("besides lines without a checksum: %s", f)
		}
	}
	w.Repair()
}

// Edit changes the bytes of a file in place.
func (w *World) Edit(name string, fn func([]byte) []byte) {
	w.T.Helper()
	path := w.File(name)
	data, err := os.ReadFile(path)
	w.Must(err)
	fi, err := os.Stat(path)
	w.Must(err)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, fi.Mode())
	w.Must(err)
	_, err = f.Write(fn(data))
	w.Must(err)
	w.Must(f.Close())
}

// Tick waits until the clock of the file system has moved on since the last write, as it has when
// another program gets there.
func (w *World) Tick() {
	w.T.Helper()
	mark, err := w.Dir.Lstat(log.WatermarkFile)
	w.Must(err)
	for now := mark; disk.Changed(now) <= disk.Changed(mark); {
		w.Must(os.WriteFile(w.File("tick"), nil, 0o600))
		now, err = os.Stat(w.File("tick"))
		w.Must(err)
		w.Must(os.Remove(w.File("tick")))
	}
}

func (w *World) IndexFile(key string) string {
	return "index/" + string(keypath.MustParse(key).Path())
}

func Same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// Saved replaces the log as an editor does: a new file, renamed into place.
func Saved(w *World, fn func([]byte) []byte) {
	data, err := os.ReadFile(w.File(log.File))
	w.Must(err)
	w.Must(os.WriteFile(w.File("log.tmp"), fn(data), 0o600))
	w.Must(os.Rename(w.File("log.tmp"), w.File(log.File)))
}

// Keep stores bytes and the artifact that is about them, and returns their file below the root.
func (w *World) Keep(key, text string) (file string) {
	w.T.Helper()
	file = w.PutBlob(text)
	w.Set(key, ArtifactOf(text))
	return file
}

// PutBlob stores bytes that no artifact is about yet.
func (w *World) PutBlob(text string) (file string) {
	w.T.Helper()
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	blob, err := s.PutBlob(context.Background(), strings.NewReader(text), int64(len(text)))
	w.Must(err)
	return filestore.ArtifactsDir + "/" + blob.Sum
}

// ArtifactOf returns the content of an artifact that is about a text.
func ArtifactOf(text string) string {
	return fmt.Sprintf(`{"sha256":"%x","size":%d}`, sha256.Sum256([]byte(text)), len(text))
}

// ArtifactKey returns a key of an artifact, one for each number.
func ArtifactKey(n int) string { return fmt.Sprintf("/artifact/art_01JQ8ZV5Y3M4N6P7R8S9%06d", n) }

// Age makes a file as old as if it had been written an hour ago by the clock of the test.
func (w *World) Age(name string) {
	w.T.Helper()
	old := w.Now.Add(-time.Hour)
	w.Must(os.Chtimes(w.File(name), old, old))
}

// Output is the text that the artifact of a Specimen is about.
const Output = "what a tool printed\n"

// Specimen is a store with every kind of file: archive, state, a tail, a dead key, an old version
// in the live log, an artifact.
func Specimen(t testing.TB) *World {
	w := NewWorld(t)
	w.Set("/archived", `"plain"`, "/user/x", `{"type":"fact"}`, "/was-live", "1")
	w.Keep(ArtifactKey(1), Output)
	w.Compact(RotateLog)
	w.Set("/a", `"old value"`, "/dead", `1`)
	w.Set("/a", `"new value"`, "/b/c", `[1,2]`, "/dead", "null")
	w.Compact(KeepLog)
	w.Set("/user/x", `{"type":"fact","v":2}`, "/was-live", "null", "/tail", `"plain"`)
	return w
}
