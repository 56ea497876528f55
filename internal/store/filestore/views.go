package filestore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// views keeps the last view that was loaded (see the package comment). A kept view is never
// changed; one that is extended is a new one over the same files.
type views struct {
	mu   sync.Mutex
	last *shared
}

// shared is a view that several snapshots may use. The last to release it closes its files.
type shared struct {
	view *View
	gen  uint64
	even bool   // the generation was even: nothing was being renamed
	last string // log.Sum of the last line; "" where the log does not end with one
	refs *atomic.Int32
}

func (sh *shared) hold() *shared { sh.refs.Add(1); return sh }

func (sh *shared) release() {
	if sh.refs.Add(-1) == 0 {
		sh.view.Close()
	}
}

func (v *views) drop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set(nil)
}

func (v *views) set(sh *shared) {
	if v.last != nil {
		v.last.release()
	}
	v.last = sh
}

// Snapshot returns a view of the live records. It does not wait for writers.
func (s *Store) Snapshot(context.Context) (backend.Snapshot, error) {
	r, err := s.root()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return newSnapshot(s, (&shared{view: Empty(), refs: new(atomic.Int32)}).hold()), nil
	}
	sh, err := s.views.current(filesOf(s, r))
	if err != nil {
		return nil, err
	}
	return newSnapshot(s, sh), nil
}

// current returns the newest view, held for the caller.
func (v *views) current(from Files) (*shared, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last != nil {
		if next, err := v.last.extend(from); err != nil {
			return nil, err
		} else if next != nil {
			if next != v.last {
				v.set(next.hold())
			}
			return next.hold(), nil
		}
		v.set(nil)
	}
	w, _, err := ReadWatermark(from.Dir)
	if err != nil {
		return nil, err
	}
	view, err := from.Load()
	if err != nil {
		return nil, err
	}
	sh := &shared{view: view, gen: w.Gen, even: w.Gen%2 == 0, refs: new(atomic.Int32)}
	if view.seg != nil {
		if sh.last, err = view.seg.SumBefore(view.Size()); err != nil {
			view.Close()
			return nil, err
		}
	}
	v.set(sh.hold())
	return sh.hold(), nil
}

// extend returns the view with what the log has gained since; itself where that is nothing, nil
// where everything must be loaded anew, as with a damaged line. Lines that were read before their
// acknowledgement may have been cut off again, so the last line must be the same.
func (sh *shared) extend(from Files) (*shared, error) {
	w, sound, err := ReadWatermark(from.Dir)
	if err != nil || !sound || !sh.even || w.Gen != sh.gen || sh.last == "" {
		return nil, err
	}
	seg, err := log.OpenSegment(from.Dir)
	if err != nil {
		return nil, nil
	}
	next, err := sh.extendLog(from, seg, w)
	if next == nil || next == sh {
		seg.Close()
	}
	return next, err
}

// extendLog is extend for an open log. A clock that was set back may need what the state lacks.
func (sh *shared) extendLog(from Files, seg *log.Segment, w log.Watermark) (*shared, error) {
	old := sh.view
	size := old.Size()
	early := old.file != nil && from.isEarly(old.file.Checkpoint)
	if seg.Ino() != old.seg.Ino() || seg.Size() < size || early {
		return nil, nil
	}
	trust, err := old.from.trust(w, true, seg)
	if err != nil || trust == Stale {
		return nil, err
	}
	if same, err := old.hasArchives(); err != nil || !same {
		return nil, err
	}
	if last, err := seg.SumBefore(size); err != nil || last != sh.last {
		return nil, err
	}
	if seg.Size() == size {
		return sh, nil
	}
	edge := horizon{off: size, ts: old.MaxTS}
	if w.Applied > size {
		edge = horizon{off: w.Applied, ts: w.MaxTS}
	}
	f := scan(log.Scan).fold(seg, log.File, log.Start{Off: size, Line: old.Lines}, seg.Size(), edge)
	if f.err != nil || f.passed || len(f.damaged) > 0 {
		return nil, f.err
	}
	last, err := seg.SumBefore(seg.Size())
	if err != nil {
		return nil, err
	}
	return &shared{view: old.extended(seg, f), gen: sh.gen, even: true, last: last,
		refs: new(atomic.Int32)}, nil
}

// hasArchives reports whether a view of the whole history has all archives that there are, and no
// other: git may have taken back what it had brought, and then the watermark fits again.
func (v *View) hasArchives() (bool, error) {
	if !v.from.Shared || v.file != nil {
		return true, nil
	}
	names, err := log.Archives(v.from.Dir)
	return slices.Equal(names, v.archives), err
}

// extended returns the view of the same state and a longer log.
func (v *View) extended(seg *log.Segment, f folded) *View {
	next := &View{
		from: v.from, seg: seg, file: v.file.Share(), archives: v.archives,
		MaxTS: max(v.MaxTS, f.maxTS), Lines: f.lines, Damaged: v.Damaged,
	}
	next.View = v.View.Extend(next.file, f.fold, next.foldHistory)
	return next
}

// snapshot is a shared view for one reader. The state is the reader's own, for it may switch to the
// whole history.
type snapshot struct {
	*state.View
	sh  *shared
	own *View

	tally *sizes.Tally // nil: nobody has asked yet
}

func newSnapshot(s *Store, sh *shared) *snapshot {
	own := *sh.view
	view := sh.view.View.Fork(own.foldHistory)
	view.Debug = s.o.Debug
	return &snapshot{View: view, sh: sh, own: &own}
}

// Size returns the bytes of the newest lines of the keys below a prefix.
func (s *snapshot) Size(_ context.Context, below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	err = orWhole(func(whole bool) (err error) {
		defer func() { s.tally.Close() }()
		if s.tally == nil || whole {
			if s.tally, err = s.own.tally(whole); err != nil {
				return err
			}
		}
		live, deleted, err = s.tally.Size(below)
		return err
	})
	return live, deleted, err
}

// Newest returns the newest ts that was ever written.
func (s *snapshot) Newest() log.Stamp { return s.own.MaxTS }

// Damaged returns the lines that were left out.
func (s *snapshot) Damaged() []*log.Damage { return s.own.Damaged }

// Close releases the view.
func (s *snapshot) Close() {
	s.View.Close()
	s.sh.release()
}
