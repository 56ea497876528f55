package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// blobErasing is a store with artifacts to be forgotten: one alone with its file, one that shares
// it with another, one in an archive only; and an event about the first.
type blobErasing struct {
	blobWorld
	own, shared, archived, other string // files
}

func newBlobErasing(t testing.TB) *blobErasing {
	x := &blobErasing{blobWorld: newBlobWorld(t)}
	x.archived = x.Keep(storetest.ArtifactKey(3), "archived")
	x.Set("/event/s/evt_01JQ8ZV5Y3M4N6P7R8S9T0V1W2",
		`{"artifact_id":"art_01JQ8ZV5Y3M4N6P7R8S9000001"}`)
	x.Compact(storetest.RotateLog)
	x.own = x.Keep(storetest.ArtifactKey(1), "own")
	x.shared = x.Keep(storetest.ArtifactKey(2), "shared")
	x.Compact(storetest.KeepLog)
	x.Keep(storetest.ArtifactKey(5), "shared")
	x.other = x.Keep(storetest.ArtifactKey(4), "other")
	x.Must(os.MkdirAll(x.File(log.QuarantineDir), 0o700))
	for _, name := range []string{x.own, x.shared} { // what a put has set aside
		x.Must(os.WriteFile(x.File("quarantine/20260222T120000Z-"+log.FlatName(name)+"-2"),
			[]byte("damaged"), 0o600))
	}
	return x
}

// erased are the keys that go.
func (x *blobErasing) erased() (keys []keypath.Key) {
	for n := range 3 {
		keys = append(keys, keypath.MustParse(storetest.ArtifactKey(n+1)))
	}
	return keys
}

func (x *blobErasing) erase(forget bool) (backend.Proof, error) {
	return x.eraseIn(x.store(), forget)
}

func (x *blobErasing) eraseIn(s *filestore.Store, forget bool) (backend.Proof, error) {
	return s.Erase(context.Background(), backend.Caller{}, backend.Erasure{Keys: x.erased(),
		Source: []byte(`{"kind":"user","name":"mem forget","purged":true}`), Forget: forget})
}

// exist returns which of some files are there.
func (x *blobErasing) exist(names ...string) (list []bool) {
	for _, name := range names {
		_, err := os.Lstat(x.File(name))
		list = append(list, err == nil)
	}
	return list
}

// check checks what must hold when all is done.
func (x *blobErasing) check(what string) {
	x.T.Helper()
	aside := "quarantine/20260222T120000Z-"
	got := x.exist(x.own, x.archived, aside+log.FlatName(x.own)+"-2",
		x.shared, x.other, aside+log.FlatName(x.shared)+"-2")
	if want := []bool{false, false, false, true, true, true}; !slices.Equal(got, want) {
		x.T.Errorf("%s: there are own, archived, a copy; shared, other, a copy: %v", what, got)
	}
	if found := x.Check(); len(found) > 0 {
		x.T.Errorf("%s: %v", what, found)
	}
}

// An erasure is killed before each of its calls, and half of the time the next writer is too. After
// the write that follows its files are gone, and no other.
func TestEraseBlobsKilledAtEveryCall(t *testing.T) {
	way := testkit.Extent(4, 1, 1)
	for n := testkit.First(t, way); ; n += way {
		x := newBlobErasing(t)
		s, calls := x.store(), killAt(n)
		_, err := x.eraseIn(s, n%3 == 0)
		if total := calls(); err == nil && total < n {
			x.check("not killed")
			t.Logf("%d calls", total)
			break
		}
		what := fmt.Sprintf("call %d", n)
		if n%2 == 0 {
			calls := killAt(n / 2)
			x.TrySet("/h", "1")
			calls()
		}
		x.Boot = x.store().Boot()
		if _, err := x.Dir.Lstat(purge.File); err != nil && x.exist(x.own)[0] {
			_, err := x.erase(n%3 == 0) // it had not begun
			x.Must(err)
		}
		x.Set("/h", "2")
		if x.check(what); t.Failed() {
			return
		}
	}
}

// One call on an artifact fails: the erasure says so, or goes on without; the next write ends it.
func TestEraseBlobsWithOneFault(t *testing.T) {
	fault := errors.New("input/output error")
	way := testkit.Extent(4, 1, 1)
	for n := testkit.First(t, way); ; n += way {
		x := newBlobErasing(t)
		s, count := x.store(), 0
		disk.SetHook(func(_ disk.Op, path string) error {
			if !strings.Contains(path, filestore.ArtifactsDir) {
				return nil
			}
			if count++; count == n {
				return fault
			}
			return nil
		})
		proof, err := x.eraseIn(s, false)
		disk.SetHook(nil)
		if count < n {
			x.check("no fault")
			t.Logf("%d calls", n)
			break
		}
		what := fmt.Sprintf("call %d", n)
		if err == nil && (len(proof.Remains) > 0 || x.exist(x.own)[0]) {
			t.Errorf("%s: proved: %+v", what, proof)
		}
		if _, none := x.Dir.Lstat(purge.File); none != nil && err != nil && x.exist(x.own)[0] {
			_, err := x.erase(false)
			x.Must(err)
		}
		x.Set("/h", "1")
		if x.check(what); t.Failed() {
			return
		}
	}
}

// The proof names what stays, whose files hold a value that went, and what was not looked into.
func TestEraseProofOfBlobs(t *testing.T) {
	x := newBlobErasing(t)
	x.Dirty = true
	x.Set(storetest.ArtifactKey(1), `{"sha256":"`+sumOf("own")+`","text":"`+marker+`"}`)
	other := storetest.ArtifactKey(6)
	file := x.Keep(other, "printed "+marker+" and more")
	x.PutBlob("nobody's " + marker)
	large := strings.Repeat("\n", 1<<20) + marker
	x.Keep(storetest.ArtifactKey(7), large)
	temp := filestore.ArtifactsDir + "/.tmp-0123456789abcdef"
	old := filestore.ArtifactsDir + "/.tmp-0000456789abcdef"
	for _, name := range []string{temp, old, "artifacts/notes.txt"} {
		x.Must(os.WriteFile(x.File(name), []byte(marker), 0o600))
	}
	x.Age(old)
	proof, err := x.erase(true)
	x.Must(err)
	for what, c := range map[string][2]any{
		"kept":  {proof.Kept, []string{sumOf("shared")}},
		"other": {slices.Contains(proof.Others, purge.Occurrence{File: file, Key: other}), true},
		"left": {proof.Remains, []string{"artifacts/notes.txt",
			"artifacts/" + sumOf("nobody's "+marker)}},
		"beyond": {proof.Beyond, []string{temp, "artifacts/ (1 of more than 1 MiB)"}},
		"drafts": {x.exist(temp, old), []bool{true, false}},
	} {
		if list, ok := c[0].([]string); ok {
			slices.Sort(list)
			slices.Sort(c[1].([]string))
		}
		if fmt.Sprint(c[0]) != fmt.Sprint(c[1]) {
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
}

// What has the place of a file is left to fsck, and named.
func TestEraseBlobsOfAnotherKind(t *testing.T) {
	for name, plant := range map[string]func(x *blobErasing) (beyond string){
		"a directory": func(x *blobErasing) string {
			x.Must(os.Remove(x.File(x.own)))
			x.Must(os.MkdirAll(x.File(x.own+"/below"), 0o700))
			return x.own
		},
		"a link": func(x *blobErasing) string {
			x.Must(os.Remove(x.File(x.own)))
			x.Must(os.Symlink("../config.json", x.File(x.own)))
			return x.own
		},
		"a link in place of the directory": func(x *blobErasing) string {
			x.Must(os.Rename(x.File("artifacts"), x.File("moved")))
			x.Must(os.Symlink("moved", x.File("artifacts")))
			return "artifacts"
		},
	} {
		x := newBlobErasing(t)
		x.Dirty = true
		x.Must(os.WriteFile(x.File("config.json"), []byte("{}"), 0o600))
		beyond := plant(x)
		proof, err := x.erase(false)
		if err != nil || !slices.Contains(proof.Beyond, beyond) {
			t.Errorf("%s: %+v, %v", name, proof, err)
		}
		if _, err := os.Stat(x.File("config.json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		x.Set("/h", "1")
	}
}

// A plan names no file but a blob, whoever wrote it.
func TestErasePlanWithPaths(t *testing.T) {
	x := newBlobErasing(t)
	x.Must(os.WriteFile(x.File("config.json"), []byte("{}"), 0o600))
	x.Must(storeArtifact(x.store(), 9, "one more"))
	info, err := os.Lstat(x.File(log.LockFile))
	x.Must(err)
	x.Must(purge.Write(x.Dir, &purge.Plan{Keys: x.erased()[:1], Lock: inode(info),
		Horizon: log.StampOf(x.Now) + 1e6, Tombstones: true, Source: []byte(`{"purged":true}`),
		Blobs: []string{"../config.json", "..", "", strings.ToUpper(sumOf("other")),
			sumOf("archived")}}))
	x.Set("/h", "1")
	got := x.exist("config.json", x.own, x.archived, x.other, x.shared)
	if want := []bool{true, false, true, true, true}; !slices.Equal(got, want) {
		t.Errorf("config.json, own, archived, other and shared: %v", got)
	}
}

// A line that cannot be read keeps the file that it names.
func TestEraseKeepsBlobsOfDamagedLines(t *testing.T) {
	x := newBlobErasing(t)
	x.Dirty = true
	x.Keep(storetest.ArtifactKey(8), "own")
	x.Set("/tail", "1")
	x.Edit(log.File, func(b []byte) []byte {
		line := bytes.LastIndex(b, []byte(storetest.ArtifactKey(8)))
		b[line+bytes.Index(b[line:], []byte(`"source"`))+1] = 'S'
		return b
	})
	proof, err := x.erase(false)
	if err != nil || !slices.Contains(proof.Kept, sumOf("own")) || !x.exist(x.own)[0] {
		t.Errorf("%+v, %v", proof, err)
	}
}

// Where an old copy brings an artifact back with its file, a repair takes both away.
func TestPurgedBlobComesBack(t *testing.T) {
	x := newBlobErasing(t)
	old, err := os.ReadFile(x.File(log.File))
	x.Must(err)
	_, err = x.erase(false)
	x.Must(err)
	x.Boot = x.store().Boot()
	x.PutBlob("own")
	x.Edit(log.File, func(b []byte) []byte { return append(b, old...) })
	if found := x.Check(); !slices.ContainsFunc(found, func(f fsck.Finding) bool {
		return f.Name == "purged" && f.Key == storetest.ArtifactKey(1)
	}) {
		t.Errorf("found %v", found)
	}
	x.Repair()
	x.check("after the repair")
}
