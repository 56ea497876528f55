package pgstore

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
)

// Each machine has journals of its own, which lie beside the copy. A line may name a record that is
// purged later. So the names of the files have the number of purges: the machine that purges cuts
// them, and any other removes them when it hears of the purge.

// journalPrefix begins the names of those files.
const journalPrefix = "journal-"

// journalName returns the name of a file of lines from after so many purges.
func journalName(gen int64, name string) string {
	return fmt.Sprintf("%s%d-%s", journalPrefix, gen, name)
}

const (
	flushAfter = time.Second            // lines wait so long for more
	flushTime  = 500 * time.Millisecond // and for the number of purges, which may be a new one
)

// journals are the journals of a space. Those lines are lost that wait in a process that is killed.
type journals struct {
	mu      sync.Mutex
	gen     int64 // of the lines that wait, as headCache.gen
	waiting map[string]pending
	timer   *time.Timer // nil: nothing waits
}

// pending is the lines of a journal that wait to be written.
type pending struct {
	lines []byte
	limit int64
}

// Journal returns a journal by its name.
func (s *Store) Journal(name string) backend.Journal { return journal{s, name} }

// journal is the lines of one name.
type journal struct {
	store *Store
	name  string
}

// Key returns the key of this machine, beside the copies.
func (j journal) Key() []byte {
	dir, err := disk.Create(j.store.o.CacheDir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	key, _ := backend.KeyIn(dir, backend.KeyFile) // without one there are no sums
	return key
}

// Append adds a line; it is written with those that come within a second. It is best effort: as
// many wait for a server that is away as the journal may have.
func (j journal) Append(line []byte, limit int64) {
	s, js := j.store, &j.store.journals
	if s.place.FromCopy || s.known.gen.Load() == 0 { // or the server was not reached
		return
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	js.hear(s)
	if lines := js.waiting[j.name].lines; int64(len(lines)) < limit {
		js.waiting[j.name] = pending{append(lines, line...), limit}
	}
	if js.timer == nil {
		js.timer = time.AfterFunc(flushAfter, func() { js.flush(s) })
	}
}

// Read returns the newest lines, at most limit bytes.
func (j journal) Read(limit int64) (lines []byte, err error) {
	if err := j.store.online(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	err = j.store.journals.use(ctx, j.store, func(dir *disk.Dir, gen int64) error {
		lines, err = backend.ReadLines(dir, journalName(gen, j.name), limit)
		return err
	})
	return lines, err
}

// flush writes the lines that wait, if there are any.
func (js *journals) flush(s *Store) {
	js.mu.Lock()
	waits := len(js.waiting) > 0
	js.timer = nil
	js.mu.Unlock()
	if !waits {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := js.use(ctx, s, func(*disk.Dir, int64) error { return nil }); err != nil {
		s.o.Debug("a journal is not written: " + err.Error())
	}
}

// use writes the lines that wait, and calls fn with the directory and the number of purges. The
// files of before the last purge are removed; a crash in that leaves some of them to the next use.
func (js *journals) use(ctx context.Context, s *Store, fn func(*disk.Dir, int64) error) error {
	if _, err := s.askHead(ctx); err != nil {
		return err
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	js.hear(s)
	dir, err := s.dir()
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Names(".")
	for _, name := range names {
		if strings.HasPrefix(name, journalPrefix) &&
			!strings.HasPrefix(name, journalName(js.gen-1, "")) {
			err = errorOr(err, disk.IgnoreNotExist(dir.Remove(name)))
		}
	}
	if err = errorOr(err, js.write(dir)); err != nil {
		return err
	}
	return fn(dir, js.gen-1)
}

// hear drops the journals of before a purge that this process has heard of.
func (js *journals) hear(s *Store) {
	if gen := s.known.gen.Load(); gen != js.gen {
		js.gen, js.waiting = gen, map[string]pending{}
	}
}

// write writes the lines that wait, which do so no more.
func (js *journals) write(dir *disk.Dir) (err error) {
	for name, p := range js.waiting {
		err = errorOr(err, backend.AppendLine(dir, journalName(js.gen-1, name), p.lines, p.limit))
	}
	clear(js.waiting)
	return err
}

// purged takes what a purge erased out of the journals of before it, and makes them those of now.
// It returns the names of those that may hold something yet. A crash in it leaves files of before.
func (js *journals) purged(s *Store, x *eraser) []string {
	left := []string{}
	js.mu.Lock()
	defer js.mu.Unlock()
	dir, err := s.dir()
	if err != nil {
		return append(left, s.copyPath())
	}
	defer dir.Close()
	if js.gen != x.gen { // they are of before another purge
		clear(js.waiting)
	}
	if err := js.write(dir); err != nil {
		s.o.Debug("a journal is not written: " + err.Error())
	}
	for _, name := range []string{backend.OpsFile, backend.InjectionsFile} {
		old := journalName(x.gen-1, name)
		gone, err := x.plan.CutJournal(dir, old, x.values, func([]byte) bool { return true })
		if err == nil {
			err = disk.IgnoreNotExist(dir.Rename(old, journalName(x.gen, name)))
		}
		if !gone || err != nil {
			left = append(left, dir.Join(old))
		}
	}
	return left
}
