package mem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/set-memory/mem/log"
)

// CompactOptions are the options of a compaction.
type CompactOptions struct {
	IfNeeded    bool // do nothing while the log has grown little, for cron
	DryRun      bool // only report
	KeepExpired bool // keep expired memories in state and index
	NamesOnly   bool // compare only the names in index/, as a compaction does that begins by itself
}

// Compact folds the log into state.jsonl and moves a long log away to archive/ (M-48 to M-55).
// Readers and writers go on meanwhile. A store on a server folds this machine's copy of it.
func (s *Store) Compact(ctx context.Context, c Caller, o CompactOptions) (
	rep compact.Report, err error) {
	if u, ok := s.backend.(backend.Upkeep); ok {
		return s.compactCopy(ctx, c, u, o)
	}
	dir, err := s.Dir()
	if dir == nil || err != nil {
		return compact.Report{Why: "there is no store yet"}, err
	}
	conf, err := s.Config(ctx)
	if err != nil {
		return rep, err
	}
	op := s.newOperation(c, "compact")
	job := compact.Job{
		Dir: dir, Now: s.opts.stamp(c).Time(), Boot: s.files.Boot(), Limits: conf.Rotate,
		KeepExpired: o.KeepExpired, IfNeeded: o.IfNeeded, DryRun: o.DryRun,
		NamesOnly: o.NamesOnly, Shared: s.opts.Shared,
		Lock:     func() (func() error, error) { return s.files.Lock(ctx, dir, "compact") },
		Exclude:  func() (func(), error) { return s.excludeCompactions(ctx, dir, o.IfNeeded) },
		Progress: s.opts.progress("compact"), Warn: s.opts.warnDamaged, Tell: s.opts.Warn,
		Debug: s.opts.Debug, Log: s.opts.Log, Clock: s.opts.clock,
	}
	rep, err = job.Run()
	if !o.DryRun {
		op.read(rep.Keys, readRecord{rep.Newest.Key, rep.Newest.TS, rep.Newest.Source}, err)
	}
	return rep, err
}

// compactCopy folds the copy of a store on a server.
func (s *Store) compactCopy(ctx context.Context, c Caller, u backend.Upkeep, o CompactOptions) (
	rep compact.Report, err error) {
	if o.DryRun {
		rep.Why = "a dry run looks at no copy"
		return rep, nil
	}
	op := s.newOperation(c, "compact")
	rep.Done, err = u.Compact(ctx, o.IfNeeded)
	if err == nil && !rep.Done {
		rep.Why = "this machine's copy has all it needs"
	}
	op.Done(0, err)
	return rep, err
}

// IsCold reports whether a store has a long history and nothing to answer from but that: a
// compaction makes every read faster then, and there is no hurry else.
func (s *Store) IsCold() bool {
	dir, err := s.Dir()
	return err == nil && dir != nil && filestore.IsCold(dir)
}

// CatchUp makes index and watermark follow the log, as the next write would.
func (s *Store) CatchUp(ctx context.Context, c Caller) error {
	if !s.Exists() {
		return nil
	}
	return s.backend.Update(ctx, c, "settle", func(backend.Tx) error { return nil })
}

// follow settles a store whose log git may have changed since the last write.
func (s *Store) follow(ctx context.Context, c Caller, dir *disk.Dir) error {
	if !s.opts.Shared {
		return nil
	}
	if _, err := dir.Lstat(log.File); errors.Is(err, fs.ErrNotExist) {
		return nil // a write would make one, which git would then see
	}
	if err := s.CatchUp(ctx, c); err != nil && !isReadOnly(err) {
		return err
	}
	return nil
}

// excludeCompactions takes the right to compact. With tryOnly it does not wait.
func (s *Store) excludeCompactions(ctx context.Context, dir *disk.Dir, tryOnly bool) (
	release func(), err error) {
	wait := s.opts.LockWait
	if tryOnly {
		wait = 0
	}
	c, err := filestore.LockCompaction(ctx, dir, s.opts.clock, wait)
	if err != nil {
		return nil, err
	}
	return func() { _ = c.Release() }, nil // its end releases it, too
}

// Dir returns the directory of a store of files, for maintenance; nil where there is none, or not
// yet.
func (s *Store) Dir() (*disk.Dir, error) {
	if s.files == nil {
		return nil, nil
	}
	return s.files.Dir()
}

func (o Options) progress(what string) func(done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(done, total int) { o.Progress(what, done, total) }
}

func (o Options) fsckProgress() func(part string, done, total int) {
	if o.Progress == nil {
		return nil
	}
	return func(part string, done, total int) { o.Progress("fsck of "+part, done, total) }
}

// FsckOptions are what is done about findings.
type FsckOptions struct {
	Repair bool // repair from the log
	Adopt  bool // take hand edits of index files in as writes, before anything is repaired
	// Files are those whose edits are to be adopted, below the root; none: all of index/.
	Files []string
	// TrustClock makes a finding of every time that is ahead of the clock, also where archives and
	// neighbours agree with it.
	TrustClock bool
}

// FsckReport is what was found, and what is left of it.
type FsckReport struct {
	Found   []fsck.Finding `json:"found"`
	Left    []fsck.Finding `json:"left"`    // after --repair and --adopt; the same as Found without
	Adopted []string       `json:"adopted"` // keys
	Records int            `json:"records"` // lines that were read
}

// Fsck checks the invariants of the store; see fsck.Checks. Without options it changes nothing. It
// checks without the lock first, and then checks with it what seems wrong, so writers can continue
// and are never mistaken for damage.
func (s *Store) Fsck(ctx context.Context, c Caller, o FsckOptions) (rep FsckReport, err error) {
	rep = FsckReport{Found: []fsck.Finding{}, Left: []fsck.Finding{}, Adopted: []string{}}
	if u, ok := s.backend.(backend.Upkeep); ok {
		return rep, s.checkServer(ctx, c, u, o, &rep)
	}
	dir, err := s.Dir()
	if dir == nil || err != nil {
		return rep, err
	}
	op := s.newOperation(c, "fsck")
	defer func() {
		op.Done(len(rep.Found), err)
		mask(rep.Found)
		mask(rep.Left)
	}()
	now := s.opts.stamp(c).Time()
	checker := &fsck.Checker{Dir: dir, Now: now, Boot: s.files.Boot(),
		Progress: s.opts.fsckProgress(), TrustClock: o.TrustClock, Shared: s.opts.Shared}
	if err := s.follow(ctx, c, dir); err != nil {
		return rep, err
	}
	if rep.Found, err = checker.Run(); rep.Found == nil {
		rep.Found = []fsck.Finding{}
	}
	rep.Records = checker.Lines()
	s.opts.warnClock(checker)
	if err != nil || len(rep.Found)+len(o.Files) == 0 {
		return rep, err
	}
	if o.Repair {
		if err := filestore.ClearLockPath(dir, now); err != nil {
			return rep, err
		}
	}
	if o.Adopt {
		if err := op.adopt(ctx, checker, &rep, o.Files); err != nil {
			return rep, err
		}
	}
	unlock, err := s.files.Lock(ctx, dir, "fsck")
	if isReadOnly(err) && !o.Repair && !o.Adopt {
		rep.Left = rep.Found
		return rep, nil
	}
	if err != nil {
		return rep, err
	}
	defer func() {
		if unlocked := unlock(); err == nil {
			err = unlocked
		}
	}()
	return rep, reverify(checker, o, &rep)
}

// checkServer checks a store on a server.
func (s *Store) checkServer(ctx context.Context, c Caller, u backend.Upkeep, o FsckOptions,
	rep *FsckReport) error {
	op := s.newOperation(c, "fsck")
	found, lines, err := u.Check(ctx, o.Repair)
	rep.Records = lines
	for _, f := range found {
		finding := fsck.Finding{Check: f.Check, Name: f.Name, File: f.Where, Line: int(f.Line),
			Key: f.Key, Detail: Shown(f.Detail)}
		if rep.Found = append(rep.Found, finding); !f.Mended {
			rep.Left = append(rep.Left, finding)
		}
	}
	op.Done(len(found), err)
	return err
}

// warnClock warns of a clock that may be behind the store.
func (o Options) warnClock(checker *fsck.Checker) {
	if n, newest := checker.ClockBehind(); n > 0 {
		o.Warn(fmt.Sprintf("the clock says %s, and the store was written until %s: if the "+
			"clock is right, mem fsck --repair --trust-clock", log.StampOf(checker.Now), newest))
	}
}

// mask takes secrets out of what findings quote from damaged lines.
func mask(found []fsck.Finding) {
	for i := range found {
		found[i].Detail = Shown(found[i].Detail)
	}
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// reverify checks again what was found, and repairs it if that is asked for. The lock is held.
func reverify(checker *fsck.Checker, o FsckOptions, rep *FsckReport) (err error) {
	if o.Repair {
		files := filestore.Files{Dir: checker.Dir, Boot: checker.Boot, Shared: checker.Shared}
		if err := files.FinishPurge(checker.Now); err != nil {
			return err
		}
	}
	if o.Repair || len(rep.Adopted) > 0 {
		rep.Left, err = checker.Run() // before a change everything is checked
	} else {
		rep.Left, err = checker.Reverify()
	}
	if rep.Left == nil {
		rep.Left = []fsck.Finding{}
	}
	if err == nil && len(rep.Adopted) == 0 {
		rep.Found = rep.Left
	}
	if err != nil || !o.Repair || len(rep.Left) == 0 {
		return err
	}
	repairer := fsck.Repairer{Checker: checker, Findings: rep.Left}
	if err := repairer.Run(); err != nil {
		return err
	}
	if rep.Left, err = checker.Run(); rep.Left == nil {
		rep.Left = []fsck.Finding{}
	}
	return err
}

// adopt stores each hand edit as a write whose source is a user with an editor (C-39): those in
// files, or all.
func (op *Operation) adopt(ctx context.Context, checker *fsck.Checker, rep *FsckReport,
	files []string) error {
	edits, refused, err := checker.Edits(rep.Found)
	if len(files) > 0 {
		edits, err = checker.EditsIn(files)
		refused = nil
	}
	if err != nil {
		return err
	}
	warn := op.store.opts.Warn
	for file, why := range refused {
		warn(fmt.Sprintf("%s: cannot be adopted: %s", file, why))
	}
	for _, edit := range edits {
		source := op.Source("user", "editor", "file", edit.File)
		p, err := op.Check(ctx, Write{Key: edit.Key, Content: edit.Content, Source: source}, false)
		if disk.Failed(err) {
			return err
		}
		if err != nil {
			warn(fmt.Sprintf("%s: cannot be adopted: %s", edit.File, err))
			continue
		}
		if _, err := op.update(ctx, func(t *Tx) error { return t.Put(p) }); err != nil {
			return err
		}
		if edit.Foreign {
			// It has a file at its own place by now.
			if err := filestore.QuarantineFile(checker.Dir, edit.File, checker.Now); err != nil {
				return err
			}
		}
		rep.Adopted = append(rep.Adopted, edit.Key.String())
	}
	return nil
}
