package fsck_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// specimenFile is the file of the artifact that a Specimen has.
func specimenFile(w *storetest.World) string { return w.PutBlob(storetest.Output) }

// breaksOfBlobs are the ways to break what artifacts/ promises; what is left after a repair is what
// no repair can bring back.
var breaksOfBlobs = []struct {
	check, left string
	how         string
	do          func(w *storetest.World, file string)
}{
	{"F19", "F19", "the file is removed", func(w *storetest.World, file string) {
		w.Must(os.Remove(w.File(file)))
	}},
	{"F19", "F19", "the directory is removed", func(w *storetest.World, _ string) {
		w.Must(os.RemoveAll(w.File("artifacts")))
	}},
	{"F20", "F19", "one letter of it", func(w *storetest.World, file string) {
		w.Edit(file, func(b []byte) []byte { b[0] = 'W'; return b })
	}},
	{"F20", "F19", "it is cut", func(w *storetest.World, file string) {
		w.Edit(file, func(b []byte) []byte { return b[:len(b)-1] })
	}},
	{"F20", "F19", "it is empty", func(w *storetest.World, file string) {
		w.Edit(file, func([]byte) []byte { return nil })
	}},
	{"F20", "", "one that nobody names", func(w *storetest.World, file string) {
		w.Must(os.WriteFile(w.File("artifacts/"+strings.Repeat("0", 64)), []byte("x"), 0o600))
	}},
	{"F21", "", "what a crash left", func(w *storetest.World, _ string) {
		w.Age(w.PutBlob("of a put that was killed"))
	}},
	{"F21", "", "the artifact is deleted", func(w *storetest.World, file string) {
		w.Set(storetest.ArtifactKey(1), "null")
		w.Age(file)
	}},
	{"F15", "F19", "a directory in its place", func(w *storetest.World, file string) {
		w.Must(os.Remove(w.File(file)))
		w.Must(os.MkdirAll(w.File(file+"/below"), 0o700))
	}},
	{"F15", "F19", "a link in its place", func(w *storetest.World, file string) {
		w.Must(os.WriteFile(w.File("elsewhere"), []byte(storetest.Output), 0o600))
		w.Must(os.Remove(w.File(file)))
		w.Must(os.Symlink("../elsewhere", w.File(file)))
	}},
	{"F15", "", "a link beside it", func(w *storetest.World, _ string) {
		w.Must(os.Symlink("/etc/passwd", w.File("artifacts/link")))
	}},
	{"F15", "F19", "a link in place of the directory", func(w *storetest.World, _ string) {
		w.Must(os.Rename(w.File("artifacts"), w.File("moved")))
		w.Must(os.Symlink("moved", w.File("artifacts")))
	}},
	{"F15", "F19", "a file in place of the directory", func(w *storetest.World, _ string) {
		w.Must(os.RemoveAll(w.File("artifacts")))
		w.Must(os.WriteFile(w.File("artifacts"), nil, 0o600))
	}},
	{"F13", "", "a file for all to read", func(w *storetest.World, file string) {
		w.Must(os.Chmod(w.File(file), 0o644))
	}},
	{"F13", "", "a directory for all to read", func(w *storetest.World, _ string) {
		w.Must(os.Chmod(w.File("artifacts"), 0o755))
	}},
	{"F14", "", "half a file of an hour ago", func(w *storetest.World, _ string) {
		w.Must(os.WriteFile(w.File("artifacts/.tmp-0123456789abcdef"), []byte("half"), 0o600))
		w.Age("artifacts/.tmp-0123456789abcdef")
	}},
}

func TestFsckOfArtifacts(t *testing.T) {
	for _, b := range breaksOfBlobs {
		t.Run(b.check+" "+b.how, func(t *testing.T) {
			w := storetest.Specimen(t)
			file := specimenFile(w)
			b.do(w, file)
			before := w.Live()
			found := w.Check()
			if got := distinct(found); got != b.check {
				t.Fatalf("found %v, want %s", found, b.check)
			}
			if named := found[0].Key != ""; b.check == "F19" && !named {
				t.Errorf("no key: %+v", found[0])
			}
			w.Repair()
			if left := w.Check(); distinct(left) != b.left {
				t.Errorf("left %v, want %s", left, b.left)
			}
			storetest.Same(t, "after the repair", w.Live(), before)
			if w.PutBlob(storetest.Output) != file {
				t.Error("it has another name")
			}
			w.Repair()
			if found := w.Check(); len(found) > 0 {
				t.Errorf("with the same bytes again: %v", found)
			}
		})
	}
}

// distinct returns the checks of findings, each once.
func distinct(found []fsck.Finding) string {
	var ids []string
	for i, f := range found {
		if i == 0 || f.Check != found[i-1].Check {
			ids = append(ids, f.Check)
		}
	}
	return strings.Join(ids, " ")
}

// What a repair takes out of artifacts/ is in quarantine/, byte for byte.
func TestRepairKeepsWhatWasInArtifacts(t *testing.T) {
	w := storetest.Specimen(t)
	w.Dirty = true
	file := specimenFile(w)
	w.Edit(file, func(b []byte) []byte { return append(b, "more"...) })
	w.Age(w.PutBlob("nobody's"))
	w.Repair()
	entries, err := os.ReadDir(w.File(log.QuarantineDir))
	w.Must(err)
	texts := map[string]bool{}
	for _, e := range entries {
		text, err := os.ReadFile(w.File("quarantine/" + e.Name()))
		w.Must(err)
		texts[string(text)] = true
	}
	if len(entries) != 2 || !texts[storetest.Output+"more"] || !texts["nobody's"] {
		t.Errorf("quarantine holds %v", texts)
	}
}

// Nothing is said of what somebody may be about to name, nor of what a line may name that cannot be
// read.
func TestFsckLeavesWhatMayBeNamed(t *testing.T) {
	w := storetest.Specimen(t)
	young := w.PutBlob("young")
	soon := time.Now() // of the file system
	w.Must(os.Chtimes(w.File(young), soon, soon))
	if found := w.Check(); len(found) > 0 {
		t.Errorf("young: %v", found)
	}
	w.Age(young)
	w.Edit(log.File, func(b []byte) []byte { b[0] = '#'; return b })
	if found := w.Check(); distinct(found) != "F02" {
		t.Errorf("with a damaged line: %v", found)
	}
	w.Repair()
	if found := w.Check(); distinct(found) != "F21" {
		t.Errorf("without it: %v", found)
	}
	w.Shared = true
	settle(w)
	if found := w.Check(); len(found) > 0 {
		t.Errorf("git may bring the line back: %v", found)
	}
	w.Shared = false
	w.Repair()
}

// In a store that git tracks artifacts of others have no files here.
func TestFsckOfSharedArtifacts(t *testing.T) {
	w := storetest.Specimen(t)
	w.Shared = true
	settle(w)
	file := specimenFile(w)
	w.Must(os.Remove(w.File(file)))
	if found := w.Check(); len(found) > 0 {
		t.Errorf("%v", found)
	}
	w.Shared = false
	w.PutBlob(storetest.Output)
	w.Repair()
}

// What others did between the check without the lock and the one with it is no damage.
func TestReverifyOfArtifacts(t *testing.T) {
	for name, c := range map[string]struct {
		before, meanwhile func(w *storetest.World, file string)
		want              string
	}{
		"purged meanwhile": {
			func(w *storetest.World, file string) { w.Must(os.Remove(w.File(file))) },
			func(w *storetest.World, _ string) { w.Set(storetest.ArtifactKey(1), "null") }, ""},
		"put again": {
			func(w *storetest.World, file string) { w.Must(os.Remove(w.File(file))) },
			func(w *storetest.World, _ string) { w.PutBlob(storetest.Output) }, ""},
		"absent still": {
			func(w *storetest.World, file string) { w.Must(os.Remove(w.File(file))) },
			func(w *storetest.World, _ string) {}, "F19"},
		"put right": {
			func(w *storetest.World, file string) { w.Edit(file, upper) },
			func(w *storetest.World, _ string) { w.PutBlob(storetest.Output) }, ""},
		"wrong still": {
			func(w *storetest.World, file string) { w.Edit(file, upper) },
			func(w *storetest.World, _ string) {}, "F20"},
		"named meanwhile": {
			func(w *storetest.World, _ string) { w.Age(w.PutBlob("new")) },
			func(w *storetest.World, _ string) { w.Keep(storetest.ArtifactKey(2), "new") }, ""},
		"gone meanwhile": {
			func(w *storetest.World, _ string) { w.Age(w.PutBlob("new")) },
			func(w *storetest.World, _ string) { w.Must(os.Remove(w.File(w.PutBlob("new")))) }, ""},
		"nobody's still": {
			func(w *storetest.World, _ string) { w.Age(w.PutBlob("new")) },
			func(w *storetest.World, _ string) {}, "F21"},
	} {
		t.Run(name, func(t *testing.T) {
			w := storetest.Specimen(t)
			w.Dirty = c.want != ""
			file := specimenFile(w)
			c.before(w, file)
			a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
			found, err := a.Run()
			w.Must(err)
			if len(found) != 1 {
				t.Fatalf("without the lock: %v", found)
			}
			c.meanwhile(w, file)
			if found, err = a.Reverify(); err != nil || distinct(found) != c.want {
				t.Errorf("%v, %v; want %q", found, err, c.want)
			}
			if again, err := a.Run(); err != nil || distinct(again) != c.want {
				t.Errorf("all of it again: %v, %v; want %q", again, err, c.want)
			}
		})
	}
}

func upper(b []byte) []byte { return []byte(strings.ToUpper(string(b))) }
