package compact

import (
	"errors"
	"io"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// futureSlack is how far ahead a ts may lie: clocks differ, and time zones get confused.
const futureSlack = log.Stamp(24 * 3600 * 1e6)

// checkLog reads every line of every segment, strictly, and folds the sound ones (F01 to F04).
func (a *Audit) checkLog() error {
	for _, name := range a.archives {
		if err := a.checkArchive(name); err != nil {
			return err
		}
	}
	return a.checkLive(log.Start{})
}

func (a *Audit) checkArchive(name string) error {
	a.known[name] = true
	f, err := a.Dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = a.scanSegment(f, name, log.Start{})
	return err
}

// checkLive looks at the live segment from somewhere on.
func (a *Audit) checkLive(from log.Start) (err error) {
	if a.live == nil {
		return nil
	}
	a.torn = 0
	a.end, err = a.scanSegment(a.live.From(from.Off), log.File, from)
	a.ino = a.live.Ino()
	return err
}

// scanSegment gives where the last whole line ends.
func (a *Audit) scanSegment(r io.Reader, name string, end log.Start) (log.Start, error) {
	limit := log.StampOf(a.Now) + futureSlack
	for rec, err := range log.ScanStrict(r, name, end) {
		a.lines++
		a.tick()
		var damage *log.Damage
		if errors.As(err, &damage) {
			a.findDamage(damage)
			if !errors.Is(err, log.ErrTorn) {
				end = damage.Pos.After()
			}
			continue
		}
		if err != nil {
			return end, err
		}
		end = rec.Pos.After()
		if rec.TS > limit {
			a.find(checkFuture, Finding{File: name, Line: rec.Pos.Line, Offset: rec.Pos.Off, Key: rec.Key.String(), length: rec.Pos.Len}, "ts %s", rec.TS)
		} else {
			a.newest = max(a.newest, rec.TS)
		}
		a.take(rec)
	}
	return end, nil
}

// take folds a record, and keeps what the state should hold of a key that the log has written again since the checkpoint.
func (a *Audit) take(rec log.Record) {
	if a.cpFits && rec.Pos.File == log.File && rec.Pos.Off >= a.cp.Offset {
		if _, kept := a.covered[rec.Key]; !kept {
			a.covered[rec.Key] = a.fold[rec.Key]
		}
	}
	a.fold.Add(rec)
}

func (a *Audit) findDamage(d *log.Damage) {
	at := Finding{File: d.Pos.File, Line: d.Pos.Line, Offset: d.Pos.Off, length: d.Pos.Len}
	switch {
	case errors.Is(d, log.ErrTorn):
		a.torn = d.Pos.Len
		a.find(checkTorn, at, "%d bytes without an end: %s", d.Pos.Len, d.Reason)
	case errors.Is(d, log.ErrChecksum):
		a.find(checkChecksum, at, "%s", d.Reason)
	default:
		a.find(checkLine, at, "%s", d.Reason)
	}
}

// expected gives what the state should hold for a key.
func (a *Audit) expected(key keypath.Key) (log.Record, bool) {
	rec, again := a.covered[key]
	if !again {
		rec = a.fold[key]
	}
	return rec, !rec.Key.IsZero() && rec.Valid()
}
