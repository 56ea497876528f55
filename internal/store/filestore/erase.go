package filestore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// errChanged is returned by a step of an erasure whose file is another than when it was read.
var errChanged = errors.New("the store was changed meanwhile")

// Erase removes every version of some keys, with all copies and traces. It holds the lock of
// compactions to its end, and the store's lock for each replacement alone.
func (s *Store) Erase(ctx context.Context, _ backend.Caller, e backend.Erasure) (
	proof backend.Proof, err error) {
	r, err := s.root()
	if r == nil || err != nil {
		return proof, err
	}
	only, err := state.LockCompaction(ctx, r.Dir, s.o.Now, s.o.LockWait)
	if err != nil {
		return proof, err
	}
	defer only.Release()
	x := &eraser{files: filesOf(s, r), values: purge.NewValues(), plan: e.Plan()}
	x.files.purging = true
	x.locked = func(fn func(*Writer) error) error { return locked(ctx, s, r, x.files, fn) }
	// What an earlier purge has left undone comes first: there is one plan at a time. So does what
	// only the state of another copy of the store has.
	err = locked(ctx, s, r, x.files.alone(), func(wr *Writer) error {
		return cmp.Or(noPlan(wr), wr.adoptState())
	})
	if err != nil {
		return proof, err
	}
	if err := x.collect(); err != nil {
		return proof, err
	}
	if err := x.locked(func(wr *Writer) error { return x.begin(wr, e.Reason) }); err != nil {
		return proof, err
	}
	if x.versions == 0 {
		return proof, nil
	}
	return x.run()
}

// locked runs fn on the healed store, under the lock.
func locked(ctx context.Context, s *Store, r *root, files Files, fn func(*Writer) error) error {
	lock := func() (func() error, error) { return s.Lock(ctx, r.Dir, "forget") }
	return files.Locked(lock, s.o.Now(), s.o.Warn, fn)
}

// noPlan returns an error where a plan is left that could not be finished.
func noPlan(wr *Writer) error {
	plan, err := purge.Read(wr.Dir)
	if plan == nil || IsForeignPlan(wr.Dir, plan) {
		return ignore(err, purge.ErrPlan)
	}
	return fmt.Errorf("%s: an earlier purge could not be finished", wr.Dir.Join(purge.File))
}

// alone returns the files for a caller that has the lock of compactions.
func (s Files) alone() Files {
	s.Alone, s.purging = true, false
	return s
}

// eraser is one erasure, from its beginning or from where a killed one left off.
type eraser struct {
	files    Files
	plan     *purge.Plan
	values   *purge.Values
	versions int
	newest   log.Stamp      // of the versions that go
	found    []segmentLines // what the archives hold
	locked   func(func(*Writer) error) error

	sound  []log.Envelope // of other keys, joined with what goes in one line
	rest   []byte         // likewise, what cannot be read
	beyond []string       // what could not be looked into

	blobs erasedBlobs
}

// segmentLines are the lines of a segment that are removed.
type segmentLines struct {
	name   string
	spans  []purge.Span
	doubts []purge.Doubt
}

// see takes in a version that is removed.
func (x *eraser) see(rec log.Record) {
	x.newest = max(x.newest, rec.TS)
	x.values.Add(rec)
}

// takes is Plan.Takes while others may still hold something of the keys.
func (x *eraser) takes(rec log.Record) bool { return x.plan.Takes(rec, false) }

// collect reads the archives. They do not change: a rotation needs the lock of compactions.
func (x *eraser) collect() error {
	names, err := log.Archives(x.files.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		err := withFile(x.files.Dir, name, func(f *disk.File, size int64) error {
			return x.read(f, size, name)
		})
		if err != nil {
			return err
		}
	}
	if !x.plan.Tombstones {
		for _, key := range x.plan.Keys {
			x.values.AddKey(key)
		}
	}
	return nil
}

// read reads a segment, and keeps what of it goes.
func (x *eraser) read(r io.ReaderAt, size int64, name string) error {
	spans, doubts, err := x.lines(r, size, name, x.takes, x.see)
	if len(spans)+len(doubts) > 0 {
		x.found = append(x.found, segmentLines{name, spans, doubts})
	}
	x.versions += len(spans)
	return err
}

// lines returns the lines of a segment that go, and those in doubt. Where several lines are joined,
// all of them go; with see, what they hold of others is kept aside.
func (x *eraser) lines(r io.ReaderAt, size int64, name string, takes func(log.Record) bool,
	see func(log.Record)) (spans []purge.Span, doubts []purge.Doubt, err error) {
	spans, doubts, err = x.plan.Lines(io.NewSectionReader(r, 0, size), name, takes, see)
	if err != nil {
		return nil, nil, err
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
		if see != nil {
			x.sound = append(x.sound, sound...)
			x.rest = append(x.rest, bytes.Join(rest, []byte{'\n'})...)
		}
	}
	return spans, doubts, err
}

// rescue takes in what of other keys was joined with what goes: sound lines are appended to the
// log, the rest is quarantined. A crash after it leaves them twice, which changes nothing.
func (x *eraser) rescue(wr *Writer) error {
	if len(x.rest) > 0 {
		if _, err := log.Quarantine(wr.Dir, log.File+"-lines", x.rest, wr.now); err != nil {
			return err
		}
	}
	if len(x.sound) == 0 {
		return nil
	}
	if err := AppendAgain(wr.Log, x.sound); err != nil {
		return err
	}
	return wr.rebuild()
}

// withFile opens a file for fn, with its size.
func withFile(dir *disk.Dir, name string, fn func(f *disk.File, size int64) error) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	return fn(f, fi.Size())
}

// begin reads the live log, writes the plan, and deletes the keys. The lock is held from the plan
// to the tombstones: a process that finds the plan finds them too, or no write since.
func (x *eraser) begin(wr *Writer, reason string) error {
	if err := wr.IndexError(); err != nil {
		return err
	}
	if err := x.read(wr.Log, wr.Log.Size(), log.File); err != nil || x.versions == 0 {
		return err
	}
	if x.values.MatchFold(reason) {
		return backend.ErrReason
	}
	if words := x.values.WordsOf(reason); len(words) > 0 {
		wr.note("the reason stays, and contains words of the forgotten text: %s",
			strings.Join(words, ", "))
	}
	if err := x.rescue(wr); err != nil {
		return err
	}
	if err := x.setHorizon(wr); err != nil {
		return err
	}
	if err := x.writePlan(wr); err != nil {
		return err
	}
	return wr.Append(x.plan.Stones())
}

// writePlan completes the plan, now that all that goes is known, and writes it.
func (x *eraser) writePlan(wr *Writer) (err error) {
	if err := x.planArchives(); err != nil {
		return err
	}
	x.plan.AddBlobs(x.values.Blobs())
	if x.plan.Lock, err = lockOf(wr.Dir); err != nil {
		return err
	}
	// A crash after this leaves the plan, and the next writer does all the rest.
	return purge.Write(wr.Dir, x.plan)
}

// setHorizon sets the time of the last tombstone: there is one for each key, behind all that was
// ever written.
func (x *eraser) setHorizon(wr *Writer) error {
	// An archive that was put there may be ahead of what the watermark knows.
	first, err := log.NextStamp(wr.now, max(wr.w.MaxTS, x.newest))
	if err == nil {
		x.plan.Horizon, err = log.NextStamp(wr.now, first+log.Stamp(len(x.plan.Keys))-2)
	}
	return err
}

// planArchives sets what becomes of each archive.
func (x *eraser) planArchives() error {
	for _, found := range x.found {
		if found.name == log.File {
			continue
		}
		spans := purge.AddDoubtful(found.spans, found.doubts, x.values)
		if len(spans) == 0 {
			continue
		}
		a := purge.Archive{Name: found.name}
		err := withFile(x.files.Dir, found.name, func(f *disk.File, size int64) (err error) {
			if a.Old, err = purge.Rest(f, size, nil); err == nil {
				a.New, err = purge.Rest(f, size, spans)
			}
			return err
		})
		if err != nil {
			return err
		}
		x.plan.Archives = append(x.plan.Archives, a)
	}
	return nil
}

// run does what the plan says, in an order in which a crash leaves nothing that the next writer
// could not tell: what the values are needed for comes while the history still has them.
func (x *eraser) run() (proof backend.Proof, err error) {
	files, traces := replacer{x}, sweeper{x}
	x.values.LearnCommon(x.common)
	for _, step := range []func() error{files.removeBlobs, traces.look, traces.scrub, files.state,
		files.archives, func() error { return x.locked(files.live) }, traces.scrub} {
		if err := step(); err != nil {
			return proof, fmt.Errorf("the purge is not complete, the next write goes on: %w", err)
		}
	}
	proof = backend.Proof{Horizon: x.plan.Horizon, Versions: x.versions, Short: x.values.Short(),
		Kept: x.blobs.kept}
	search, err := x.prove()
	if err != nil {
		return proof, err
	}
	err = x.locked(func(wr *Writer) error {
		if err := traces.lookAgain(search); err != nil {
			return err
		}
		search.ResolveUnkeyed()
		proof.Beyond = append(x.beyond, search.Unclear()...)
		if err := traces.sync(wr); err != nil {
			return err
		}
		return purge.Remove(wr.Dir)
	})
	proof.Remains, proof.Others = search.Remains(), search.OtherPlaces()
	return proof, err
}
