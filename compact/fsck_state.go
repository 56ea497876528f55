package compact

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkpoint reads the checkpoint and holds it against log and state (F11). None at all is no fault.
func (a *Audit) checkpoint() error {
	at := Finding{File: CheckpointFile}
	err := a.cpErr
	switch _, absent := a.Dir.Lstat(CheckpointFile); {
	case errors.Is(absent, fs.ErrNotExist), errors.Is(err, disk.ErrIrregular):
		return nil
	case errors.Is(err, ErrCheckpoint):
		a.find(checkCheckpoint, at, "%s", err)
		return nil
	case err != nil:
		return err
	case a.live == nil:
		a.find(checkCheckpoint, at, "there is no log.jsonl")
		return nil
	case a.state == nil:
		a.find(checkCheckpoint, at, "there is no state.jsonl")
		return nil
	}
	fi, err := a.state.Stat()
	if err != nil {
		return err
	}
	if a.cpFits, err = a.cp.fits(a.live, fi.Size()); !a.cpFits && err == nil {
		a.find(checkCheckpoint, at, "it speaks of another log.jsonl or state.jsonl than the ones here")
	}
	return err
}

// checkState holds state.jsonl against the history up to the checkpoint (F10). Without a checkpoint nobody reads it.
func (a *Audit) checkState() error {
	if !a.cpFits {
		return nil
	}
	seen, err := a.stateLines(io.NewSectionReader(a.state, 0, a.cp.StateSize))
	if err != nil {
		return err
	}
	// A compaction leaves out what had expired by then.
	then, err := log.ParseTime(a.cp.Written)
	if err != nil {
		then = log.StampOf(a.Now)
	}
	for key := range a.fold {
		if want, live := a.expected(key); live && !seen[key] && !content.Expired(want.Content, then) {
			a.find(checkState, Finding{File: StateFile, Key: key.String()}, "no line for %s", key)
		}
	}
	return nil
}

func (a *Audit) stateLines(r io.Reader) (map[keypath.Key]bool, error) {
	seen := make(map[keypath.Key]bool, len(a.fold))
	var last keypath.Key
	// Not strictly: a line that equals the one in the log, which was looked at strictly, needs no second look.
	for rec, err := range log.Scan(r, StateFile, log.Start{}) {
		a.tick()
		var damage *log.Damage
		if errors.As(err, &damage) {
			a.find(checkState, Finding{File: StateFile, Line: damage.Pos.Line, Offset: damage.Pos.Off}, "%s", damage.Reason)
			continue
		}
		if err != nil {
			return nil, err
		}
		at := Finding{File: StateFile, Line: rec.Pos.Line, Offset: rec.Pos.Off, Key: rec.Key.String()}
		if !last.IsZero() && rec.Key.Compare(last) <= 0 {
			a.find(checkState, at, "%s is out of order", rec.Key)
		}
		last, seen[rec.Key] = rec.Key, true
		switch want, live := a.expected(rec.Key); {
		case !live:
			a.find(checkState, at, "the log has no live %s", rec.Key)
		case want.TS != rec.TS:
			a.find(checkState, at, "%s is of %s, the log has %s", rec.Key, rec.TS, want.TS)
		case !rec.LaidOut || !bytes.Equal(want.Line, rec.Line):
			a.find(checkState, at, "%s is not what the log has", rec.Key)
		}
	}
	return seen, nil
}

// watermark holds the watermark against the log (F12). One that lags is what a crash leaves, and the next writer heals it; it is told
// all the same, since the index is not up to date until then.
func (a *Audit) watermark() error {
	at := Finding{File: log.WatermarkFile}
	w, err := log.ReadWatermark(a.Dir)
	switch {
	case errors.Is(err, disk.ErrIrregular):
		return nil
	case errors.Is(err, log.ErrWatermark):
		if a.live != nil && a.live.Size() > 0 {
			a.find(checkWatermark, at, "%s", err)
		}
		return nil
	case err != nil || a.live == nil:
		return err
	}
	fit, err := Judge(w, true, a.live, a.Boot)
	switch {
	case err != nil:
		return err
	case fit == FitNone:
		a.find(checkWatermark, at, "it speaks of another log.jsonl than the one here")
	case w.Applied < a.live.Size()-a.torn:
		a.find(checkWatermark, at, "the index has followed the log to byte %d of %d", w.Applied, a.live.Size())
	case w.Gen%2 == 1:
		a.find(checkWatermark, at, "a compaction did not come to its end")
	}
	return nil
}
