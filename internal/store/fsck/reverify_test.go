package fsck_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/internal/test/storetest"
)

// workMeanwhile is what other processes do between the check without the lock and the one with it.
var workMeanwhile = map[string]func(w *storetest.World){
	"nothing": func(*storetest.World) {},
	"writes":  func(w *storetest.World) { w.Set("/a", `"again"`, "/b/c", "null", "/new/key", "1") },
	"compaction": func(w *storetest.World) {
		w.Set("/a", `"again"`)
		w.CompactByItself(storetest.KeepLog)
		w.Set("/new", "2")
	},
	"rotation": func(w *storetest.World) {
		w.Set("/a", `"again"`)
		w.CompactByItself(storetest.RotateLog)
		w.Set("/new", "2", "/b/c", "null")
	},
	"two rotations": func(w *storetest.World) {
		for i := range 2 {
			w.Set("/a", fmt.Sprint(i), "/more", fmt.Sprint(i))
			w.CompactByItself(storetest.RotateLog)
		}
	},
}

// damageBefore is what is wrong before the first check, and the checks that find it.
var damageBefore = map[string]struct {
	do   func(w *storetest.World)
	want []string
}{
	"none": {func(*storetest.World) {}, nil},
	"edited file": {func(w *storetest.World) {
		w.Edit(w.IndexFile("/p"),
			func([]byte) []byte { return []byte("{}") })
	}, []string{fsck.CheckEdited.ID}},
	"foreign file": {func(w *storetest.World) {
		w.Must(os.WriteFile(w.File("index/x.json"), []byte("not mine"), 0o600))
	}, []string{fsck.CheckForeign.ID}},
	"line in state": {func(w *storetest.World) {
		w.Edit(state.FileName, func(b []byte) []byte { return append([]byte("x"), b[1:]...) })
	}, []string{fsck.CheckState.ID, fsck.CheckState.ID}},
}

// What writers, compactions and rotations did between the check without the lock and the one with
// it is no damage; what was damaged before, and what was damaged meanwhile where the first check
// had a suspicion, is found.
func TestReverifyTellsWorkFromDamage(t *testing.T) {
	for work, do := range workMeanwhile {
		for damage, d := range damageBefore {
			t.Run(work+", "+damage, func(t *testing.T) {
				w := storetest.Specimen(t)
				w.Set("/p", `"sound"`)
				w.Compact(storetest.KeepLog)
				d.do(w)
				a := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot}
				_, err := a.Run()
				w.Must(err)
				if len(d.want) > 0 {
					w.Dirty = true
				}
				// Findings as a check without the lock may have them.
				for _, key := range []string{"/a", "/b/c", "/new/key", "/new", "/more"} {
					a.Suspect(fsck.CheckStale, fsck.Finding{File: w.IndexFile(key), Key: key})
				}
				a.Suspect(fsck.CheckWatermark, fsck.Finding{File: "watermark"})
				do(w)
				found, err := a.Reverify()
				w.Must(err)
				if got := checksOf(found); fmt.Sprint(got) != fmt.Sprint(d.want) {
					t.Errorf("%v, want %v", found, d.want)
				}
			})
		}
	}
}

func checksOf(found []fsck.Finding) (ids []string) {
	for _, f := range found {
		ids = append(ids, f.Check)
	}
	return ids
}
