package compact

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
)

// Fix repairs what an audit found, under the lock. It keeps every undamaged record, and puts every byte that it takes away
// into quarantine/ first, synced. It may be killed anywhere: what it did is done, and the next repair does the rest.
type Fix struct {
	Audit    *Audit
	Findings []Finding
}

// Run repairs. The order matters: nothing derived is rebuilt before the log is right.
func (x *Fix) Run() error {
	for _, step := range []func() error{x.irregular, x.modes, x.temps, x.segments, x.indexFiles, x.derived} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// of gives the findings of some checks.
func (x *Fix) of(checks ...Check) (found []Finding) {
	for _, f := range x.Findings {
		for _, c := range checks {
			if f.Check == c.ID {
				found = append(found, f)
			}
		}
	}
	return found
}

// ErrNoLog is returned by a repair when log.jsonl is a link or something else than a file: all the rest would be rebuilt from nothing.
var ErrNoLog = errors.New("is not a plain file, so there is nothing to repair from: put the file itself in its place")

// irregular moves links, fifos and devices into quarantine/ as they are: nothing is opened or followed.
func (x *Fix) irregular() error {
	for _, f := range x.of(checkIrregular) {
		if f.File == log.File {
			return &fs.PathError{Op: "repair", Path: x.Audit.Dir.Join(log.File), Err: ErrNoLog}
		}
		if err := x.putAway(f.File); err != nil {
			return err
		}
	}
	return nil
}

func (x *Fix) modes() error {
	for _, f := range x.of(checkMode) {
		fi, err := x.Audit.Dir.Lstat(f.File)
		if err != nil {
			continue
		}
		want := disk.FileMode
		switch {
		case fi.IsDir():
			want = disk.DirMode
		case f.File == log.LockFile:
			want = disk.LockMode
		}
		if err := x.Audit.Dir.Chmod(f.File, want); err != nil {
			return err
		}
	}
	return nil
}

func (x *Fix) temps() error {
	for _, f := range x.of(checkTemp) {
		if err := ignore(x.Audit.Dir.Remove(f.File), fs.ErrNotExist); err != nil {
			return err
		}
	}
	return nil
}

// segments takes damaged and future lines out of log and archives. A torn tail is the writer's to mend.
func (x *Fix) segments() error {
	cuts := map[string][]Finding{}
	for _, f := range x.of(checkLine, checkChecksum, checkFuture) {
		cuts[f.File] = append(cuts[f.File], f)
	}
	if err := x.readmit(cuts); err != nil {
		return err
	}
	for name, lines := range cuts {
		slices.SortFunc(lines, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
		if err := x.cut(name, lines); err != nil {
			return err
		}
	}
	return nil
}

// readmit appends, before the lines go, what need not go with them: the writes of future lines in their order with times of now, so that the
// later write still wins and the store's newest ts is sane again; and the sound copies of damaged lines.
func (x *Fix) readmit(cuts map[string][]Finding) error {
	var future, sound []log.Envelope
	sums := map[string]bool{}
	for name, lines := range cuts {
		for _, f := range lines {
			raw, err := bytesAt(x.Audit.Dir, name, f.Offset, f.length)
			if err != nil {
				return err
			}
			if f.Check == checkFuture.ID {
				e, err := log.Decode(trimEOL(raw))
				if err != nil {
					return err
				}
				future = append(future, e)
			} else if sum := log.SumIn(raw); sum != "" {
				sums[sum] = true
			}
		}
	}
	copies, err := x.copies(sums)
	if err != nil {
		return err
	}
	for _, e := range copies {
		sound = append(sound, e)
	}
	slices.SortStableFunc(future, func(a, b log.Envelope) int { return cmp.Compare(a.TS, b.TS) })
	ts := max(log.StampOf(x.Audit.Now), x.Audit.newest)
	for i := range future {
		ts++
		future[i].TS = ts
	}
	return x.append(append(sound, future...))
}

func (x *Fix) copies(sums map[string]bool) (map[string]log.Envelope, error) {
	tree, err := index.Open(x.Audit.Dir, x.Audit.Boot == "")
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return soundCopies(x.Audit.Dir, tree, x.Audit.fold, sums)
}

// append adds envelopes to the log, under the lock of the repair.
func (x *Fix) append(envelopes []log.Envelope) error {
	if len(envelopes) == 0 {
		return nil
	}
	live, err := log.OpenLive(x.Audit.Dir)
	if err != nil {
		return err
	}
	defer live.Close()
	if _, err := live.MendTail(x.Audit.Now); err != nil {
		return err
	}
	// A crash before the lines are cut takes the same writes in once more at the next repair: the same content, again the newest.
	return live.Append(linesOf(envelopes))
}

func trimEOL(raw []byte) []byte { return []byte(strings.TrimSpace(string(raw))) }

// cut rewrites a segment without some lines, which are in quarantine/ before they go.
func (x *Fix) cut(name string, lines []Finding) error {
	var bad []byte
	for _, f := range lines {
		raw, err := bytesAt(x.Audit.Dir, name, f.Offset, f.length)
		if err != nil {
			return err
		}
		bad = append(bad, raw...)
	}
	if err := x.quarantine(); err != nil {
		return err
	}
	if _, err := log.Quarantine(x.Audit.Dir, name+"-lines", bad, x.Audit.Now); err != nil {
		return err
	}
	src, err := x.Audit.Dir.Open(name)
	if err != nil {
		return err
	}
	defer src.Close()
	dir, base := x.Audit.Dir, path.Base(name)
	if sub := path.Dir(name); sub != "." {
		if dir, err = dir.Sub(sub, false); err != nil {
			return err
		}
		defer dir.Close()
	}
	// A crash before the rename inside Replace leaves the damaged segment in place, and the copy in quarantine/ twice after the next repair.
	return dir.WriteFileSync(base, func(w io.Writer) error { return copyWithout(w, src, lines) })
}

// copyWithout copies a file but for the lines found.
func copyWithout(w io.Writer, src io.ReaderAt, lines []Finding) error {
	at := int64(0)
	for _, f := range lines {
		if _, err := io.Copy(w, io.NewSectionReader(src, at, f.Offset-at)); err != nil {
			return err
		}
		at = f.Offset + f.length
	}
	_, err := io.Copy(w, io.NewSectionReader(src, at, 1<<62))
	return err
}

// indexFiles puts foreign and misplaced files away. Missing, stale and edited ones are put right by the rebuild.
func (x *Fix) indexFiles() error {
	for _, f := range x.of(checkForeign, checkDuplicate) {
		if err := x.putAway(f.File); err != nil {
			return err
		}
	}
	return nil
}

// derived heals the tail and rebuilds index, state, checkpoint and watermark from the history.
func (x *Fix) derived() error {
	if !x.stale() {
		return nil
	}
	wr, err := OpenWriter(x.Audit.Dir, x.Audit.Now, x.Audit.Boot)
	if err != nil {
		return err
	}
	defer wr.Close()
	if wr.behind != nil {
		return wr.behind
	}
	v := &View{dir: x.Audit.Dir, tail: Fold{}}
	if v.live, err = log.OpenReader(x.Audit.Dir); err != nil {
		return err
	}
	defer v.Close()
	if err := v.loadAll(); err != nil {
		return err
	}
	wr.w.MaxTS = v.MaxTS
	if err := wr.reindex(v); err != nil {
		return err
	}
	if err := x.keepState(v); err != nil {
		return err
	}
	if err := wr.snapshot(v); err != nil {
		return err
	}
	wr.w.Gen = wr.w.Gen&^1 + 2
	return wr.settle()
}

// stale reports whether anything was found that the rebuild puts right.
func (x *Fix) stale() bool { return len(x.of(checkMode, checkTemp)) < len(x.Findings) }

// keepState puts the lines of the old state that the history does not have (any more) into quarantine/, before a new state replaces them.
func (x *Fix) keepState(v *View) error {
	f, err := x.Audit.Dir.Open(StateFile)
	if err != nil {
		return ignore(ignore(err, fs.ErrNotExist), disk.ErrIrregular)
	}
	defer f.Close()
	var lost []byte
	for rec, err := range log.Scan(f, StateFile, log.Start{}) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			lost = append(lost, damage.Raw...)
		case err != nil:
			return err
		case rec.TS > v.tail[rec.Key].TS || v.tail[rec.Key].Key.IsZero():
			lost = append(append(lost, rec.Line...), '\n')
		}
	}
	if len(lost) == 0 {
		return nil
	}
	_, err = log.Quarantine(x.Audit.Dir, StateFile+"-lines", lost, x.Audit.Now)
	return err
}
