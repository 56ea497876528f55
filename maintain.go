package mem

import (
	"context"
	"fmt"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
)

type (
	// CompactOptions are the options of a compaction.
	CompactOptions = backend.CompactOptions
	// CompactReport is what a compaction did or, in a dry run, would do.
	CompactReport = backend.CompactReport
	// FsckOptions are what is done about findings.
	FsckOptions = backend.CheckOptions
	// FsckReport is what was found, and what is left of it.
	FsckReport = backend.CheckReport
)

// Compact folds the log into state.jsonl and moves a long log away to archive/ (M-48 to M-55).
// Readers and writers go on meanwhile. A store on a server folds this machine's copy of it.
func (s *Store) Compact(ctx context.Context, c Caller, o CompactOptions) (
	rep CompactReport, err error) {
	u, ok := s.backend.(backend.Upkeep)
	if !ok {
		return CompactReport{Why: "there is no store yet"}, nil
	}
	conf, err := s.Config(ctx)
	if err != nil {
		return rep, err
	}
	op := s.newOperation(c, policy.Compact)
	c.Now, o.Limits = s.opts.stamp(c), conf.Rotate
	rep, err = u.Compact(ctx, c, o)
	if !o.DryRun {
		newest := readRecord{rep.Newest.Key.String(), rep.Newest.TS, rep.Newest.Source}
		op.read(rep.Keys, newest, err)
	}
	return rep, err
}

// IsCold reports whether a store has a long history and nothing to answer from but that: a
// compaction makes every read faster then, and there is no hurry else.
func (s *Store) IsCold() bool {
	r := s.rooted()
	return r != nil && r.IsCold()
}

// CatchUp makes index and watermark follow the log, as the next write would.
func (s *Store) CatchUp(ctx context.Context, c Caller) error {
	if !s.Exists() {
		return nil
	}
	return s.backend.Update(ctx, c, "settle", func(backend.Tx) error { return nil })
}

// Fsck checks the invariants of the store; see fsck.Checks. Without options it changes nothing. It
// checks without the lock first, and then checks with it what seems wrong, so writers can continue
// and are never mistaken for damage.
func (s *Store) Fsck(ctx context.Context, c Caller, o FsckOptions) (rep FsckReport, err error) {
	if u, ok := s.backend.(backend.Upkeep); ok {
		op := s.newOperation(c, policy.Fsck)
		c.Now = s.opts.stamp(c)
		o.Take = func(e backend.Edit) (bool, error) { return op.take(ctx, e) }
		rep, err = u.Check(ctx, c, o)
		op.Done(len(rep.Found), err)
	}
	rep.Found, rep.Left = mask(rep.Found), mask(rep.Left)
	rep.Adopted = append([]string{}, rep.Adopted...)
	return rep, err
}

// mask returns findings without the secrets that they quote from damaged lines.
func mask(found []backend.Finding) []backend.Finding {
	masked := append([]backend.Finding{}, found...)
	for i := range masked {
		masked[i].Detail = Shown(masked[i].Detail)
	}
	return masked
}

// take stores a hand edit as a write whose source is a user with an editor (C-39), and reports
// whether it did: an edit that the rules refuse gets a warning.
func (op *Operation) take(ctx context.Context, e backend.Edit) (bool, error) {
	source := op.Source("user", "editor", "file", e.File)
	p, err := op.Check(ctx, Write{Key: e.Key, Content: e.Content, Source: source}, false)
	if err != nil && !disk.Failed(err) {
		op.store.opts.Warn(fmt.Sprintf("%s: cannot be adopted: %s", e.File, err))
		return false, nil
	}
	if err == nil {
		_, err = op.update(ctx, func(t *Tx) error { return t.Put(p) })
	}
	return err == nil, err
}
