package filestore

import (
	"errors"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// The sizes of conversations up to the checkpoint are kept in a sidecar (package sizes); the rest
// is in the log after it. Without a sidecar that fits, the whole history is read, to the same
// answer.

// orWhole runs fn, and again for the whole history where the sidecar turns out to be damaged.
func orWhole(fn func(whole bool) error) error {
	err := disk.Guard(func() error { return fn(false) })
	if errors.Is(err, sizes.ErrStale) || errors.Is(err, disk.ErrFault) {
		err = fn(true)
	}
	return err
}

// AddHistory adds to the draft of a state the sidecars of the history: sizes and numbers.
func (v *View) AddHistory(d *state.Draft) error {
	if err := v.addSizes(d); err != nil {
		return err
	}
	return v.addNumbered(d)
}

func (v *View) addSizes(d *state.Draft) error {
	h, err := v.history()
	if err != nil {
		return err
	}
	covered, err := h.Covered(v.Size())
	if err != nil {
		return err
	}
	return orWhole(func(whole bool) error {
		tally, err := v.tally(whole)
		if err != nil {
			return err
		}
		defer tally.Close()
		s, err := tally.Draft(h.Dir, d.Size, d.Sum, covered)
		if errors.Is(err, sizes.ErrStale) && !whole {
			return err
		}
		if err != nil {
			_ = sizes.Remove(h.Dir) // the one there is refused, unless the history did not grow
			d.LeftOut(err)
			return nil
		}
		d.Attach(s)
		return nil
	})
}

// tally returns the sizes in what a view covers; whole: without the sidecar.
func (v *View) tally(whole bool) (*sizes.Tally, error) {
	h, err := v.history()
	if err != nil {
		return nil, err
	}
	var cp state.Checkpoint
	from := int64(-1)
	if v.file != nil && v.seg != nil && !whole {
		cp = v.file.Checkpoint
		from = coveredBy(cp, v.seg) // a kept view does not care where its lines stand by now
	}
	tally, from, err := h.Begin(cp, from)
	if err == nil {
		err = h.AddLog(tally, from)
	}
	if err != nil {
		tally.Close()
		return nil, err
	}
	return tally, nil
}

// history returns the history that a view covers: of the archives at hand those that its checkpoint
// lists, or from which it was folded. Lines rotated since are in its log.
func (v *View) history() (sizes.History, error) {
	h := sizes.History{Dir: v.from.Dir, Archives: v.archives, Log: v.seg}
	if v.file == nil {
		return h, nil
	}
	list, err := ArchivesOf(v.file.Checkpoint)
	if err != nil {
		return h, err
	}
	names, err := log.Archives(h.Dir)
	listed := namesOf(list)
	h.Archives = slices.DeleteFunc(names, func(name string) bool { return !listed[name] })
	return h, err
}
