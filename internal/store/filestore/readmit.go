package filestore

import (
	"context"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// AppendAgain appends envelopes to the log that a history had before, in pieces.
func AppendAgain(l *log.Appender, envelopes []log.Envelope) error {
	const piece = 4 << 20
	var buf []byte
	for i, e := range envelopes {
		buf = append(e.AppendLine(buf), '\n')
		if len(buf) < piece && i < len(envelopes)-1 {
			continue
		}
		// After a crash here the log has some of them; the next repair finds the others.
		if err := l.Append(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return nil
}

// whole loads the view for a rebuild. What only the state has, and sound copies of damaged lines,
// are appended to the log first, for the rebuild removes them from index and state.
func (wr *Writer) whole() (*View, error) {
	v, err := wr.Load()
	if err != nil {
		return nil, err
	}
	n, err := wr.Readmit(v, v.Damaged)
	wr.short = wr.short && err != nil
	if err == nil && n == 0 {
		return v, nil
	}
	v.Close()
	if err != nil {
		return nil, err
	}
	return wr.Load()
}

// Readmit appends to the log the sound copies of damaged lines and of lines without a checksum, and
// what the state has and the history does not, and returns how many there were. The view must be
// of the writer's log. What git has taken away stays away.
func (wr *Writer) Readmit(v *View, damaged []*log.Damage) (int, error) {
	if wr.Shared {
		return 0, nil
	}
	s := CopySearch{Dir: wr.Dir, Tree: wr.Index.Tree, Newest: v.newestKnown}
	for _, d := range damaged {
		raw, err := BytesAt(wr.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
		if err != nil {
			return 0, err
		}
		s.Lost.Add(raw, d.Pos)
	}
	for _, rec := range v.Since() {
		if rec.Unsealed {
			s.Lost.addUnsealed(rec)
		}
	}
	for _, e := range v.deleted {
		s.Prove(log.Record{Envelope: e})
	}
	if wr.short {
		s.Lost.AddUnknown()
	} else if !v.HasState() {
		faults, err := ArchiveFaults(wr.Dir)
		if err != nil {
			return 0, err
		}
		if len(faults) > 0 {
			s.Lost.AddUnknown()
		}
	}
	err := s.Index()
	if err == nil && (len(v.onlyState) > 0 || v.outdated) {
		err = s.State()
	}
	if err != nil {
		return 0, err
	}
	sound, err := s.Found()
	if err == nil {
		sound, err = withoutPurged(wr.Dir, sound)
	}
	if err != nil || len(sound) == 0 {
		return 0, err
	}
	wr.note("lost lines were taken in again from state.jsonl or index/:%s"+
		" (%s deletes a memory)", someKeys(sound), advice.Run("rm").As(wr.Program))
	return len(sound), AppendAgain(wr.Log, sound)
}

// withoutPurged returns the envelopes that an unfinished purge does not take.
func withoutPurged(dir *disk.Dir, sound []log.Envelope) ([]log.Envelope, error) {
	plan, err := purge.Read(dir)
	if plan == nil {
		return sound, disk.Ignore(err, purge.ErrPlan)
	}
	return slices.DeleteFunc(sound, func(e log.Envelope) bool {
		return plan.Takes(log.Record{Envelope: e})
	}), err
}

// someKeys names the keys of envelopes, if there are few.
func someKeys(sound []log.Envelope) (names string) {
	const most = 3
	for i, e := range sound {
		if i == most {
			names += fmt.Sprintf(" and %d more", len(sound)-most)
			break
		}
		names += " " + e.Key.Shown()
	}
	return names
}

// Doubtful reports whether a part of what the view shows is in the state alone, or in lines without
// a checksum, or whether older versions may be in the state alone: then [Writer.Readmit] may find
// a better copy, or what the history lacks.
func (v *View) Doubtful() bool {
	if len(v.onlyState)+len(v.deleted) > 0 || v.outdated {
		return true
	}
	for _, rec := range v.Since() {
		if rec.Unsealed {
			return true
		}
	}
	return false
}

// newestKnown returns the newest record of a key but for what only the state has.
func (v *View) newestKnown(key keypath.Key) (log.Record, bool, error) {
	if v.HasState() {
		return v.Get(context.Background(), key)
	}
	rec, known := v.Since()[key]
	return rec, known && !v.onlyState[key], nil
}
