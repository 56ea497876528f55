package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A program that syncs folders leaves files of two machines in one store, each of which has written
// and compacted on its own. Whatever it mixes, and whatever comes next: every version that a log,
// an archive or a state holds is in the history afterwards, or in quarantine/.
func TestMixturesLoseNoVersion(t *testing.T) {
	lines := 0
	for n := range testkit.Extent(60, 200, 200) {
		d := &drawn{Rand: rand.New(rand.NewPCG(4, uint64(n)))}
		a, b := storetest.NewWorld(t), storetest.NewWorld(t)
		a.Dirty, b.Dirty = true, true // they are looked at here
		for range 1 + d.IntN(4) {
			d.step(a)
		}
		b.Must(os.CopyFS(b.Path, os.DirFS(a.Path)))
		b.Now = a.Now
		b.Repair()
		for range 1 + d.IntN(5) {
			d.step(a)
			d.step(b)
		}
		mixed := d.mix(a, b)
		have := sealedLines(b, "log.jsonl", "state.jsonl", "archive")
		next := d.next(b)
		after := sealedLines(b, "log.jsonl", "archive", "quarantine")
		for line := range have {
			if lines++; !after[line] {
				t.Errorf("%d: %s of the other machine, then %s: lost %s", n, mixed, next, line)
			}
		}
		b.Repair()
		for _, f := range b.Check() {
			if f.Name != "archive" { // the checkpoint of the other machine knows of more
				t.Errorf("%d: %s, then %s: %s", n, mixed, next, f)
			}
		}
	}
	if t.Logf("%d lines", lines); lines < testkit.Extent(150, 500, 500) {
		t.Error("that is too little")
	}
}

// drawn draws what two machines do, and what a sync leaves of it.
type drawn struct {
	*rand.Rand
	n int
}

// step writes, deletes or compacts on one machine.
func (d *drawn) step(w *storetest.World) {
	w.Now = w.Now.Add(time.Duration(1+d.IntN(9000)) * time.Millisecond)
	key := fmt.Sprintf("/k%d", d.IntN(4))
	switch d.IntN(6) {
	case 0:
		w.Set(key, "null")
	case 1:
		w.Compact(storetest.KeepLog)
	case 2:
		w.Compact(storetest.RotateLog)
	default:
		d.n++
		w.Set(key, fmt.Sprintf(`"v%d"`, d.n))
	}
}

// mix replaces some files of b by those of a, as a sync does: by rename, or in place.
func (d *drawn) mix(a, b *storetest.World) (mixed []string) {
	for _, name := range []string{"log.jsonl", "state.jsonl", "checkpoint.json", "watermark",
		"archive", "cache", "index"} {
		if d.IntN(2) == 0 {
			continue
		}
		mixed = append(mixed, name)
		byRename := d.IntN(2) == 0
		err := filepath.WalkDir(a.File(name), func(from string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			below, _ := filepath.Rel(a.Path, from)
			to := b.File(filepath.ToSlash(below))
			text, err := os.ReadFile(from)
			b.Must(err)
			b.Must(os.MkdirAll(filepath.Dir(to), 0o700))
			if byRename {
				b.Must(os.WriteFile(to+".sync", text, 0o600))
				return os.Rename(to+".sync", to)
			}
			return os.WriteFile(to, text, 0o600)
		})
		if !errors.Is(err, fs.ErrNotExist) {
			b.Must(err)
		}
	}
	return mixed
}

// next does what comes after the sync.
func (d *drawn) next(w *storetest.World) string {
	w.Now = w.Now.Add(time.Minute)
	switch d.IntN(5) {
	case 0:
		w.Compact(storetest.KeepLog)
		return "a compaction"
	case 1:
		w.CompactByItself(storetest.RotateLog)
		return "a rotation"
	case 2:
		w.Repair()
		return "a repair"
	case 3:
		w.Set("/gone", `"zanzibar"`)
		s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
		w.Must(err)
		defer s.Close()
		_, err = s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
			Keys: []keypath.Key{keypath.MustParse("/gone")}, Source: []byte(`{"purged":true}`)})
		w.Must(err)
		return "a purge"
	}
	w.Set("/k0", `"next"`)
	w.Compact(storetest.KeepLog)
	return "a write and a compaction"
}

// sealedLines returns the sealed lines in files of a store.
func sealedLines(w *storetest.World, names ...string) map[string]bool {
	found := map[string]bool{}
	for _, name := range names {
		err := filepath.WalkDir(w.File(name), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for rec, bad := range log.Scan(strings.NewReader(string(text)), name, log.Start{}) {
				if bad == nil && !rec.Unsealed {
					found[string(rec.Line)] = true
				}
			}
			return err
		})
		if !errors.Is(err, fs.ErrNotExist) {
			w.Must(err)
		}
	}
	return found
}

// An old state does not bring back what was purged since, even where the key was written again.
func TestAMixtureBringsNothingPurgedBack(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/k", `"zanzibar"`, "/other", "1")
	w.Compact(storetest.KeepLog)
	old, err := os.ReadFile(w.File("state.jsonl"))
	w.Must(err)
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	w.Boot = s.Boot()
	_, err = s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
		Keys: []keypath.Key{keypath.MustParse("/k")}, Source: []byte(`{"purged":true}`)})
	w.Must(err)
	w.Set("/k", `"lamu"`)
	w.Must(os.WriteFile(w.File("state.jsonl"), old, 0o600))
	w.Compact(storetest.KeepLog)
	w.Repair()
	for line := range sealedLines(w, "log.jsonl", "state.jsonl", "quarantine", "archive") {
		if strings.Contains(line, "zanzibar") {
			t.Errorf("it is back: %s", line)
		}
	}
}
