package transfer

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// Side is one of the two stores.
type Side struct {
	Store *mem.Store
	Name  string // what messages call it
}

// CopyJob is a copy.
type CopyJob struct {
	From, To Side
	DryRun   bool // only report what would be copied
	// Progress is called after each batch with the number of versions copied so far; nil: no calls.
	Progress func(what string, done, total int)
}

// CopyReport is the result of a copy.
type CopyReport struct {
	Versions  int  `json:"versions"`          // that were copied, tombstones among them
	Artifacts int  `json:"artifacts"`         // files that were copied
	Absent    int  `json:"absent,omitempty"`  // live artifacts whose file the source does not have
	Damaged   int  `json:"damaged,omitempty"` // lines of the source that cannot be read
	Config    bool `json:"config"`            // the configuration was copied
	// Prefixes is what both stores hold in the end, of a dry run the source.
	Prefixes []PrefixSum `json:"prefixes"`
	DryRun   bool        `json:"dry_run,omitempty"` // nothing was written

	Back bool `json:"back,omitempty"` // it is the report of [BringBack], and Prefixes of the target
	// Older are the memories of which the server has a newer version: the lost one is left out.
	Older []keypath.Key `json:"older,omitempty"`
	// Purged are those whose purge the server has lost, so that it may have their versions.
	Purged []keypath.Key `json:"purged,omitempty"`
}

// copyRounds is the number of surveys of the source after the first.
const copyRounds = 5

type copying struct {
	CopyJob
	ctx    context.Context // of the one call that it lives for
	caller mem.Caller
	op     *mem.Operation // in the target
	found  survey
	rep    CopyReport
}

// Copy copies the contents of one store to an empty one. It refuses an agent
// (*policy.PersonError), a source that does not exist or is the target, and a target that has
// versions (mem.KindInput). After an error, everything copied so far stays, and the target is no
// longer empty. The error is a *mem.PartialError if the copy was stopped in the middle, a
// *DifferenceError if the two stores differ in the end, a *LackError if the source could not give
// all of it, and of mem.KindLocked if it was written to all the time.
func Copy(ctx context.Context, c mem.Caller, j CopyJob) (CopyReport, error) {
	r := &copying{CopyJob: j, ctx: ctx, caller: c, found: newSurvey(),
		rep: CopyReport{DryRun: j.DryRun, Prefixes: []PrefixSum{}}}
	if err := r.check(); err != nil {
		return r.rep, err
	}
	if j.DryRun {
		return r.rep, r.foresee()
	}
	var err error
	if r.op, err = j.To.Store.Begin(c, policy.Copy); err == nil {
		if err = r.copyAll(); err == nil {
			err = r.lacks()
		}
		r.op.Done(r.rep.Versions, err)
	}
	return r.rep, err
}

// check refuses a copy that makes no sense, and surveys the source for the first time.
func (r *copying) check() error {
	if err := policy.CheckNoAgent(r.caller, "copy"); err != nil {
		return err
	}
	if err := checkSides(r.ctx, r.From, r.To); err != nil {
		return err
	}
	if err := checkEmpty(r.ctx, r.To); err != nil {
		return err
	}
	if err := r.survey(); err != nil {
		return err
	}
	if r.found.total == 0 {
		return noStore(r.From.Name, "no memories at ")
	}
	return nil
}

// survey walks the source for versions that were not copied yet.
func (r *copying) survey() (err error) {
	r.rep.Damaged, err = r.found.add(r.ctx, r.From.Store)
	return err
}

func (r *copying) foresee() (err error) {
	if r.rep.Config, err = r.giveConfig(); err != nil {
		return err
	}
	if err = errors.Join(r.copyBlobs(), r.write()); err != nil {
		return err
	}
	r.rep.Prefixes, err = foldPrefixes(r.ctx, r.From.Store, r.now())
	return err
}

// copyAll copies until nothing is new, and compares the two stores.
func (r *copying) copyAll() (err error) {
	if r.rep.Config, err = r.giveConfig(); err != nil {
		return err
	}
	if err = r.round(); err != nil {
		return err
	}
	var differ error
	for range copyRounds {
		if err = r.survey(); err != nil {
			return err
		}
		switch {
		case r.found.altered:
			return r.busy()
		case r.found.fresh > 0:
			if err = r.round(); err != nil {
				return err
			}
			continue
		case differ != nil:
			return differ // and nothing was written to the source meanwhile
		}
		differ, err = r.compare()
		if err != nil || differ == nil {
			return err
		}
	}
	return r.busy()
}

// round copies what the last survey has found.
func (r *copying) round() error {
	err := r.copyBlobs()
	if err == nil {
		err = r.write()
	}
	if err != nil && r.rep.Versions > 0 {
		err = &mem.PartialError{Stored: r.rep.Versions, Total: r.found.total, Err: err}
	}
	return err
}

// giveConfig copies the configuration of the source, if the target has none.
func (r *copying) giveConfig() (bool, error) {
	text, err := r.From.Store.ConfigText(r.ctx)
	if err != nil || text == nil {
		return false, err
	}
	have, err := r.To.Store.ConfigText(r.ctx)
	if err != nil || have != nil {
		return false, err
	}
	if r.DryRun {
		return true, nil
	}
	return r.op.GiveConfig(r.ctx, text)
}

// lacks returns the error of a copy that could not take all; nil for a whole one.
func (r *copying) lacks() error {
	if r.rep.Damaged+r.rep.Absent == 0 {
		return nil
	}
	return &LackError{r.From.Name, r.To.Name, r.rep.Damaged, r.rep.Absent}
}

// replay stores a batch in the target.
func (r *copying) replay(b *batch) error {
	err := r.op.Replay(r.ctx, b.versions)
	if errors.Is(err, backend.ErrOlder) {
		return notEmpty(r.To.Name, err)
	}
	return err
}
