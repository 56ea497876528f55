package state

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// View is the live records at one moment: a state merged with the newest records written after its
// checkpoint, or the fold of a whole history where there is no usable state. It is for one
// goroutine, which closes it; what it was made from may be shared.
type View struct {
	file  *File // nil: since is everything
	since Fold
	whole func() (Fold, error)
	cache *sinceCache // of since

	lookup lookup // of this reader alone

	// Debug is called with why a sidecar is not used; may be nil.
	Debug func(msg string)
}

// NewView returns the view of a state and the records written since. file may be nil: then since is
// the fold of the whole history. If a line of the state turns out to be damaged, whole is called
// for that fold, which is used from that line on. The view does not close file.
func NewView(file *File, since Fold, whole func() (Fold, error)) *View {
	return &View{file: file, since: since, whole: whole, cache: &sinceCache{}}
}

// Extend returns the view of the same state, shared as file, with fresh records added to those
// written since. The new view keeps the caches of the old one.
func (v *View) Extend(file *File, fresh Fold, whole func() (Fold, error)) *View {
	since := maps.Clone(v.since)
	since.Merge(fresh)
	next := NewView(file, since, whole)
	next.cache = v.cache.extend(since, fresh)
	return next
}

// With returns the view with fresh records, which win against those of the view. It uses the files
// of the view, and is closed before it.
func (v *View) With(fresh Fold) *View {
	return v.Extend(v.file, fresh, func() (Fold, error) {
		whole, err := v.whole()
		if err == nil {
			whole.Merge(fresh)
		}
		return whole, err
	})
}

// Fork returns the view for another reader, with its own function for the whole history.
func (v *View) Fork(whole func() (Fold, error)) *View {
	fork := *v
	fork.whole, fork.lookup = whole, lookup{}
	return &fork
}

func (v *View) debug(msg string) {
	if v.Debug != nil {
		v.Debug(msg)
	}
}

// goWithout notes why a sidecar is not used. The next read opens it again.
func (v *View) goWithout(what string, err error) {
	v.debug(what + " not used: " + err.Error())
	if v.file != nil {
		v.file.sidecars.close()
	}
}

// HasState reports whether the view uses a state.
func (v *View) HasState() bool { return v.file != nil }

// Since returns the fold of the writes after the state; the caller must not change it.
func (v *View) Since() Fold { return v.since }

// ExpiredBy returns the first time at which all live records that the view lacks have expired;
// [log.MinStamp] where none is missing.
func (v *View) ExpiredBy() log.Stamp {
	if v.file == nil {
		return log.MinStamp
	}
	return v.file.ExpiredBy
}

// Estimate returns about how many live records the view has, for a progress bar.
func (v *View) Estimate() int {
	if v.file == nil {
		return len(v.since)
	}
	return v.file.Keys + len(v.since)
}

// Live yields the newest record of every live key, by key; expired ones too. The record shares a
// buffer until the next step. An error is the file system's, and the last.
func (v *View) Live() iter.Seq2[log.Record, error] {
	return v.ScanBelow(context.Background(), keypath.Prefix{})
}

// ScanBelow yields what Live does of the keys under a prefix. It reads only that part of the state,
// which it finds by bisection.
func (v *View) ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error] {
	return v.scan(ctx, prefix, nil)
}

// scan is ScanBelow that shows the lines of the state.
func (v *View) scan(ctx context.Context, prefix keypath.Prefix, seen sawLine,
) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		outside := func(key keypath.Key) bool { return !prefix.Holds(key) }
		m := merge{since: v.since, keys: slices.DeleteFunc(v.since.Keys(), outside), seen: seen}
		m.yield = func(rec log.Record, err error) bool {
			if outside(rec.Key) {
				return true
			}
			if ctx.Err() != nil {
				yield(log.Record{}, fmt.Errorf("reading: %w", context.Cause(ctx)))
				return false
			}
			return yield(rec, err)
		}
		if v.file != nil {
			err := v.mergeSpans(&m, prefix)
			if errors.Is(err, errDamaged) {
				err = m.restart(v)
			}
			if err != nil {
				yield(log.Record{}, err)
				return
			}
		}
		m.rest()
	}
}

// mergeSpans merges the ranges of the state that hold a prefix.
func (v *View) mergeSpans(m *merge, prefix keypath.Prefix) error {
	spans, err := v.file.spans(prefix)
	if err != nil {
		return err
	}
	for _, s := range spans {
		r := &counter{SectionReader: io.NewSectionReader(v.file.f, s.from, s.to-s.from)}
		if err := m.state(r); err != nil {
			return err
		}
		if !m.done && r.n < s.to-s.from {
			return errDamaged // somebody has cut the file
		}
	}
	return nil
}

// counter counts the bytes that are read.
type counter struct {
	*io.SectionReader
	n int64
}

// Read reads and counts.
func (c *counter) Read(b []byte) (int, error) {
	n, err := c.SectionReader.Read(b)
	c.n += int64(n)
	return n, err
}

// useWhole replaces state and since by the fold of the whole history.
func (v *View) useWhole() error {
	fold, err := v.whole()
	if err != nil {
		return err
	}
	v.Close()
	v.file, v.since, v.cache = nil, fold, &sinceCache{}
	return nil
}

// Get returns the newest live record of one key, expired or not.
func (v *View) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	if rec, ok := v.since[key]; ok {
		return rec, rec.Valid(), nil
	}
	if v.file == nil {
		return log.Record{}, false, nil
	}
	if rec, found, ok := v.fromRow(key); ok {
		return rec, found, nil
	}
	rec, found, sure, err := v.file.Get(key)
	if err != nil || sure {
		return rec, found, err
	}
	if err := v.useWhole(); err != nil {
		return log.Record{}, false, err
	}
	rec, found = v.since[key]
	return rec, found && rec.Valid(), nil
}

// ReadBelow yields what [View.ScanBelow] does of a view that is opened for it, and released after
// it.
func ReadBelow(ctx context.Context, prefix keypath.Prefix,
	open func() (v *View, release func(), err error)) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		v, release, err := open()
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer release()
		v.ScanBelow(ctx, prefix)(yield)
	}
}
