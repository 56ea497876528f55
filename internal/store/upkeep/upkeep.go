// Package upkeep is a store of files with what keeps it in order: package filestore, joined with
// compactions (package compact), checks and repairs (package fsck), and a look at its health. It is
// the backend behind every root.
package upkeep

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
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// Options are the options of a store of files and of its upkeep. Now, Clock, Log and Warn must not
// be nil.
type Options struct {
	filestore.Options
	Progress func(what string, done, total int) // called in long work, now and then; may be nil
	Due      func()                             // called when a compaction is due; may be nil
	Config   func(context.Context) error        // returns why the configuration cannot be read
}

// Store is a memory in files that can be folded, checked and repaired.
type Store struct {
	*filestore.Store
	o Options
}

var (
	_ backend.Located = (*Store)(nil)
	_ backend.Rooted  = (*Store)(nil)
	_ backend.Upkeep  = (*Store)(nil)
	_ backend.Eraser  = (*Store)(nil)
)

// Open opens the store below path, see filestore.Open.
func Open(path string, o Options) (*Store, error) {
	s := &Store{o: o}
	if o.Due != nil {
		s.o.Grown = s.onGrown
	}
	var err error
	s.Store, err = filestore.Open(path, s.o.Options)
	return s, err
}

// dueEvery is how many bytes the log grows between two looks whether a compaction is due.
const dueEvery = 64 << 10

// onGrown calls Due when the log has grown past another multiple of dueEvery and a compaction is
// due.
func (s *Store) onGrown(before, after int64) {
	if before/dueEvery == after/dueEvery {
		return
	}
	dir, err := s.Dir()
	if err == nil && dir != nil && filestore.CompactionDue(dir, after, s.o.Clock()) {
		s.o.Due()
	}
}

// Erase erases as filestore does, and lets a compaction make the sidecars again if the state is
// large enough for them to matter.
func (s *Store) Erase(ctx context.Context, c backend.Caller, e backend.Erasure) (
	backend.Proof, error) {
	const little = 256 << 10 // bytes
	proof, err := s.Store.Erase(ctx, c, e)
	if proof.Versions > 0 {
		proof.Looked = "log, archives, state, index, quarantine and journals"
	}
	dir, none := s.Dir()
	if proof.Versions == 0 || s.o.Due == nil || dir == nil || none != nil {
		return proof, err
	}
	if fi, absent := dir.Lstat(state.FileName); absent == nil && fi.Size() >= little {
		s.o.Due()
	}
	return proof, err
}

// Mark returns a text that is another one after each update and each compaction.
func (s *Store) Mark() (string, error) {
	z, err := s.Sizes(context.Background())
	return fmt.Sprint(z.LogBytes, z.StateBytes, z.ArchiveBytes), err
}

// IsCold reports whether the store has a long history and no state with sidecars of it.
func (s *Store) IsCold() bool {
	dir, err := s.Dir()
	return err == nil && dir != nil && filestore.IsCold(dir)
}

// Compact runs a compaction (package compact). Readers and writers go on meanwhile.
func (s *Store) Compact(ctx context.Context, c backend.Caller, o backend.CompactOptions) (
	backend.CompactReport, error) {
	dir, err := s.Dir()
	if dir == nil || err != nil {
		return backend.CompactReport{Why: "there is no store yet"}, err
	}
	job := compact.Job{
		Dir: dir, Now: c.Now.Time(), Boot: s.Boot(), CompactOptions: o, Shared: s.o.Shared,
		Lock:    func() (func() error, error) { return s.Lock(ctx, dir, "compact") },
		Exclude: func() (func(), error) { return s.excludeCompactions(ctx, dir, o.IfNeeded) },
		Warn:    s.warnDamaged, Tell: s.o.Warn, Debug: s.o.Debug, Log: s.o.Log, Clock: s.o.Clock,
	}
	if s.o.Progress != nil {
		job.Progress = func(done, total int) { s.o.Progress("compact", done, total) }
	}
	return job.Run()
}

// excludeCompactions takes the right to compact. With tryOnly it does not wait.
func (s *Store) excludeCompactions(ctx context.Context, dir *disk.Dir, tryOnly bool) (
	release func(), err error) {
	wait := s.o.LockWait
	if tryOnly {
		wait = 0
	}
	c, err := state.LockCompaction(ctx, dir, s.o.Clock, wait)
	if err != nil {
		return nil, err
	}
	return func() { _ = c.Release() }, nil // its end releases it, too
}

func (s *Store) warnDamaged(damaged []*log.Damage) {
	for _, d := range damaged {
		backend.ReportDamage(s.o.Log, s.o.Warn, s.o.Program, d)
	}
}

// follow makes index and watermark of a shared store follow its log, after git.
func (s *Store) follow(ctx context.Context, c backend.Caller, dir *disk.Dir) error {
	if !s.o.Shared {
		return nil
	}
	if _, err := dir.Lstat(log.File); errors.Is(err, fs.ErrNotExist) {
		return nil // a write would make one, which git would then see
	}
	err := s.Update(ctx, c, backend.CatchUpOp, func(backend.Tx) error { return nil })
	if isReadOnly(err) {
		return nil
	}
	return err
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
