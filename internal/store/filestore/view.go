package filestore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// View is the content of a store at one moment; it needs no lock. Its memory is bounded by the
// fold.
type View struct {
	*state.View
	from Files
	seg  *log.Segment // nil: there is no log
	file *state.File  // nil: the whole history was folded

	MaxTS   log.Stamp     // newest ts met
	Lines   int           // lines of the live log
	Damaged []*log.Damage // lines that could not be read and were left out

	// Keys whose newest record only the state has, where the whole history was folded: a part of
	// the history is lost, or not at hand.
	onlyState map[keypath.Key]bool
	outdated  bool           // the state has lines that lose against others of their keys
	deleted   []log.Envelope // tombstones that the history has lost
	archives  []string       // that were folded, where the whole history was

	scan  scan   // of the log after the state
	fault string // see logFault
}

// Load opens a view.
func (s Files) Load() (*View, error) { return s.LoadUpTo(math.MaxInt64) }

// LoadUpTo is Load of only the first limit bytes of the live log.
func (s Files) LoadUpTo(limit int64) (*View, error) { return s.loadWith(log.Scan, limit) }

// scanBelow returns the scan for a view of the records below a prefix, and perhaps more. Other
// lines are not decoded, so MaxTS, Lines and Damaged of that view are not those of the store.
func scanBelow(p keypath.Prefix) scan {
	return func(r io.Reader, name string, at log.Start) iter.Seq2[log.Record, error] {
		return log.FindBelow(r, name, at, p)
	}
}

// loadWith is LoadUpTo with another scan of the log after the state.
func (s Files) loadWith(scan scan, limit int64) (*View, error) {
	for try := 0; ; try++ {
		before, sound, err := ReadWatermark(s.Dir)
		if err != nil {
			return nil, err
		}
		v, err := s.load(before, sound, scan, limit)
		if err != nil {
			return nil, err
		}
		after, _, err := ReadWatermark(s.Dir)
		if err == nil && (after.Gen == before.Gen || try == retries) {
			s.report(v.fault)
			return v, nil
		}
		v.Close()
		if err != nil {
			return nil, err
		}
	}
}

// Empty returns the view of a store that does not exist.
func Empty() *View {
	return &View{View: state.NewView(nil, state.Fold{}, nil), MaxTS: log.MinStamp}
}

// LoadHistory opens a view that is folded from the whole history, whether the checkpoint fits or
// not.
func (s Files) LoadHistory() (*View, error) { return s.LoadHistoryUpTo(math.MaxInt64) }

// LoadHistoryUpTo is LoadHistory with only the first limit bytes of the live log.
func (s Files) LoadHistoryUpTo(limit int64) (*View, error) {
	v := &View{from: s}
	var err error
	if v.seg, err = log.OpenSegment(s.Dir); err != nil {
		return nil, err
	}
	v.seg.Limit(limit)
	if err = v.loadAll(); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

func (s Files) load(w log.Watermark, sound bool, scan scan, limit int64) (*View, error) {
	v := &View{from: s, MaxTS: log.MinStamp, scan: scan}
	// The log first: lines rotated from here on are still in this descriptor, and those rotated
	// before are in the archives that are listed later.
	seg, err := log.OpenSegment(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	v.fault = logFault(s.Dir, w, sound, seg)
	if v.seg = seg; seg != nil {
		seg.Limit(limit)
	}
	ok, err := v.loadTail(w, sound)
	if err == nil && !ok {
		err = v.loadAll()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// loadTail opens the state and folds the log after it, unless the two do not fit.
func (v *View) loadTail(w log.Watermark, sound bool) (bool, error) {
	if v.seg == nil {
		return false, nil
	}
	trust, err := v.from.trust(w, sound, v.seg)
	if err != nil || !v.from.mayUse(trust) {
		return false, err
	}
	file, pos, err := v.from.stateNow(v.seg)
	if file == nil || err != nil {
		return false, err
	}
	v.file = file
	edge := furthest(pos, file.MaxTS, w, trust)
	f := v.scan.fold(v.seg, log.File, log.Start{Off: pos.offset, Line: pos.lines}, v.seg.Size(),
		edge)
	if f.err != nil || f.passed {
		return false, f.err
	}
	v.MaxTS, v.Lines, v.Damaged = max(file.MaxTS, f.maxTS), f.lines, f.damaged
	v.View = state.NewView(file, f.fold, v.foldHistory)
	return true, v.bury(f.damaged)
}

// bury adds tombstones in place of damaged ones in the tail of the view.
func (v *View) bury(damaged []*log.Damage) error {
	lost, err := v.from.Buried(damaged, func(key keypath.Key) (log.Record, bool, error) {
		return v.Get(context.Background(), key)
	})
	if len(lost) == 0 || err != nil {
		return err
	}
	fresh := state.Fold{}
	for _, rec := range lost {
		fresh.Add(rec)
		v.deleted = append(v.deleted, rec.Envelope)
		v.MaxTS = max(v.MaxTS, rec.TS)
	}
	v.View = v.View.Extend(v.file, fresh, v.foldHistory)
	return nil
}

// loadAll makes the view the fold of the whole history.
func (v *View) loadAll() error {
	fold, err := v.foldHistory()
	if err != nil {
		return err
	}
	if v.file != nil {
		v.file.Close()
		v.file = nil
	}
	v.View = state.NewView(nil, fold, nil)
	return nil
}

// foldHistory folds archives and log, and the lines of the state, unless git has taken these away.
func (v *View) foldHistory() (state.Fold, error) {
	whole := folded{fold: state.Fold{}, maxTS: log.MinStamp}
	if v.seg != nil {
		size := v.seg.Size()
		whole = scan(log.Scan).fold(v.seg, log.File, log.Start{}, size, horizon{off: size})
		if whole.err != nil {
			return nil, whole.err
		}
	}
	names, err := log.Archives(v.from.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := whole.addArchive(v.from.Dir, name); err != nil {
			return nil, err
		}
	}
	if !v.from.Shared {
		if err := v.addState(&whole); err != nil {
			return nil, err
		}
	}
	lost, err := v.from.Buried(whole.damaged, NewestOf(whole.fold))
	if err != nil {
		return nil, err
	}
	for _, rec := range lost {
		v.deleted = append(v.deleted, rec.Envelope)
		whole.fold.Add(rec)
		whole.maxTS = max(whole.maxTS, rec.TS)
	}
	v.archives = names
	v.MaxTS, v.Lines, v.Damaged = whole.maxTS, whole.lines, whole.damaged
	return whole.fold, nil
}

// addState folds the lines of the state too, and what its silence proves.
func (v *View) addState(whole *folded) error {
	v.onlyState = map[keypath.Key]bool{}
	for rec, err := range stateLines(v.from.Dir) {
		if err != nil {
			return err
		}
		newest := whole.fold[rec.Key].Line
		switch {
		case rec.Unsealed:
		case whole.fold.Add(rec):
			v.onlyState[rec.Key] = true
			whole.maxTS = max(whole.maxTS, rec.TS)
		case !bytes.Equal(newest, rec.Line):
			v.outdated = true
		}
	}
	w, err := openWitness(v.from.Dir, v.seg)
	if err != nil {
		return err
	}
	defer w.Close()
	whole.maxTS = max(whole.maxTS, w.newest())
	if v.deleted, err = w.tombstones(whole.fold); err != nil {
		return err
	}
	for _, e := range v.deleted {
		whole.fold[e.Key] = log.RecordOf(e)
		whole.maxTS = max(whole.maxTS, e.TS)
	}
	return nil
}

// addArchive folds an archive too. Its lines are no lines of the live log.
func (f *folded) addArchive(dir *disk.Dir, name string) error {
	file, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return err
	}
	a := scan(log.Scan).fold(file, name, log.Start{}, fi.Size(), horizon{off: fi.Size()})
	if a.err != nil {
		return a.err
	}
	f.fold.Merge(a.fold)
	f.maxTS = max(f.maxTS, a.maxTS)
	f.damaged = append(f.damaged, a.damaged...)
	return nil
}

// Close closes the files.
func (v *View) Close() {
	if v.View != nil {
		v.View.Close()
	}
	if v.file != nil {
		v.file.Close()
	}
	if v.seg != nil {
		v.seg.Close()
	}
}

// Log returns the live log as far as the view covers it; nil where there is none.
func (v *View) Log() *log.Segment { return v.seg }

// Size is the length of the live log that the view covers.
func (v *View) Size() int64 {
	if v.seg == nil {
		return 0
	}
	return v.seg.Size()
}
