package fsck_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

var errStopped = errors.New("stopped")

// accept accepts the loss of an archive.
func accept(w *storetest.World, file string) error {
	c := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
	found, err := c.Run()
	if err != nil {
		return err
	}
	loss, err := c.Loss(file)
	if err != nil {
		return err
	}
	return (&fsck.Repairer{Checker: c, Findings: found, Accepted: loss.File}).Run()
}

// twoArchives has an archive with memories, and one with the deletion of one of them.
func twoArchives(t testing.TB) (w *storetest.World, names []string) {
	w = storetest.Specimen(t)
	w.Set("/archived", "null")
	w.Compact(storetest.RotateLog)
	w.Set("/last", "1")
	names, err := log.Archives(w.Dir)
	w.Must(err)
	if len(names) != 2 {
		t.Fatal(names)
	}
	return w, names
}

// harms are what can happen to an archive that has no backup.
var harms = map[string]func(w *storetest.World, name string){
	"removed": func(w *storetest.World, name string) { w.Must(os.Remove(w.File(name))) },
	"cut": func(w *storetest.World, name string) {
		w.Edit(name, func(b []byte) []byte { return b[:len(b)-30] })
	},
	"cut at a line": func(w *storetest.World, name string) {
		w.Edit(name, func(b []byte) []byte { return b[:bytes.IndexByte(b, '\n')+1] })
	},
	"emptied": func(w *storetest.World, name string) {
		w.Edit(name, func([]byte) []byte { return nil })
	},
	"zeros, and cut": func(w *storetest.World, name string) {
		w.Edit(name, func(b []byte) []byte {
			clear(b[:bytes.IndexByte(b, '\n')-20])
			return b[:len(b)-1]
		})
	},
}

// A loss that is accepted is no finding any more: every sound line stays, damaged bytes go to
// quarantine/, and what was deleted stays so although the line that deleted it is lost.
func TestALossIsAccepted(t *testing.T) {
	for how, harm := range harms {
		for i := range 2 {
			for _, repaired := range []bool{false, true} {
				w, names := twoArchives(t)
				live := w.Live()
				harm(w, names[i])
				sound := soundLines(w)
				if repaired {
					w.Repair()
				}
				w.Must(accept(w, names[i]))
				for _, step := range []func(){func() {}, func() { w.Set("/next", "1") },
					func() { w.Compact(storetest.RotateLog) }, w.Repair} {
					step()
					if found := w.Check(); len(found) > 0 {
						t.Errorf("%s, %s: %v", how, names[i], found)
					}
				}
				live["/next"] = "1"
				storetest.Same(t, how, w.Live(), live)
				for line := range sound {
					if !soundLines(w)[line] {
						t.Errorf("%s, %s: gone: %s", how, names[i], line)
					}
				}
			}
		}
	}
}

// soundLines returns the lines of log and archives that can be read.
func soundLines(w *storetest.World) map[string]bool {
	lines := map[string]bool{}
	names, err := log.Archives(w.Dir)
	w.Must(err)
	for _, name := range append(names, log.File) {
		f, err := w.Dir.Open(name)
		w.Must(err)
		for rec, err := range log.ScanStrict(f, name, log.Start{}) {
			if err == nil {
				lines[string(rec.Line)] = true
			}
		}
		f.Close()
	}
	return lines
}

// Damaged bytes are in quarantine/ afterwards.
func TestAnAcceptedLossIsSetAside(t *testing.T) {
	w, names := twoArchives(t)
	harms["cut"](w, names[1])
	w.Must(accept(w, names[1]))
	files, err := filepath.Glob(w.File(log.QuarantineDir + "/*"))
	w.Must(err)
	text := ""
	for _, file := range files {
		b, err := os.ReadFile(file)
		w.Must(err)
		text += string(b)
	}
	if !strings.Contains(text, `"/archived"`) {
		t.Errorf("%v: %s", files, text)
	}
}

// The archive that comes back is part of the history again.
func TestAnAcceptedLossComesBack(t *testing.T) {
	w, names := twoArchives(t)
	whole, err := os.ReadFile(w.File(names[0]))
	w.Must(err)
	live := w.Live()
	w.Must(os.Remove(w.File(names[0])))
	w.Must(accept(w, names[0]))
	w.Must(os.WriteFile(w.File(names[0]), whole, 0o600))
	w.Compact(storetest.KeepLog)
	storetest.Same(t, "with the archive", w.Live(), live)
}

// Where nothing is lost that a repair does not put right, there is nothing to accept.
func TestNoLoss(t *testing.T) {
	w, names := twoArchives(t)
	w.Edit(names[0], func(b []byte) []byte {
		return bytes.Replace(b, []byte("plain"), []byte("pleas"), 1)
	})
	for file, says := range map[string]string{
		names[0]:                     "a repair does what can be done about it",
		"./" + names[1]:              "it is as it was written",
		log.File:                     "it is no archive",
		"state.jsonl":                "it is no archive",
		"index":                      "this store has no such archive",
		"archive":                    "this store has no such archive",
		"archive/log_19990101.jsonl": "this store has no such archive",
		"../" + names[0]:             "this store has no such archive",
		"":                           "this store has no such archive",
	} {
		err := accept(w, file)
		if !errors.Is(err, fsck.ErrNoLoss) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", file, err)
		}
	}
	w.Repair()
}

// A number that only lost lines had is still known to have been given.
func TestNumbersOutliveALoss(t *testing.T) {
	w := storetest.NewWorld(t)
	const deleted = "/note/workspace/m-5-abcdef"
	w.Set(deleted, `{"text":"x"}`, "/note/workspace/m-5-ghijkl", `{"text":"y"}`)
	w.Set(deleted, "null")
	w.Compact(storetest.RotateLog)
	w.Set("/next", "1")
	names, err := log.Archives(w.Dir)
	w.Must(err)
	w.Must(os.Remove(w.File(names[0])))
	w.Must(accept(w, names[0]))
	s, err := filestore.Open(w.Path, filestore.Options{Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	numbers, err := s.Numbers(t.Context())
	w.Must(err)
	defer numbers.Close()
	keys, err := numbers.Of(5)
	w.Must(err)
	if len(keys) != 2 || keys[0].String() != deleted {
		t.Errorf("of 5: %v", keys)
	}
}

// What is lost is named as far as it can be read.
func TestALossIsNamed(t *testing.T) {
	w, names := twoArchives(t)
	harms["cut"](w, names[1])
	c := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
	_, err := c.Run()
	w.Must(err)
	loss, err := c.Loss(names[1])
	w.Must(err)
	if loss.File != names[1] || !strings.Contains(loss.Fault, "bytes of") ||
		loss.Until == "" || loss.After == "" || loss.Kept == 0 || len(loss.Lines) != 1 ||
		loss.Lines[0].Key != "/archived" || loss.Lines[0].TS == "" {
		t.Errorf("%+v", loss)
	}
	w.Must(accept(w, names[1]))
}

// An acceptance that is killed at any call is not given, or is; the next one, or a repair, ends it.
func TestAnAcceptanceIsKilled(t *testing.T) {
	way := testkit.Extent(8, 2, 1)
	for how, harm := range harms {
		for n := testkit.First(t, way); ; n += way {
			w, names := twoArchives(t)
			live := w.Live()
			harm(w, names[1])
			calls := 0
			disk.SetHook(func(op disk.Op, _ string) error {
				if op.Mutates() {
					calls++
				}
				if op.Mutates() && calls >= n {
					return errStopped
				}
				return nil
			})
			err := accept(w, names[1])
			disk.SetHook(nil)
			storetest.Same(t, how, w.Live(), live)
			if finds(w, fsck.CheckArchive) {
				w.Must(accept(w, names[1]))
			} else {
				w.Repair()
			}
			if found := w.Check(); len(found) > 0 {
				t.Fatalf("%s, call %d: %v", how, n, found)
			}
			want := maps.Clone(live)
			want["/next"] = "1"
			w.Set("/next", "1")
			storetest.Same(t, how, w.Live(), want)
			if err == nil {
				t.Logf("%s: %d calls", how, n)
				break
			}
		}
	}
}
