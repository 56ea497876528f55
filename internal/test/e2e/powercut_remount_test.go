//go:build linux

package e2e

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	timed "github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// remounted is what a file system leaves that was cut off and mounted again without a reboot, so
// that the boot id is the same: what was not synced of index/ is lost, and the watermark, which was
// written back, says that it is there.
type remounted struct{ extreme }

// nameAt decides for the name of one path; see chooser.
func (remounted) nameAt(path string, versions []version[*node]) int {
	if strings.HasPrefix(path, "memory/index") {
		return 0
	}
	return len(versions) - 1
}

// checkRemount holds a store against what is known, where the same boot goes on. The view in index/
// may be late: no answer comes from it, fsck finds it, and a repair writes it anew.
func (w *cutWorld) checkRemount(k int) {
	w.t.Helper()
	what := fmt.Sprintf("a remount after %d calls (next %s)", k, w.next(k))
	n, now := w.at(k), w.now
	defer func() { w.now = now }()
	s := w.open()
	defer s.Close()
	n.compare(w.t, what+": a reader", s, nil)
	after := map[string]string{"/a": `"after"`, "/after/cut": "1"}
	for _, key := range []string{"/a", "/after/cut"} {
		if err := set(s, key, after[key]); err != nil {
			w.t.Errorf("%s: the next set: %v", what, err)
			return
		}
	}
	n.compare(w.t, what+": after the next set", s, after)
	for _, f := range w.fsck(s, true) {
		if late := lateView(f); late {
			w.late++
		} else if !n.damaged {
			w.t.Errorf("%s: fsck: %v", what, f)
		}
	}
	n.compare(w.t, what+": after a repair", s, after)
	if left := w.fsck(s, false); len(left) > 0 {
		w.t.Errorf("%s: left: %v", what, left)
	}
}

func lateView(f fsck.Finding) bool {
	switch f.Name {
	case "missing", "stale", "foreign", "temp":
		return strings.HasPrefix(f.File, "index")
	}
	return false
}

// glances are what a reader sees of the keys of one step while it goes on.
type glances struct {
	w    *cutWorld
	to   map[string]string
	news map[string]bool // seen as they are to be
}

// glance looks before a call: a key holds what it held or what it is to hold, which may be seen
// before it is acknowledged, and does not go back while nothing fails.
func (g *glances) glance() {
	dir, err := disk.Open(g.w.root())
	if err != nil {
		return // not made yet
	}
	defer dir.Close()
	files := filestore.Files{Dir: dir, Boot: "boot-1"}
	for key, want := range g.to {
		rec, found, _, err := files.Lookup(keypath.MustParse(key))
		got := string(rec.Content)
		if !found || timed.Expired(rec.Content, log.StampOf(g.w.now)) {
			got = ""
		}
		switch {
		case err != nil:
			g.w.t.Errorf("%s: a reader meanwhile: %v", key, err)
		case got == want:
			g.news[key] = true
		case g.news[key]:
			g.w.t.Errorf("%s goes back from %q to %q", key, want, got)
		case !g.w.known[len(g.w.known)-1].allowed[key][got]:
			g.w.t.Errorf("%s is %q, which it neither was nor is to be", key, got)
		}
	}
	g.w.glances += len(g.to)
}

// meanwhile lets a reader look before every call that a function makes.
func (w *cutWorld) meanwhile(s *mem.Store, to map[string]string, do func(*mem.Store) error) error {
	g := &glances{w: w, to: to, news: map[string]bool{}}
	stop := w.tape.recordWith(g.glance)
	err := do(s)
	stop()
	w.early += len(g.news)
	return err
}
