package transfer

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
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
	Known     int  `json:"known"`             // that the target had before
	Artifacts int  `json:"artifacts"`         // files that were copied
	Absent    int  `json:"absent,omitempty"`  // live artifacts whose file the source does not have
	Damaged   int  `json:"damaged,omitempty"` // lines of the source that cannot be read
	Config    bool `json:"config"`            // the configuration was copied
	// Prefixes is what both stores hold in the end, of a dry run the source.
	Prefixes []PrefixSum `json:"prefixes"`
	DryRun   bool        `json:"dry_run,omitempty"` // nothing was written
}

// copyRounds is the number of walks over the source for new versions, including the first.
const copyRounds = 5

// copying is one copy.
type copying struct {
	CopyJob
	ctx    context.Context // of the one call that it lives for
	caller mem.Caller
	op     *mem.Operation // in the target
	known  catalog
	rep    CopyReport
}

// Copy copies the contents of one store to another. It refuses an agent (*policy.PersonError), a
// source that does not exist or is the target, and a target that has something else (*InputError).
// After an error, everything copied so far stays, and the same call copies the rest. The error is a
// *mem.PartialError if the copy was stopped in the middle, a *DifferenceError if the two stores
// differ in the end, and a *BusyError if the source was written to all the time.
func Copy(ctx context.Context, c mem.Caller, j CopyJob) (CopyReport, error) {
	r := &copying{CopyJob: j, ctx: ctx, caller: c, known: newCatalog(),
		rep: CopyReport{DryRun: j.DryRun}}
	r.rep.Prefixes = []PrefixSum{}
	if err := r.check(); err != nil {
		return r.rep, err
	}
	if err := r.compareHistories(); err != nil {
		return r.rep, err
	}
	if j.DryRun {
		return r.rep, r.foresee()
	}
	var err error
	if r.op, err = j.To.Store.Begin(c, policy.Copy); err == nil {
		err = r.copyAll()
		r.op.Done(r.rep.Versions, err)
	}
	return r.rep, err
}

func (r *copying) check() error {
	if err := policy.CheckNoAgent(r.caller, "copy"); err != nil {
		return err
	}
	return checkSides(r.ctx, r.From, r.To)
}

// compareHistories learns which versions each store has.
func (r *copying) compareHistories() error {
	if err := r.known.addTarget(r.ctx, r.To.Store); err != nil {
		return err
	}
	if err := r.scan(); err != nil {
		return err
	}
	r.rep.Known = r.known.met - r.known.wanted
	if r.known.met == 0 {
		return noStore(r.From.Name, "no memories at ")
	}
	return nil
}

// scan walks the source for what the target has not.
func (r *copying) scan() (err error) {
	if r.rep.Damaged, err = r.known.addSource(r.ctx, r.From.Store); err != nil {
		return err
	}
	return r.checkTarget()
}

// foresee reports what a copy would do.
func (r *copying) foresee() (err error) {
	r.rep.Versions = r.known.wanted
	if r.rep.Config, err = r.giveConfig(); err != nil {
		return err
	}
	if err = r.copyBlobs(); err != nil {
		return err
	}
	r.rep.Prefixes, err = foldPrefixes(r.ctx, r.From.Store, r.now())
	return err
}

// copyAll copies until nothing is new, and compares the two stores. A copy that was killed may have
// left a target whose index does not follow: where nothing is missing nobody else would mend it.
func (r *copying) copyAll() (err error) {
	if err = r.To.Store.CatchUp(r.ctx, r.caller); err != nil {
		return err
	}
	if r.rep.Config, err = r.giveConfig(); err != nil {
		return err
	}
	var differ error
	for n := range copyRounds {
		written, err := r.round(n)
		switch {
		case err != nil:
			return err
		case written > 0:
			continue
		case differ != nil:
			return differ // and nothing was written to the source meanwhile
		}
		differ, err = r.compare()
		if err != nil || differ == nil {
			return err
		}
	}
	return &BusyError{r.From.Name}
}

// round copies the new versions of the source and returns their number. The last round finds no new
// versions; it has checked then that every file arrived.
func (r *copying) round(n int) (written int, err error) {
	if n > 0 { // the first time it was done before
		if err := r.scan(); err != nil {
			return 0, err
		}
	}
	if err := r.copyBlobs(); err != nil {
		return 0, err
	}
	// An import into the source marks its versions before it stores them.
	if err := r.op.GiveMarks(r.ctx, r.From.Store); err != nil {
		return 0, err
	}
	before := r.rep.Versions
	err = r.write()
	written = r.rep.Versions - before
	if left := r.known.wanted - written; err != nil && r.rep.Versions > 0 && left > 0 {
		err = &mem.PartialError{Stored: r.rep.Versions, Already: r.rep.Known,
			Total: r.known.met, Err: err}
	}
	return written, err
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

// replay stores a batch in the target.
func (r *copying) replay(b *batch) error {
	err := r.op.Replay(r.ctx, b.versions)
	if errors.Is(err, backend.ErrOlder) {
		return olderError(r.To.Name, err)
	}
	return err
}
