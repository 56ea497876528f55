//go:build linux

package note_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// 32 processes note facts down and forget some, while others compact and rotate, and the sidecar is
// deleted now and then: no id is ever given twice, and the limit holds.
func TestStormOfNotes(t *testing.T) {
	const writers, each, most = 32, 3, 40
	f := newFiles(t)
	f.Configure(
		fmt.Sprintf(`{"rotate":{"lines":20,"bytes":1000000},"memory":{"max_total":%d}}`, most),
	)
	f.Clock = time.Now().Add(time.Hour)
	storm := newStorm(t, f.Root)
	stop := make(chan struct{})
	var others, all sync.WaitGroup
	others.Go(func() { storm.compact(stop) })
	others.Go(func() { storm.searchNotes(stop) })
	given := make(chan string, writers*each)
	for w := range writers {
		all.Go(func() { storm.note(w, each, given) })
	}
	all.Wait()
	close(stop)
	close(given)
	others.Wait()
	seen := map[string]bool{}
	for id := range given {
		if seen[id] {
			t.Errorf("%s was given twice", id)
		}
		seen[id] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d ids for %d notes", len(seen), writers*each)
	}
	f.holdsOneNoteForEachID(seen)
	if _, total, err := f.find(note.Filter{}); err != nil || total > most {
		t.Errorf("%d live notes, %v", total, err)
	}
}

// storm is many processes on one store.
type storm struct {
	t         *testing.T
	bin, root string
}

// newStorm builds the program that the processes run.
func newStorm(t *testing.T, root string) *storm {
	t.Helper()
	return &storm{t: t, bin: testkit.Mem(t), root: root}
}

func (s *storm) mem(args ...string) *exec.Cmd {
	cmd := exec.Command(
		s.bin,
		append([]string{"--root", s.root, "--lock-timeout", "60s"}, args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW=")
	return cmd
}

// compact compacts until told to stop. It must never fail.
func (s *storm) compact(stop chan struct{}) {
	for !over(stop) {
		if out, err := s.mem("compact", "--quiet").CombinedOutput(); err != nil {
			s.t.Errorf("compact: %v: %s", err, out)
			return
		}
	}
}

func over(stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// note runs mem note, and sometimes mem forget of what it noted, or removes the sidecar.
func (s *storm) note(w, each int, given chan<- string) {
	for i := range each {
		out, err := s.mem("note", fmt.Sprintf("fact %d of %d", i, w), "--scope", note.Scopes[w%3],
			"--json").Output()
		var reply struct{ ID string }
		if err != nil || json.Unmarshal(out, &reply) != nil || reply.ID == "" {
			s.t.Errorf("note: %v: %s", err, out)
			return
		}
		given <- reply.ID
		switch w % 4 {
		case 0:
			// Another may have pushed it out meanwhile.
			if out, err := s.mem("forget", reply.ID).CombinedOutput(); err != nil &&
				!strings.Contains(string(out), "no such note") {
				s.t.Errorf("forget: %v: %s", err, out)
			}
		case 1:
			os.Remove(filepath.Join(s.root, "cache", "notes"))
		}
	}
}

// searchNotes searches until told to stop; it must never fail.
func (s *storm) searchNotes(stop chan struct{}) {
	for !over(stop) {
		if out, err := s.mem("notes", "--query", "fact").CombinedOutput(); err != nil {
			s.t.Errorf("notes: %v: %s", err, out)
			return
		}
	}
}

// holdsOneNoteForEachID looks through the whole history: of each key there is one note, and perhaps
// its end.
func (f *fixture) holdsOneNoteForEachID(ids map[string]bool) {
	f.T.Helper()
	texts := map[string]string{}
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		id := rec.Key.String()[strings.LastIndexByte(rec.Key.String(), '/')+1:]
		if old, again := texts[id]; rec.Valid() && again && old != string(rec.Line) {
			f.T.Errorf("%s was written twice:\n%s\n%s", id, old, rec.Line)
		}
		if rec.Valid() {
			texts[id] = string(rec.Line)
		}
		return nil
	}))
	for id := range ids {
		if texts[id] == "" {
			f.T.Errorf("%s was acknowledged and is nowhere", id)
		}
	}
	if len(texts) != len(ids) {
		f.T.Errorf("%d notes stored, %d acknowledged", len(texts), len(ids))
	}
}
