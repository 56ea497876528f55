package fsck_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// newestA returns the newest record of /a.
func newestA(w *storetest.World) (newest log.Record) {
	w.Must(w.Write(func(wr *filestore.Writer) (err error) {
		newest, _, err = wr.Newest(keypath.MustParse("/a"))
		return err
	}))
	return newest
}

// markA marks the line of /a as older builds did.
func markA(w *storetest.World) log.Record {
	a := newestA(w)
	w.Must(os.WriteFile(w.File(filestore.MarksFile), fmt.Appendf(nil, "%x\n", a.Identity()), 0o600))
	return a
}

// A repair takes the mark into the source of a version that is later by a microsecond, also where
// the line has a time of the future; and where git tracks the log it is not asked to.
func TestRepairTakesMarksIntoTheSource(t *testing.T) {
	for _, name := range []string{"past", "future", "shared"} {
		w := storetest.Specimen(t)
		w.Shared = name == "shared"
		if name == "future" {
			w.Now = storetest.Noon.AddDate(1, 0, 0)
			w.Set("/a", `"later"`)
			w.Now = storetest.Noon
		}
		a := markA(w)
		w.Repair()
		switch got := newestA(w); {
		case name == "shared" && string(got.Line) != string(a.Line):
			t.Errorf("shared: %s", got.Line)
		case name == "shared":
		case content.Claim(got.Source) != content.FromImport ||
			string(got.Content) != string(a.Content):
			t.Errorf("%s: %s", name, got.Line)
		case name == "past" && got.TS != a.TS+1:
			t.Errorf("it is of %s, after %s", got.TS, a.TS)
		}
	}
}

// The checkpoint knows how many marks there were: their loss is a finding until the file is back.
func TestLostMarksAreFound(t *testing.T) {
	w := storetest.Specimen(t)
	markA(w)
	w.Repair()
	w.Compact(storetest.KeepLog)
	text, err := os.ReadFile(w.File(filestore.MarksFile))
	w.Must(err)
	for name, lose := range map[string]func(){
		"removed": func() { w.Must(os.Remove(w.File(filestore.MarksFile))) },
		"emptied": func() { w.Must(os.Truncate(w.File(filestore.MarksFile), 0)) },
	} {
		lose()
		for _, next := range []func(){func() {}, w.Repair, func() {
			w.Set("/next", "1")
			w.Compact(storetest.KeepLog)
		}, func() { w.Compact(storetest.RotateLog) }} {
			next()
			found := w.Check()
			if len(found) != 1 || found[0].Check != fsck.CheckUnmarked.ID ||
				len(fsck.Lasting(found)) != 1 {
				t.Errorf("%s: %v", name, found)
			}
		}
		w.Must(os.WriteFile(w.File(filestore.MarksFile), text, 0o600))
	}
}
