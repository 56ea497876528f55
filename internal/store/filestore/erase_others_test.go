package filestore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// put writes a file below the root.
func (x *erasing) put(name, text string) {
	x.T.Helper()
	x.Must(os.MkdirAll(filepath.Dir(x.File(name)), 0o700))
	x.Must(os.WriteFile(x.File(name), []byte(text), 0o600))
}

// small is a store with one memory to forget and one to keep.
func small(t *testing.T) *erasing {
	x := &erasing{World: storetest.NewWorld(t), key: "/bob"}
	x.Dirty = true // of files that are not mem's
	x.Set("/al", `{"text":"al, first","at":"shared"}`, x.key,
		`{"text":"lives in `+marker+`","tags":["json"],"at":"shared"}`)
	return x
}

// after erases the key and checks which texts are left below the root, and which are not.
func (x *erasing) after(what string, kept, gone []string) backend.Proof {
	x.T.Helper()
	proof, err := x.erase(true)
	x.Must(err)
	var all bytes.Buffer
	x.Must(filepath.WalkDir(x.Path, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			x.Must(err) // a file that cannot be read would count as one without the texts
			all.WriteString(path + "\n")
			all.Write(text)
		}
		return err
	}))
	for _, text := range kept {
		if !strings.Contains(all.String(), text) {
			x.T.Errorf("%s: %q is gone", what, text)
		}
	}
	for _, text := range gone {
		if strings.Contains(all.String(), text) {
			x.T.Errorf("%s: %q is left; %+v", what, text, proof)
		}
	}
	return proof
}

// A purge takes nothing that is not its own: not by a word in a name, nor by a value that others
// hold too, nor because it cannot look.
func TestEraseTakesNothingElse(t *testing.T) {
	x := small(t)
	x.put("index/new.json", "by hand")
	x.put("quarantine/20261122T000000Z-log.jsonl-lines", "set aside\n"+
		`{"kez":"/al","source":"shared","content":"al, damaged"}`+"\n")
	x.put("index/x/large.bin", strings.Repeat("\x00", 40<<20)+"unread")
	proof := x.after("files", []string{"by hand", "set aside", "al, damaged", "unread"},
		[]string{marker})
	if strings.Join(proof.Beyond, " ") !=
		"index/x/large.bin quarantine/20261122T000000Z-log.jsonl-lines" && len(proof.Beyond) != 1 {
		t.Errorf("not looked into: %v", proof.Beyond)
	}
	if got := x.Live()["/al"]; !strings.Contains(got, "al, first") {
		t.Errorf("live: %v", x.Live())
	}
}

// Of joined lines the part of another key stays, whichever comes first, and whether their line
// break is gone or a bit of it has flipped.
func TestEraseTakesJoinedLinesApart(t *testing.T) {
	for _, how := range []string{"/al", "/bob", "/al\v", "/bob\v"} {
		first, joint, _ := strings.Cut(how, "\v")
		if how != first {
			joint = "\v"
		}
		x := small(t)
		x.Edit(log.File, func(b []byte) []byte {
			lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
			if first == "/bob" {
				lines[0], lines[1] = lines[1], lines[0]
			}
			return append(bytes.Join(lines, []byte(joint)), '\n')
		})
		x.after(how+" first", []string{"al, first"}, []string{marker})
		if got := x.Live()["/al"]; !strings.Contains(got, "al, first") {
			t.Errorf("%q first: live %v", how, x.Live())
		}
		if found := x.Check(); len(found) > 0 {
			t.Errorf("%q first: %v", how, found)
		}
	}
}

// Copies that hide are found: in another key's place, ahead of the watermark, over several lines,
// spelled otherwise, and at the end of a line that lost its head.
func TestEraseFindsHiddenCopies(t *testing.T) {
	x := small(t)
	own, err := os.ReadFile(x.File(x.IndexFile(x.key)))
	x.Must(err)
	x.put(x.IndexFile("/al"), string(own))
	x.Set(x.key, `{"text":"first\nand second éé/é","at":"shared"}`)
	x.put("quarantine/lines.md", "first\nand second éé/é\n")
	x.put("quarantine/ascii", `x "first\nand second \u00E9\u00E9\/\u00E9"`+"\n")
	ahead := log.Envelope{Key: keypath.MustParse(x.key), Source: []byte(`"x"`),
		TS: log.StampOf(x.Now.Add(3 * time.Hour)), Content: []byte(`"ahead of time"`)}
	x.put("archive/log_20260101T000000Z.jsonl", string(ahead.Line())+"\n")
	line := string(ahead.Line())
	x.put("quarantine/tail", "\x00\x00\x00"+line[len(line)-100:]+"\n")
	x.after("hidden", []string{"al, first"}, []string{marker, "and second", "ahead of time",
		line[len(line)-80:]})
	x.Repair()
	if got := x.Live()["/al"]; !strings.Contains(got, "al, first") {
		t.Errorf("live: %v", x.Live())
	}
}

// A plan that was not made in this store is no order to delete; one that cannot be finished stops
// no write; and a copy of the log beside it is a failure that names it.
func TestErasePlansOfOthers(t *testing.T) {
	x := small(t)
	plan := &purge.Plan{Keys: []keypath.Key{keypath.MustParse("/al")}, Lock: 7,
		Horizon: log.StampOf(x.Now) + 1e6, Source: []byte(`{"purged":true}`)}
	x.Must(purge.Write(x.Dir, plan))
	x.Must(x.trySet("/h", "1"))
	if got := x.Live()["/al"]; got == "" {
		t.Error("a planted plan has deleted /al")
	}
	x.Repair()
	info, err := os.Lstat(x.File(log.LockFile))
	x.Must(err)
	plan.Lock, plan.Keys[0] = inode(info), keypath.MustParse(x.key)
	x.Must(purge.Write(x.Dir, plan))
	x.Must(x.trySet("/h", "2"))
	if got, _ := x.Get("/h"); got != "2" {
		t.Errorf("the write is %q", got)
	}
	x.Set(x.key, `"`+marker+` again"`)
	text, err := os.ReadFile(x.File(log.File))
	x.Must(err)
	x.put("log.jsonl.bak", string(text))
	proof, err := x.erase(true)
	if err != nil || strings.Join(proof.Remains, " ") != "log.jsonl.bak" {
		t.Errorf("%+v, %v", proof, err)
	}
}

// A purge that was killed before its tombstones has them with the next write, also where it cannot
// be finished. Then neither a compaction nor another purge begins.
func TestEraseBuriesFirst(t *testing.T) {
	for n := 1; ; n++ {
		x := newErasing(t)
		calls := killAt(n)
		x.erase(false)
		calls()
		if !x.begun() {
			continue
		}
		disk.SetHook(func(op disk.Op, path string) error {
			if op.Mutates() && strings.Contains(path, "quarantine") {
				return errKilled
			}
			return nil
		})
		x.Must(x.trySet("/h", "1"))
		_, compacted := x.Job(storetest.KeepLog).Run()
		_, erased := x.erase(false)
		disk.SetHook(nil)
		if _, live := x.Get(x.key); live || !x.begun() {
			t.Errorf("call %d: live %v, begun %v", n, live, x.begun())
		}
		if !errors.Is(compacted, errKilled) || !errors.Is(erased, errKilled) {
			t.Errorf("call %d: a compaction: %v; another purge: %v", n, compacted, erased)
		}
		x.Must(x.trySet("/h", "2"))
		for _, name := range x.found() {
			if name != log.File {
				t.Errorf("call %d: the marker is in %s", n, name)
			}
		}
		return
	}
}

func inode(info os.FileInfo) uint64 { return disk.Ino(info) }

// A state that cannot be read is made anew of all that stays, and what only it has stays too.
func TestEraseWithADamagedState(t *testing.T) {
	x := newErasing(t)
	alone := log.Envelope{Key: keypath.MustParse("/alone"), TS: 7, Source: []byte(`"x"`),
		Content: []byte(`"in the state alone"`)}
	x.Edit("state.jsonl", func(b []byte) []byte {
		first, rest, _ := bytes.Cut(b, []byte("\n"))
		first = append(bytes.Replace(first, []byte("a"), []byte("b"), 1), '\n')
		return slices.Concat(first, alone.Line(), []byte("\n"), rest)
	})
	x.Must(os.Remove(x.File("checkpoint.json")))
	_, err := x.erase(true)
	x.Must(err)
	x.Set("/h", "1")
	if got := x.Live(); got["/alone"] != `"in the state alone"` || got["/a"] == "" {
		t.Errorf("live: %v", got)
	}
	if found := x.found(); len(found) > 0 {
		t.Errorf("the marker is in %v", found)
	}
}

// A purge that the index keeps from beginning does not claim that anything is stored.
func TestEraseWithoutAnIndexStoresNothing(t *testing.T) {
	x := small(t)
	x.Must(os.RemoveAll(x.File("index")))
	x.Must(os.Remove(x.File("watermark")))
	x.put("index", "no directory")
	before := x.lines()
	if _, err := x.erase(true); err == nil || errors.Is(err, backend.ErrStored) {
		t.Error(err)
	}
	if got := x.lines(); len(got) != len(before) || x.begun() {
		t.Errorf("%d lines, before %d; a plan: %v", len(got), len(before), x.begun())
	}
	x.Must(os.Remove(x.File("index")))
}
