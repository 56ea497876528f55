package compact

import (
	"fmt"
	"os"
	"testing"
)

// What writers, compactions and rotations did between the look without the lock and the one with it is no damage; what was damaged before, and what was
// damaged meanwhile where the first look had a suspicion, is found.
func TestRecheckTellsWorkFromDamage(t *testing.T) {
	between := map[string]func(w *world){
		"nothing":    func(*world) {},
		"writes":     func(w *world) { w.set("/a", `"again"`, "/b/c", "null", "/new/key", "1") },
		"compaction": func(w *world) { w.set("/a", `"again"`); w.compact(keepLog); w.set("/new", "2") },
		"rotation":   func(w *world) { w.set("/a", `"again"`); w.compact(rotateLog); w.set("/new", "2", "/b/c", "null") },
		"two rotations": func(w *world) {
			for i := range 2 {
				w.set("/a", fmt.Sprint(i), "/more", fmt.Sprint(i))
				w.compact(rotateLog)
			}
		},
	}
	damages := map[string]struct {
		do   func(w *world)
		want []string
	}{
		"none":          {func(*world) {}, nil},
		"edited file":   {func(w *world) { w.edit(w.indexFile("/p"), func([]byte) []byte { return []byte("{}") }) }, []string{checkEdited.ID}},
		"foreign file":  {func(w *world) { w.must(os.WriteFile(w.file("index/x.json"), []byte("not mine"), 0o600)) }, []string{checkForeign.ID}},
		"line in state": {func(w *world) { w.edit(StateFile, func(b []byte) []byte { return append([]byte("x"), b[1:]...) }) }, []string{checkState.ID, checkState.ID}},
	}
	for work, do := range between {
		for damage, d := range damages {
			t.Run(work+", "+damage, func(t *testing.T) {
				w := specimen(t)
				w.set("/p", `"sound"`)
				w.compact(keepLog)
				d.do(w)
				a := &Audit{Dir: w.dir, Now: w.now, Boot: w.boot}
				_, err := a.Run()
				w.must(err)
				if len(d.want) > 0 {
					w.dirty = true
				}
				// Suspicions as a look beside a writer has them.
				for _, key := range []string{"/a", "/b/c", "/new/key", "/new", "/more"} {
					a.find(checkStale, Finding{File: w.indexFile(key), Key: key}, "suspected")
				}
				a.find(checkWatermark, Finding{File: "watermark"}, "suspected")
				do(w)
				found, err := a.Recheck()
				w.must(err)
				if got := checksOf(found); fmt.Sprint(got) != fmt.Sprint(d.want) {
					t.Errorf("%v, want %v", found, d.want)
				}
			})
		}
	}
}

func checksOf(found []Finding) (ids []string) {
	for _, f := range found {
		ids = append(ids, f.Check)
	}
	return ids
}
