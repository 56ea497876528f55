package upkeep

import (
	"context"
	"fmt"
	"reflect"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/log"
)

// check is one check of a store, with the repair of its findings.
type check struct {
	store   *Store
	o       backend.CheckOptions
	checker *fsck.Checker
	rep     backend.CheckReport
	loss    backend.Loss // to be accepted
}

// Check checks the invariants of the store; see fsck.Checks. It checks without the lock first, and
// then checks with it what seems wrong, so writers can continue and are never mistaken for damage.
func (s *Store) Check(ctx context.Context, c backend.Caller, o backend.CheckOptions) (
	backend.CheckReport, error) {
	dir, err := s.Dir()
	if dir == nil && err == nil && o.AcceptLoss != "" {
		err = fmt.Errorf("%s: %w: there is no store", o.AcceptLoss, fsck.ErrNoLoss)
	}
	if dir == nil || err != nil {
		return backend.CheckReport{}, err
	}
	o.Repair = o.Repair || o.AcceptLoss != ""
	x := &check{store: s, o: o, checker: &fsck.Checker{Dir: dir, Now: c.Now.Time(), Boot: s.Boot(),
		Progress: s.checkProgress(), TrustClock: o.TrustClock, Shared: s.o.Shared}}
	if err := s.follow(ctx, c, dir); err != nil {
		return x.rep, err
	}
	x.rep.Found, err = x.checker.Run()
	x.rep.Records = x.checker.Lines()
	x.warnClock()
	if err == nil && o.AcceptLoss != "" {
		err = x.agree()
	}
	if err == nil && len(x.rep.Found)+len(o.Files) > 0 {
		err = x.treat(ctx)
	}
	if len(x.rep.Adopted) > 0 {
		err = backend.Unfinished(err, "hand edits are stored", "the same command goes on")
	}
	return x.rep, err
}

// agree asks whether what an archive has lost may be given up.
func (x *check) agree() (err error) {
	if x.loss, err = x.checker.Loss(x.o.AcceptLoss); err == nil && x.o.Agree != nil {
		err = x.o.Agree(x.loss)
	}
	return err
}

// agreed compares, under the lock, the loss with that which was agreed to.
func (x *check) agreed() error {
	if x.o.AcceptLoss == "" {
		return nil
	}
	now, err := x.checker.Loss(x.o.AcceptLoss)
	if err == nil && !reflect.DeepEqual(now, x.loss) {
		err = fmt.Errorf("%s: %w", now.File, backend.ErrChanged)
	}
	return err
}

// treat adopts, checks again and repairs, as the options say.
func (x *check) treat(ctx context.Context) (err error) {
	dir := x.checker.Dir
	if x.o.Repair {
		if err := filestore.ClearLockPath(dir, x.checker.Now); err != nil {
			return err
		}
	}
	if x.o.Adopt {
		if err := x.adopt(); err != nil {
			return err
		}
	}
	unlock, err := x.store.Lock(ctx, dir, "fsck")
	if isReadOnly(err) && !x.o.Repair && !x.o.Adopt {
		x.rep.Left = x.rep.Found
		return nil
	}
	if err != nil {
		return err
	}
	defer disk.Finish(&err, unlock)
	return x.reverify()
}

func (s *Store) checkProgress() func(part string, done, total int) {
	if s.o.Progress == nil {
		return nil
	}
	return func(part string, done, total int) { s.o.Progress("fsck of "+part, done, total) }
}

// warnClock warns of a clock that may be behind the store.
func (x *check) warnClock() {
	if n, newest := x.checker.ClockBehind(); n > 0 {
		x.store.o.Warn(fmt.Sprintf("the clock says %s, and the store was written until %s: if the "+
			"clock is right, mem fsck --repair --trust-clock", log.StampOf(x.checker.Now), newest))
	}
}

// adopt stores each hand edit as a write: those in the files that were named, or all.
func (x *check) adopt() error {
	edits, refused, err := x.checker.Edits(x.rep.Found)
	if len(x.o.Files) > 0 {
		edits, err = x.checker.EditsIn(x.o.Files)
		refused = nil
	}
	if err != nil {
		return err
	}
	for file, why := range refused {
		x.store.o.Warn(fmt.Sprintf("%s: cannot be adopted: %s", file, why))
	}
	for _, edit := range edits {
		stored, err := x.o.Take(edit)
		if err != nil {
			return err
		}
		if !stored {
			continue
		}
		x.rep.Adopted = append(x.rep.Adopted, edit.Key.String())
		if edit.Foreign {
			// It has a file at its own place by now.
			err := filestore.QuarantineFile(x.checker.Dir, edit.File, x.checker.Now)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reverify checks the findings again, and repairs them if asked to. The lock is held.
func (x *check) reverify() (err error) {
	if x.o.Repair {
		files := filestore.Files{Dir: x.checker.Dir, Boot: x.checker.Boot, Shared: x.checker.Shared}
		if err := files.FinishPurge(x.checker.Now); err != nil {
			return err
		}
	}
	if x.o.Repair || len(x.rep.Adopted) > 0 {
		x.rep.Left, err = x.checker.Run() // before a change everything is checked
	} else {
		x.rep.Left, err = x.checker.Reverify()
	}
	if err == nil && len(x.rep.Adopted) == 0 {
		x.rep.Found = x.rep.Left
	}
	if err == nil {
		err = x.agreed()
	}
	if err != nil || !x.o.Repair || len(x.rep.Left) == 0 {
		return err
	}
	err = (&fsck.Repairer{Checker: x.checker, Findings: x.rep.Left, Accepted: x.loss.File}).Run()
	if err != nil {
		return err
	}
	if x.loss.File != "" {
		x.rep.Accepted = &x.loss
	}
	x.rep.Left, err = x.checker.Run()
	return err
}
