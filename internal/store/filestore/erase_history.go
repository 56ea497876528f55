package filestore

import (
	"bytes"
	"io"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

type segmentLines struct {
	name   string
	spans  []purge.Span
	doubts []purge.Doubt
}

// collect reads archives and log, and keeps what of them goes.
func (x *eraser) collect() error {
	names, err := log.Archives(x.wr.Dir)
	if err != nil {
		return err
	}
	for _, name := range append(names, log.File) {
		if err := withFile(x.wr.Dir, name, func(f *disk.File, size int64) error {
			return x.read(f, size, name)
		}); err != nil {
			return err
		}
	}
	for _, key := range x.plan.Keys {
		if !x.plan.Tombstones {
			x.values.AddKey(key)
		}
	}
	x.values.LearnCommon(x.common)
	return nil
}

// read reads a segment. Of joined lines all go, and what they hold of others is kept.
func (x *eraser) read(r io.ReaderAt, size int64, name string) error {
	spans, doubts, err := x.plan.Lines(io.NewSectionReader(r, 0, size), name, x.take)
	if err != nil {
		return err
	}
	glued, err := purge.Glued(io.NewSectionReader(r, 0, size))
	for _, line := range glued {
		sound, rest, shows := x.plan.OtherRecords(line.Raw)
		if !shows {
			continue
		}
		if !slices.Contains(spans, line.Span) {
			spans = append(spans, line.Span)
		}
		x.sound = append(x.sound, sound...)
		x.rest = append(x.rest, bytes.Join(rest, []byte{'\n'})...)
	}
	if len(spans)+len(doubts) > 0 {
		x.found = append(x.found, segmentLines{name, spans, doubts})
	}
	x.versions += len(spans)
	return err
}

// take takes in a version that is removed. The tombstones of the plan are no versions.
func (x *eraser) take(rec log.Record) {
	if x.plan.IsTombstone(rec) {
		x.versions--
		return
	}
	x.newest = max(x.newest, rec.TS)
	x.last[rec.Key] = max(x.last[rec.Key], rec.TS)
	x.plan.Saw(rec)
	if !content.IsPurgeMark(rec) { // whose source alone says something: the reason
		x.values.Add(rec)
		x.hasText = true
	}
}

// rescue takes in what of other keys was joined with what goes: sound lines are appended to the
// log, the rest is quarantined. A crash after it leaves them twice, which changes nothing.
func (x *eraser) rescue() error {
	if len(x.rest) > 0 {
		_, err := log.Quarantine(x.wr.Dir, log.File+"-lines", x.rest, x.wr.now)
		if err != nil {
			return err
		}
	}
	if len(x.sound) == 0 {
		return nil
	}
	if err := AppendAgain(x.wr.Log, x.sound); err != nil {
		return err
	}
	return x.wr.rebuild()
}

// rewrite replaces the files of the history that hold something of the keys, and the state. The
// generation is odd meanwhile; after a crash the next writer makes state and checkpoint anew.
func (x *eraser) rewrite() error {
	for _, step := range []func() error{x.wr.NextGeneration, x.state, x.archives, x.live} {
		if err := step(); err != nil {
			return err
		}
	}
	if x.plan.Anew {
		return x.anew()
	}
	return x.wr.NextGeneration()
}

// anew makes the state of the history, now that this has nothing more of what goes.
func (x *eraser) anew() error {
	for _, name := range []string{state.FileName, state.CheckpointName} {
		// A crash after this leaves a store without a state, or without a checkpoint: the next
		// writer folds the history, and the plan is there.
		if err := disk.IgnoreNotExist(x.wr.Dir.Remove(name)); err != nil {
			return err
		}
	}
	return disk.Ignore(x.wr.rebuild(), backend.ErrStored)
}

// state makes the state anew, which the tombstones keep the keys out of, and removes the sidecars.
func (x *eraser) state() error {
	if err := state.RemoveSidecars(x.wr.Dir); err != nil {
		return err
	}
	v, err := x.wr.Load()
	if err != nil {
		return err
	}
	defer v.Close()
	d, err := state.Write(x.wr.Dir, v.View, state.DraftOptions{})
	if err != nil {
		return err
	}
	defer d.Discard()
	return x.wr.installState(v, d, ComparedAt(x.wr.Dir))
}

// archives replaces the archives that hold something. Until the log is replaced the checkpoint does
// not list them: after a crash their new bytes are not those that it knew.
func (x *eraser) archives() error {
	names := x.plan.ReplacedArchives()
	for _, found := range x.found {
		names = append(names, found.name)
	}
	if err := Unlist(x.wr.Dir, names); err != nil {
		return err
	}
	for _, found := range x.found {
		spans := purge.AddDoubtful(found.spans, found.doubts, x.values)
		if found.name == log.File || len(spans) == 0 {
			continue
		}
		// A crash before this leaves the old archive, and after it the new one.
		if err := Cut(x.wr.Dir, found.name, spans); err != nil {
			return err
		}
	}
	return nil
}

// live replaces the live log. A crash within it leaves a checkpoint of another log: the next writer
// folds archives and log.
func (x *eraser) live() error {
	var spans []purge.Span
	for _, found := range x.found {
		if found.name == log.File {
			spans = purge.AddDoubtful(found.spans, found.doubts, x.values)
		}
	}
	return x.wr.ReplaceLog(spans...)
}
