package fsck_test

import (
	"testing"

	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A clock that a person trusts is right about every record, also about those whose times later ones
// confirm: one repair gives all of them a time of now.
func TestATrustedClockIsRightAboutAll(t *testing.T) {
	w := storetest.NewWorld(t)
	w.Set("/sound", "1")
	for month := range 3 {
		w.Now = storetest.Noon.AddDate(2, month, 0)
		w.Set("/k", `"ahead"`, "/other", `"ahead too"`)
	}
	w.Now = storetest.Noon.AddDate(0, 1, 0)
	c := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot, TrustClock: true}
	found, err := c.Run()
	w.Must(err)
	if len(found) != 6 {
		t.Errorf("%d of 6 lines: %v", len(found), found)
	}
	w.Must((&fsck.Repairer{Checker: c, Findings: found}).Run())
	again := &fsck.Checker{Dir: w.Dir, Now: w.Now, Boot: w.Boot, TrustClock: true}
	if found, err := again.Run(); err != nil || len(found) > 0 {
		t.Errorf("after a repair: %v, %v", found, err)
	}
	storetest.Same(t, "after a repair", w.Live(), map[string]string{"/sound": "1",
		"/k": `"ahead"`, "/other": `"ahead too"`})
}
