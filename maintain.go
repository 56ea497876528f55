package mem

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/jsontext"
)

// CompactOptions say how a compaction goes.
type CompactOptions struct {
	IfNeeded    bool // do nothing while the log has grown little, for cron
	DryRun      bool // only report
	KeepExpired bool // keep expired memories in state and index
}

// Compact folds the log into state.jsonl and moves a long log away to archive/ (M-48 to M-55). Readers and writers go on meanwhile.
func (s *Store) Compact(o CompactOptions) (rep compact.Report, err error) {
	if s.root() == nil {
		return compact.Report{Why: "there is no store yet"}, nil
	}
	conf, err := s.Config()
	if err != nil {
		return rep, err
	}
	done := s.begin("compact")
	job := compact.Job{
		Dir: s.root(), Now: s.now(), Boot: s.boot, Limits: conf.Rotate, KeepExpired: o.KeepExpired, IfNeeded: o.IfNeeded, DryRun: o.DryRun,
		Lock: func() (func() error, error) { return s.lock("compact") }, Progress: s.progress("compact"), Warn: s.warnDamaged,
	}
	rep, err = job.Run()
	if !o.DryRun {
		done.batch(rep.Keys, err)
	}
	return rep, err
}

func (s *Store) progress(what string) func(done, total int) {
	if s.opts.Progress == nil {
		return nil
	}
	return func(done, total int) { s.opts.Progress(what, done, total) }
}

// FsckOptions say what is done about findings.
type FsckOptions struct {
	Repair bool // repair from the log
	Adopt  bool // take hand edits of index files in as writes, before anything is repaired
}

// FsckReport says what was found, and what is left of it.
type FsckReport struct {
	Found   []compact.Finding `json:"found"`
	Left    []compact.Finding `json:"left"`    // after --repair and --adopt; the same as Found without
	Adopted []string          `json:"adopted"` // keys
	Records int               `json:"records"` // lines looked at
}

// Fsck holds the store against its invariants; see compact.Checks. Without options it changes nothing. It looks without the lock first, and
// where something seems wrong once more with it, so writers go on and are never taken for damage.
func (s *Store) Fsck(o FsckOptions) (rep FsckReport, err error) {
	rep = FsckReport{Found: []compact.Finding{}, Left: []compact.Finding{}, Adopted: []string{}}
	if s.root() == nil {
		return rep, nil
	}
	done := s.begin("fsck")
	defer func() { done.batch(len(rep.Found), err) }()
	audit := &compact.Audit{Dir: s.root(), Now: s.now(), Boot: s.boot, Progress: s.progress("fsck")}
	rep.Found, err = audit.Run()
	rep.Records = audit.Lines()
	if err != nil || len(rep.Found) == 0 {
		return rep, err
	}
	if o.Repair {
		if err := compact.FreeLock(s.root(), s.now()); err != nil {
			return rep, err
		}
	}
	unlock, err := s.lock("fsck")
	if readOnly(err) && !o.Repair && !o.Adopt {
		rep.Left = rep.Found
		return rep, nil
	}
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	rep.Found, err = audit.Recheck()
	if err == nil && len(rep.Found) > 0 && (o.Repair || o.Adopt) {
		rep.Found, err = audit.Run() // what is changed goes by a look at everything
	}
	if err != nil {
		return rep, err
	}
	rep.Left = rep.Found
	return rep, s.mend(audit, o, &rep)
}

func readOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// mend adopts and repairs, then looks again. The lock is held.
func (s *Store) mend(audit *compact.Audit, o FsckOptions, rep *FsckReport) (err error) {
	if len(rep.Found) == 0 || !o.Repair && !o.Adopt {
		return nil
	}
	if o.Adopt {
		if err := s.adopt(audit, rep); err != nil {
			return err
		}
		if rep.Left, err = audit.Run(); err != nil {
			return err
		}
	}
	if !o.Repair {
		return nil
	}
	fix := compact.Fix{Audit: audit, Findings: rep.Left}
	if err := fix.Run(); err != nil {
		return err
	}
	rep.Left, err = audit.Run()
	return err
}

// adopt takes each hand edit in as a write of its own, on the word of a user with an editor (C-39).
func (s *Store) adopt(audit *compact.Audit, rep *FsckReport) error {
	edits, refused, err := audit.Edits(rep.Found)
	if err != nil {
		return err
	}
	for file, why := range refused {
		s.warn(fmt.Sprintf("%s: cannot be adopted: %s", file, why))
	}
	if len(edits) == 0 {
		return nil
	}
	wr, err := compact.OpenWriter(s.root(), s.now(), s.boot)
	if err != nil {
		return err
	}
	defer wr.Close()
	for _, edit := range edits {
		p, err := s.prepare(Write{Key: edit.Key, Content: edit.Content, Source: s.editorSource(edit.File)}, false, nil)
		if disk.Failed(err) {
			return err
		}
		if err != nil {
			s.warn(fmt.Sprintf("%s: cannot be adopted: %s", edit.File, err))
			continue
		}
		t := turn{p: &p}
		if s.storeGroup(wr, []*turn{&t}); t.err != nil {
			return t.err
		}
		rep.Adopted = append(rep.Adopted, edit.Key.String())
	}
	return nil
}

func (s *Store) editorSource(file string) []byte { return s.source("user", "editor", "file", file) }

// source builds a complete source with a locator of one member.
func (s *Store) source(kind, name, trace, value string) []byte {
	b := append([]byte(nil), `{"kind":`...)
	b = jsontext.AppendString(b, kind)
	b = append(b, `,"name":`...)
	b = jsontext.AppendString(b, name)
	b = append(b, `,"retrieved_at":`...)
	b = jsontext.AppendString(b, s.stamp().String())
	b = append(b, `,"locator":{`...)
	b = jsontext.AppendString(b, trace)
	b = append(b, ':')
	b = jsontext.AppendString(b, value)
	return append(b, `}}`...)
}
