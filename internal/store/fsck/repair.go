package fsck

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Repairer repairs what a check found, under the lock. It may be killed at any time: what it did is
// done, and the next repair does the rest.
type Repairer struct {
	Checker  *Checker
	Findings []Finding
	// Accepted is an archive that is not whole and need not become so any more; "" for none.
	Accepted string
}

// Run repairs. The order matters: nothing derived is rebuilt before the log is right.
func (x *Repairer) Run() error {
	for _, step := range []func() error{x.irregular, x.modes, x.temps, x.segments,
		x.indexFiles, x.derived, x.purged, x.blobs} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (x *Repairer) findingsOf(checks ...Check) []Finding {
	return selectFindings(x.Findings, checks...)
}

// ErrNoLog is returned by a repair when log.jsonl is not a plain file: there is nothing to rebuild
// the rest from.
var ErrNoLog = errors.New(
	"is not a plain file, so there is nothing to repair from: put the file itself in its place")

// irregular moves links, fifos and devices into quarantine/ as they are.
func (x *Repairer) irregular() error {
	for _, f := range x.findingsOf(checkIrregular) {
		if f.File == log.File {
			return &fs.PathError{Op: "repair", Path: x.Checker.Dir.Join(log.File), Err: ErrNoLog}
		}
		if err := filestore.QuarantineFile(x.Checker.Dir, f.File, x.Checker.Now); err != nil {
			return err
		}
	}
	return nil
}

func (x *Repairer) modes() error {
	for _, f := range x.findingsOf(checkMode) {
		fi, err := x.Checker.Dir.Lstat(f.File)
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
		if err := x.Checker.Dir.Chmod(f.File, want); err != nil {
			return err
		}
	}
	return nil
}

func (x *Repairer) temps() error {
	for _, f := range x.findingsOf(checkTemp) {
		// A crash before this leaves the file to the next repair.
		if err := disk.IgnoreNotExist(x.Checker.Dir.Remove(f.File)); err != nil {
			return err
		}
	}
	return nil
}

// segments removes damaged, future and unsealed lines from log and archives. A torn tail is left to
// the writer.
func (x *Repairer) segments() error {
	if !x.stale() {
		return nil
	}
	cuts := x.cuts()
	if err := x.readmit(cuts); err != nil {
		return err
	}
	for _, f := range x.findingsOf(checkArchive) {
		if f.File != x.Accepted {
			delete(cuts, f.File) // the finding must stay until the whole archive is back
		}
	}
	unlist := slices.Collect(maps.Keys(cuts))
	if x.Accepted != "" {
		unlist = append(unlist, x.Accepted)
	}
	if len(unlist) == 0 {
		return nil
	}
	if len(x.findingsOf(checkFuture)) > 0 {
		// The state has the future lines too, and would bring them back. A crash after this leaves
		// no state: the history has all of it.
		if err := disk.IgnoreNotExist(x.Checker.Dir.Remove(state.FileName)); err != nil {
			return err
		}
	}
	// A crash before this leaves the lines that were readmitted, and an archive whose loss is still
	// to be accepted; after it that is, and the next repair cuts the lines.
	if err := filestore.Unlist(x.Checker.Dir, unlist); err != nil {
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

// cuts returns the lines to cut, by file. Of several findings of one line the first counts.
func (x *Repairer) cuts() map[string][]Finding {
	type line struct {
		file string
		at   int64
	}
	cuts, seen := map[string][]Finding{}, map[line]bool{}
	for _, f := range x.findingsOf(checkTorn, checkLine, checkChecksum, checkFuture,
		checkUnsealed) {
		at := line{f.File, f.Offset}
		if seen[at] || f.Check == checkTorn.ID && f.File == log.File {
			continue
		}
		seen[at] = true
		cuts[f.File] = append(cuts[f.File], f)
	}
	return cuts
}

// readmit appends, before the lines are cut, what need not be lost with them: the writes of future
// lines in their order with times of now, so that the later write still wins and the store's newest
// ts is sane again; the sound copies of damaged and unsealed lines; unsealed lines that have none,
// with a checksum; and what only the state has.
func (x *Repairer) readmit(cuts map[string][]Finding) error {
	var future, unsealed []log.Envelope
	s := filestore.CopySearch{Dir: x.Checker.Dir, Cuts: true, Shared: x.Checker.Shared,
		Newest: filestore.NewestOf(x.Checker.fold)}
	short, err := filestore.IsShort(x.Checker.Dir)
	if err != nil {
		return err
	}
	if short || len(x.findingsOf(checkArchive)) > 0 {
		s.Lost.AddUnknown()
	}
	for name, lines := range cuts {
		for _, f := range lines {
			raw, err := filestore.BytesAt(x.Checker.Dir, name, f.Offset, f.Length)
			if err != nil {
				return err
			}
			switch f.Check {
			case checkFuture.ID:
				future, err = appendDecoded(future, raw)
			case checkUnsealed.ID:
				s.Lost.Add(raw, log.Pos{File: name, Off: f.Offset})
				unsealed, err = appendDecoded(unsealed, raw)
			default:
				at := log.Pos{File: name, Off: f.Offset}
				mended := log.Mend(raw)
				for _, e := range mended {
					s.Prove(log.Record{Envelope: e, Pos: at})
				}
				if mended == nil {
					s.Lost.Add(raw, at)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	sound, err := x.copies(&s, unsealed)
	if err != nil {
		return err
	}
	return x.append(append(dropWrites(sound, future), x.redated(future)...))
}

func appendDecoded(list []log.Envelope, raw []byte) ([]log.Envelope, error) {
	e, err := log.Decode(bytes.TrimSpace(raw))
	return append(list, e), err
}

// dropWrites returns the envelopes whose writes are not among others.
func dropWrites(list, others []log.Envelope) (rest []log.Envelope) {
	type write struct {
		key keypath.Key
		ts  log.Stamp
	}
	taken := make(map[write]bool, len(others))
	for _, e := range others {
		taken[write{e.Key, e.TS}] = true
	}
	for _, e := range list {
		if !taken[write{e.Key, e.TS}] {
			rest = append(rest, e)
		}
	}
	return rest
}

// redated returns the writes of future lines with times of now, without those in whose place the
// log has a line that another machine took: that one counts, and so does all that was written
// since.
func (x *Repairer) redated(future []log.Envelope) []log.Envelope {
	future = slices.DeleteFunc(slices.Clone(future), func(e log.Envelope) bool {
		return x.Checker.taken.Has(e.Identity(), e.TS)
	})
	slices.SortStableFunc(future, func(a, b log.Envelope) int { return cmp.Compare(a.TS, b.TS) })
	now := log.StampOf(x.Checker.Now)
	ts := max(now, x.Checker.newest)
	for i := range future {
		future[i] = content.Redated(future[i], ts+1, now+futureSlack)
		ts = future[i].TS
	}
	return future
}

func (x *Repairer) copies(s *filestore.CopySearch, unsealed []log.Envelope) (
	sound []log.Envelope, err error) {
	if !x.Checker.Shared { // git has the lines, and has taken away what else is there
		err = x.search(s)
	}
	if err != nil {
		return nil, err
	}
	s.Seal(unsealed)
	return s.Found()
}

// search looks for copies in index and state.
func (x *Repairer) search(s *filestore.CopySearch) (err error) {
	if s.Tree, err = index.Open(x.Checker.Dir, x.Checker.Boot == ""); err != nil {
		return err
	}
	defer s.Tree.Close()
	if err = s.Index(); err == nil {
		err = s.State()
	}
	if err == nil {
		err = x.prove(s)
	}
	return err
}

// prove adds tombstones for what the state proves to be deleted.
func (x *Repairer) prove(s *filestore.CopySearch) error {
	seg, err := log.OpenSegment(x.Checker.Dir)
	if disk.IgnoreNotExist(err) != nil {
		return err
	}
	if seg != nil {
		defer seg.Close()
	}
	deleted, err := filestore.Deleted(x.Checker.Dir, seg, x.Checker.fold)
	for _, e := range append(deleted, x.Checker.deleted...) {
		s.Prove(log.Record{Envelope: e})
	}
	return err
}

// append adds envelopes to the log, under the lock of the repair.
func (x *Repairer) append(envelopes []log.Envelope) error {
	if len(envelopes) == 0 {
		return nil
	}
	live, err := log.OpenAppender(x.Checker.Dir)
	if err != nil {
		return err
	}
	defer live.Close()
	if _, err := live.RepairTail(x.Checker.Now); err != nil {
		return err
	}
	for _, e := range envelopes {
		x.Checker.fold.Add(log.RecordOf(e))
	}
	// After a crash before the lines are cut the next repair appends the same writes once more: the
	// same content, again the newest.
	return filestore.AppendAgain(live, envelopes)
}

// indexFiles moves foreign and misplaced files to quarantine/. Missing, stale and edited ones are
// fixed by the rebuild.
func (x *Repairer) indexFiles() error { return x.quarantineFiles(checkForeign, checkDuplicate) }

// quarantineFiles moves the files of some findings to quarantine/.
func (x *Repairer) quarantineFiles(checks ...Check) error {
	for _, f := range x.findingsOf(checks...) {
		if err := filestore.QuarantineFile(x.Checker.Dir, f.File, x.Checker.Now); err != nil {
			return err
		}
	}
	return nil
}

// derived heals the tail and rebuilds index, state, checkpoint and watermark from the history.
func (x *Repairer) derived() error {
	if !x.stale() {
		return nil
	}
	files := filestore.Files{Dir: x.Checker.Dir, Boot: x.Checker.Boot, Shared: x.Checker.Shared}
	wr, err := files.OpenWriter(x.Checker.Now)
	if err != nil {
		return err
	}
	defer wr.Close()
	if err := wr.IndexError(); err != nil {
		return err
	}
	v, err := files.LoadHistory()
	if err != nil {
		return err
	}
	defer v.Close()
	return wr.Rebuild(v, func() error { return x.keepState(v) })
}

// stale reports whether anything was found that the rebuild fixes.
func (x *Repairer) stale() bool {
	elsewhere := len(x.findingsOf(checkMode, checkTemp)) + len(x.findingsOf(blobChecks...))
	return elsewhere < len(x.Findings)
}

// keepState copies the lines of the old state that the history does not have (any more) to
// quarantine/, before a new state replaces them.
func (x *Repairer) keepState(v *filestore.View) error {
	f, err := x.Checker.Dir.Open(state.FileName)
	if err != nil {
		return ignoreAbsent(err)
	}
	defer f.Close()
	var lost []byte
	for rec, err := range log.Scan(f, state.FileName, log.Start{}) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			lost = append(lost, damage.Raw...)
		case err != nil:
			return err
		case rec.TS > v.Since()[rec.Key].TS || v.Since()[rec.Key].Key.IsZero():
			lost = append(append(lost, rec.Line...), '\n')
		}
	}
	if len(lost) == 0 {
		return nil
	}
	_, err = log.Quarantine(x.Checker.Dir, state.FileName+"-lines", lost, x.Checker.Now)
	return err
}
