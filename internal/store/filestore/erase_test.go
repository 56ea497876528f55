package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// marker stands in all that is to be forgotten. It is found however it is spelled.
const marker = "zanzibar4711"

// erasing is a store whose key /person/MARKER is to be forgotten, with traces of it wherever mem
// leaves some.
type erasing struct {
	*storetest.World
	key    string
	others map[string]string // what else was ever stored: the lines by key and ts
}

func newErasing(t testing.TB) *erasing {
	x := &erasing{World: storetest.NewWorld(t), key: "/person/" + marker}
	x.Set("/a", `{"text":"first"}`, x.key, content("one"), "/b/c", `"old value"`)
	x.Set(x.key, content("two"), "/a", `{"text":"second"}`)
	x.Compact(storetest.RotateLog)
	x.Now = x.Now.Add(time.Minute)
	x.Set(x.key, content("three"), "/d", "1", "/e", `["牙科"]`)
	x.Compact(storetest.RotateLog)
	x.Now = x.Now.Add(time.Minute)
	x.Set(x.key, content("four"), "/f", "1", "/a", `{"text":"third"}`)
	x.Compact(storetest.KeepLog)
	x.Set("/g", "1", x.key, content("five"))
	x.traces()
	x.others = x.lines()
	return x
}

func content(version string) string {
	return fmt.Sprintf(`{"text":"%s \"%s\" é","tags":["%s"],"n":47110815}`, marker, version, marker)
}

// traces adds what a user and killed processes may have left.
func (x *erasing) traces() {
	write := func(name, text string) {
		x.Must(os.MkdirAll(filepath.Dir(x.File(name)), 0o700))
		x.Must(os.WriteFile(x.File(name), []byte(text), 0o600))
	}
	line := log.Envelope{Key: keypath.MustParse(x.key), TS: 7, Source: []byte(`"x"`),
		Content: []byte(content("lost"))}.Line()
	other := log.Envelope{Key: keypath.MustParse("/q"), TS: 7, Source: []byte(`"x"`),
		Content: []byte(`"kept"`)}.Line()
	write("quarantine/20260222T120000Z-log.jsonl-lines", string(line)+"\n"+string(other)+"\n")
	write("quarantine/20260222T120000Z-tail", `{"key":"/person/`+marker+`","ts":"20`)
	write("quarantine/20260222T120000Z-"+log.FlatName("index/"+x.IndexFile(x.key)[len("index/"):]),
		"{\n  \"key\": \"edited by hand")
	write(".tmp-0123456789abcdef", string(line))
	write("archive/.tmp-0123456789abcdef", string(line))
	write("cache/.tmp-0123456789abcdef", marker)
	write("index/person/.tmp-0123456789abcdef", string(line))
	write("ops.jsonl", fmt.Sprintf("{\"at\":\"x\",\"op\":\"set\",\"key\":%q,\"ms\":1}\n"+
		"{\"at\":\"x\",\"op\":\"set\",\"key\":\"/a\",\"ms\":1}\n"+
		"{\"at\":\"x\",\"op\":\"set\",\"error\":\"about %s\"}\n", x.key, x.key))
	write("injections.jsonl", fmt.Sprintf("{\"at\":\"x\",\"memories\":["+
		"{\"key\":\"/a\",\"ts\":\"t\"},{\"key\":%q,\"ts\":\"t\"}],\"tokens\":7}\n", x.key))
}

// open opens the store as a process does.
func (x *erasing) open() *filestore.Store {
	s, err := filestore.Open(x.Path, filestore.Options{Now: func() time.Time { return x.Now }})
	x.Must(err)
	x.Boot = s.Boot()
	return s
}

func (x *erasing) erase(forget bool) (proof backend.Proof, err error) {
	s, err := filestore.Open(x.Path, filestore.Options{Now: func() time.Time { return x.Now }})
	if err != nil {
		return proof, err
	}
	defer s.Close()
	return s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
		Keys:   []keypath.Key{keypath.MustParse(x.key)},
		Source: []byte(`{"kind":"user","name":"mem forget","purged":true}`), Forget: forget,
	})
}

// lines returns every line of the history but those of the key.
func (x *erasing) lines() map[string]string {
	all := map[string]string{}
	for rec, err := range x.Files().History() {
		x.Must(err)
		if rec.Key.String() != x.key {
			all[rec.Key.String()+" "+rec.TS.String()] = string(rec.Line)
		}
	}
	return all
}

// found returns the files that hold the marker, or have it in their names.
func (x *erasing) found() (files []string) {
	x.Must(filepath.WalkDir(x.Path, func(path string, d fs.DirEntry, err error) error {
		x.Must(err)
		name, _ := filepath.Rel(x.Path, path)
		text := []byte(nil)
		if d.Type().IsRegular() {
			text, err = os.ReadFile(path)
			x.Must(err)
		}
		if strings.Contains(name, marker) || bytes.Contains(text, []byte(marker)) {
			files = append(files, name)
		}
		return nil
	}))
	return files
}

// check checks what must hold when the marker is forgotten with its key.
func (x *erasing) check(what string) {
	x.T.Helper()
	if found := x.found(); len(found) > 0 {
		x.T.Fatalf("%s: the marker is in %v", what, found)
	}
	if got := x.lines(); !maps.Equal(got, x.others) {
		x.T.Fatalf("%s: the others have\n%v, want\n%v", what, got, x.others)
	}
	if found := x.Check(); len(found) > 0 {
		x.T.Fatalf("%s: %v", what, found)
	}
	kept, err := os.ReadFile(x.File("quarantine/20260222T120000Z-log.jsonl-lines"))
	if err != nil || !strings.Contains(string(kept), "kept") {
		x.T.Fatalf("%s: what else was quarantined: %q, %v", what, kept, err)
	}
}

func TestErase(t *testing.T) {
	x := newErasing(t)
	proof, err := x.erase(true)
	x.Must(err)
	if proof.Versions != 5 || len(proof.Remains)+len(proof.Others)+proof.Short > 0 {
		t.Errorf("%+v", proof)
	}
	x.check("forgotten")
	if ops, _ := os.ReadFile(x.File("ops.jsonl")); strings.Count(string(ops), "\n") != 1 {
		t.Errorf("journal:\n%s", ops)
	}
	told, _ := os.ReadFile(x.File("injections.jsonl"))
	if want := `{"at":"x","memories":[{"key":"/a","ts":"t"}],"tokens":7}` + "\n"; string(told) != want {
		t.Errorf("injections:\n%s", told)
	}
	x.Compact(storetest.KeepLog)
	x.check("compacted")
}

// With tombstones the key stays, and nothing of what it held.
func TestEraseLeavesATombstone(t *testing.T) {
	x := newErasing(t)
	proof, err := x.erase(false)
	x.Must(err)
	if proof.Versions != 5 || len(proof.Remains) > 0 {
		t.Errorf("%+v", proof)
	}
	x.Set("/again", "1")
	lines := 0
	for rec, err := range x.Files().History() {
		x.Must(err)
		if rec.Key.String() == x.key {
			if lines++; rec.Valid() || rec.TS != proof.Horizon {
				t.Errorf("%s", rec.Line)
			}
		}
	}
	for _, name := range x.found() {
		if name != log.File {
			t.Errorf("the marker is in %s", name)
		}
	}
	if lines != 1 {
		t.Errorf("%d lines of the key", lines)
	}
	// An old copy does not bring it back, and a later write is as any other.
	x.Set(x.key, `"new"`)
	x.Compact(storetest.KeepLog)
	if got, _ := x.Get(x.key); got != `"new"` {
		t.Errorf("get returns %q", got)
	}
}

// The number of a key that leaves no trace is not given again, wherever its purge is killed.
func TestEraseKeepsNumbers(t *testing.T) {
	way := testkit.Extent(4, 1, 1)
	for n := testkit.First(t, way); ; n += way {
		x := &erasing{World: storetest.NewWorld(t), key: "/note/user/m-7"}
		x.Set("/a", "1", x.key, content("note"))
		x.Compact(storetest.KeepLog)
		calls := killAt(n)
		_, err := x.erase(true)
		total := calls()
		x.Must(x.trySet("/h", "1"))
		s := x.open()
		x.Must(s.Update(t.Context(), backend.Caller{}, "set", func(tx backend.Tx) error {
			number, err := tx.NextNumber(t.Context(), "note")
			if err == nil && number != 8 {
				t.Errorf("killed before call %d: the next number is %d", n, number)
			}
			return err
		}))
		x.Must(s.Close())
		if err == nil && total < n {
			t.Logf("%d calls", total)
			return
		}
	}
}

// A purge that an earlier build began is done again: it named the archives that it had replaced.
func TestEraseOfAnEarlierBuild(t *testing.T) {
	for replaced := range 2 {
		x := newErasing(t)
		x.Must(x.trySet("/h", "1"))
		x.others = x.with("/h")
		first := archives(x.World)[0]
		if replaced == 1 {
			x.Edit(first, func(b []byte) (kept []byte) {
				for line := range bytes.Lines(b) {
					if !bytes.Contains(line, []byte(marker)) {
						kept = append(kept, line...)
					}
				}
				return kept
			})
		}
		info, err := os.Lstat(x.File(log.LockFile))
		x.Must(err)
		plan := log.Seal(fmt.Appendf(nil, `{"v":1,"horizon":%q,"keys":[%q],"tombstones":false,`+
			`"source":{"purged":true},"lock":%d,"archives":[{"name":%q,"old_size":9,"old_sum":"s",`+
			`"size":1,"sum":"t"}]}`, log.StampOf(x.Now)+1e6, x.key, inode(info), first))
		x.put("purge.json", string(plan)+"\n")
		x.Must(x.trySet("/h", "2"))
		x.others = x.with("/h")
		x.check(fmt.Sprintf("%d archives replaced", replaced))
	}
}

// begun reports whether the plan is there, or was.
func (x *erasing) begun() bool {
	_, err := os.Lstat(x.File("purge.json"))
	return err == nil
}

// trySet writes as another process does.
func (x *erasing) trySet(key, text string) error {
	s := x.open()
	defer s.Close()
	return s.Update(context.Background(), backend.Caller{}, "set", func(tx backend.Tx) error {
		_, err := tx.Append(backend.Write{Envelope: log.Envelope{Key: keypath.MustParse(key),
			Source: []byte(`"x"`), Content: []byte(text)}})
		return err
	})
}

// with returns the other lines with those of one more key as they are.
func (x *erasing) with(key string) map[string]string {
	all := maps.Clone(x.others)
	for at, line := range x.lines() {
		if strings.HasPrefix(at, key+" ") {
			all[at] = line
		}
	}
	return all
}

// One call fails: the erasure says so, or goes on without; the next write ends it.
func TestEraseWithOneFault(t *testing.T) {
	fault := errors.New("input/output error")
	way := testkit.Extent(4, 1, 1)
	for n := testkit.First(t, way); ; n += way {
		x := newErasing(t)
		count := 0
		disk.SetHook(func(op disk.Op, _ string) error {
			if count++; count == n {
				return fault
			}
			return nil
		})
		proof, err := x.erase(true)
		disk.SetHook(nil)
		if count < n {
			x.check("no fault")
			t.Logf("%d calls", n)
			break
		}
		what := fmt.Sprintf("call %d", n)
		if err == nil && len(proof.Remains) > 0 {
			t.Fatalf("%s: remains %v", what, proof.Remains)
		}
		if err != nil && !x.begun() && x.found() != nil {
			if _, err := x.erase(true); err != nil {
				t.Fatalf("%s: once more: %v", what, err)
			}
		}
		x.Must(x.trySet("/h", "1"))
		x.others = x.with("/h")
		x.check(what)
	}
}

// What belongs to other keys is no failure, and is listed; what nobody owns is one.
func TestEraseProof(t *testing.T) {
	x := newErasing(t)
	x.Set("/friend", `{"text":"knows `+marker+` \"one\" é"}`, "/far", `{"about":["`+marker+`"]}`)
	x.Set("/friend", `"was changed since"`)
	proof, err := x.erase(false)
	x.Must(err)
	var keys []string
	for _, at := range proof.Others {
		keys = append(keys, at.Key)
	}
	if slices.Sort(keys); len(proof.Remains) > 0 || !slices.Contains(keys, "/friend") ||
		!slices.Contains(keys, "/far") {
		t.Errorf("%+v", proof)
	}
}

// An old copy that was joined with the log, or an archive that was put back, is a finding, and a
// repair purges it; a later write of the key is none.
func TestPurgedComesBack(t *testing.T) {
	x := newErasing(t)
	old, err := os.ReadFile(x.File(log.File))
	x.Must(err)
	names := archives(x.World)
	archived, err := os.ReadFile(x.File(names[0]))
	x.Must(err)
	_, err = x.erase(false)
	x.Must(err)
	x.Set(x.key, `"later"`)
	x.Edit(log.File, func(b []byte) []byte { return append(b, old...) })
	x.Must(os.WriteFile(x.File("archive/log_20200101T000000Z.jsonl"), archived, 0o600))
	purged := map[string]bool{}
	for _, f := range x.Check() {
		if f.Name == "purged" {
			purged[f.File] = true
		}
	}
	if len(purged) != 2 {
		t.Errorf("found in %v", purged)
	}
	x.Repair()
	if got, _ := x.Get(x.key); got != `"later"` {
		t.Errorf("the later write is %q", got)
	}
	if found := x.Check(); len(found) > 0 {
		t.Errorf("left: %v", found)
	}
	for rec, err := range x.Files().History() {
		x.Must(err)
		if rec.Valid() && rec.Key.String() == x.key && string(rec.Content) != `"later"` {
			t.Errorf("still there: %s", rec.Line)
		}
	}
}

// In a store that git tracks the log never rotates, and nothing of it is believed that git may have
// changed.
func TestEraseShared(t *testing.T) {
	w := sharedWorld(t)
	w.Set("/person", `"zanzibar"`, "/a", `"first"`)
	w.Compact(storetest.RotateLog)
	w.Set("/person", `"zanzibar two"`, "/b", `"second"`)
	s, err := filestore.Open(w.Path, filestore.Options{Shared: true,
		Now: func() time.Time { return w.Now }})
	w.Must(err)
	defer s.Close()
	w.Boot = s.Boot()
	proof, err := s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
		Keys: []keypath.Key{keypath.MustParse("/person")}, Source: []byte(`{"purged":true}`)})
	w.Must(err)
	if proof.Versions != 2 || len(proof.Remains) > 0 || kept(w, "zanzibar") {
		t.Errorf("%+v", proof)
	}
	if got := w.Live(); got["/b"] != `"second"` || got["/person"] != "" {
		t.Errorf("live: %v", got)
	}
	w.Repair()
}

// Of two purges of one key for one reason the later one, which waited, has nothing to do: the mark
// of the first holds the reason, and no text that is to be forgotten.
func TestEraseTwice(t *testing.T) {
	x := newErasing(t)
	s := x.open()
	defer s.Close()
	for at, want := range []int{5, 0} {
		const reason = "asked to by letter"
		source := fmt.Sprintf(`{"name":"mem forget","retrieved_at":"2026-02-22T12:00:0%dZ",`+
			`"reason":%q,"purged":true}`, at, reason)
		proof, err := s.Erase(context.Background(), backend.Caller{}, backend.Erasure{
			Keys:   []keypath.Key{keypath.MustParse(x.key)},
			Source: []byte(source), Reason: reason})
		if err != nil || proof.Versions != want {
			t.Errorf("%+v, %v, want %d versions", proof, err, want)
		}
	}
}
