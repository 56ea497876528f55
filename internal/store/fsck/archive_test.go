package fsck_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// No repair, write or compaction makes the finding go away; only the archive itself does.
func TestAnArchiveThatIsNotThere(t *testing.T) {
	for how, do := range map[string]func(w *storetest.World, name string){
		"removed": func(w *storetest.World, name string) { w.Must(os.Remove(w.File(name))) },
		"cut at a line": func(w *storetest.World, name string) {
			w.Edit(name, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
		},
		"cut": func(w *storetest.World, name string) { w.Must(os.Truncate(w.File(name), 50)) },
		"emptied": func(w *storetest.World, name string) {
			w.Edit(name, func([]byte) []byte { return nil })
		},
		"another in its place": func(w *storetest.World, name string) {
			data, err := os.ReadFile(w.File(log.File))
			w.Must(err)
			w.Must(os.WriteFile(w.File(name), data, 0o600))
		},
	} {
		t.Run(how, func(t *testing.T) {
			w := storetest.Specimen(t)
			names, err := log.Archives(w.Dir)
			w.Must(err)
			whole, err := os.ReadFile(w.File(names[0]))
			w.Must(err)
			live := w.Live()
			do(w, names[0])
			for _, step := range []func(){
				func() {}, w.Repair, func() { w.Set("/next", "1") },
				func() { w.Compact(storetest.KeepLog) }, func() { w.Compact(storetest.RotateLog) },
				w.Repair,
			} {
				step()
				if !finds(w, fsck.CheckArchive) {
					t.Error("nothing is found")
				}
			}
			live["/next"] = "1"
			storetest.Same(t, "without the archive", w.Live(), live)
			w.Must(os.WriteFile(w.File(names[0]), whole, 0o600))
			storetest.Same(t, "with the archive back in its place", w.Live(), live)
		})
	}
}

func finds(w *storetest.World, check fsck.Check) bool {
	for _, f := range w.Check() {
		if f.Check == check.ID {
			return true
		}
	}
	return false
}

// A clock that is behind accuses nobody, and one that is ahead does not either.
func TestTheClockIsNoWitness(t *testing.T) {
	for _, years := range []int{-10, -1, 1, 10} {
		w := storetest.Specimen(t)
		w.Now = storetest.Noon.AddDate(0, 1, 0)
		w.Set("/later", `{"text":"a month","expired_at":"2026-04-22T12:00:00Z"}`)
		w.Compact(storetest.RotateLog)
		w.Now = storetest.Noon.AddDate(0, 3, 0)
		w.Set("/k", "1")
		if rep := w.Compact(storetest.KeepLog); rep.Expired != 1 {
			t.Fatalf("expired: %d", rep.Expired)
		}
		w.Now = storetest.Noon.AddDate(years, 0, 0)
		if found := w.Check(); len(found) > 0 {
			t.Errorf("%d years off: %v", years, found)
		}
		before := w.Live()
		w.Repair()
		storetest.Same(t, "after a repair", w.Live(), before)
		w.Compact(storetest.KeepLog)
		if found := w.Check(); len(found) > 0 {
			t.Errorf("%d years off, after a compaction: %v", years, found)
		}
	}
}

// A clock that went back by a day: what is stamped a microsecond after a record that is not ahead
// of it is not ahead either.
func TestAClockOneDayBehind(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/first", "1")
	w.Now = storetest.Noon.Add(time.Minute)
	w.Set("/k", "1")
	w.Now = w.Now.AddDate(0, 0, -1)
	w.Set("/k", "2")
	w.Set("/k", "3")
	if found := w.Check(); len(found) > 0 {
		t.Error(found)
	}
}

// A copy is sound before anything is written to it, and on media that are read-only for ever.
func TestACopyIsSound(t *testing.T) {
	w := storetest.Specimen(t)
	to := t.TempDir()
	w.Must(os.CopyFS(to, os.DirFS(w.Path)))
	w.Dir.Close()
	w.Path = to
	w.Open()
	for _, f := range w.Check() {
		if f.Check != fsck.CheckMode.ID {
			t.Errorf("found in a copy: %s", f)
		}
	}
	w.Repair()
}

// What a folder sync leaves beside the log is named, by a check and by a look, and stays: nothing
// else that a person put there is.
func TestCopiesOfTheLogAreNamed(t *testing.T) {
	for name, named := range map[string]bool{
		"log.sync-conflict-20261123-120000-ABCDEFG.jsonl": true,
		"log (conflicted copy).jsonl":                     true,
		"log (Ada's conflicted copy 2026-11-23).jsonl":    true,
		"log (1).jsonl": true,
		"mine.jsonl":    false,
		"log.txt":       false,
		"state.sync-conflict-20261123-120000-ABCDEFG.json": false,
	} {
		w := storetest.Specimen(t)
		w.Must(os.WriteFile(w.File(name), []byte("{}\n"), 0o600))
		for range 2 {
			found := w.Check()
			if got := len(found) == 1 && found[0].Check == fsck.CheckCopy.ID &&
				found[0].File == name; got != named || !named && len(found) > 0 {
				t.Errorf("%s: %v", name, found)
			}
			w.Repair()
		}
		w.Must(os.Remove(w.File(name)))
	}
}
