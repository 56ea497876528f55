package sizes

import (
	"iter"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// History is the files that hold the lines of a tally: archives, and the log.
type History struct {
	Dir      *disk.Dir
	Archives []string     // their names
	Log      *log.Segment // nil: there is none
}

// Covered returns how many bytes the archives have together with the first bytes of the log. A
// rotation does not change it, and everything else that is done to archives does.
func (h History) Covered(size int64) (int64, error) {
	for _, name := range h.Archives {
		fi, err := h.Dir.Lstat(name)
		if err != nil {
			return 0, err
		}
		size += fi.Size()
	}
	return size, nil
}

// Begin returns the tally that the sidecar of a state has, whose checkpoint covers so many bytes of
// the log. Without a sidecar that fits, or if covered is negative, it returns that of the archives.
// What the log has from an offset on is still to be added.
func (h History) Begin(cp state.Checkpoint, covered int64) (t *Tally, from int64, err error) {
	if covered >= 0 {
		if t := h.sidecar(cp, covered); t != nil {
			return t, covered, nil
		}
	}
	t = newTally(nil)
	return t, 0, t.addAll(h.archived())
}

// sidecar returns what the sidecar of a checkpoint has; nil where there is none that fits.
func (h History) sidecar(cp state.Checkpoint, offset int64) *Tally {
	covered, err := h.Covered(offset)
	if err != nil {
		return nil
	}
	t := newTally(func() (*table, error) { return openTable(h.Dir, cp.Size, cp.Sum, covered) })
	if base, err := t.table(); base == nil || err != nil {
		return nil
	}
	return t
}

// AddLog adds the lines of the log from an offset on.
func (h History) AddLog(t *Tally, from int64) error { return h.add(t, h.logged(from), nil) }

// AddLines adds lines that the history does not have yet.
func (h History) AddLines(t *Tally, more []Line) error { return h.add(t, each(more), more) }

// add adds lines to a tally of a part of the history, and of more that is not in it yet.
func (h History) add(t *Tally, lines iter.Seq2[Line, error], more []Line) error {
	if err := t.addAll(lines); err != nil || !t.Tied() {
		return err
	}
	return t.resolveTies(func(yield func(Line, error) bool) {
		for _, part := range [...]iter.Seq2[Line, error]{
			h.archived(), h.logged(0), each(more),
		} {
			for l, err := range part {
				if !yield(l, err) {
					return
				}
			}
		}
	})
}

func (h History) archived() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for _, name := range h.Archives {
			if !h.readArchive(name, yield) {
				return
			}
		}
	}
}

// readArchive yields the lines of one archive, and reports whether the walk goes on.
func (h History) readArchive(name string, yield func(Line, error) bool) bool {
	f, err := h.Dir.Open(name)
	if err != nil {
		yield(Line{}, err)
		return false
	}
	defer f.Close()
	for l, err := range readLines(f) {
		if !yield(l, err) {
			return false
		}
	}
	return true
}

// logged yields the lines of the log from an offset on.
func (h History) logged(from int64) iter.Seq2[Line, error] {
	if h.Log == nil {
		return each(nil)
	}
	return readLines(h.Log.From(from))
}

// each yields the lines of a list.
func each(list []Line) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for _, l := range list {
			if !yield(l, nil) {
				return
			}
		}
	}
}
