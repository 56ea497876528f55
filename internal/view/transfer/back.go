package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// IsCopyOfSpace reports whether a directory is the copy that a machine keeps of a space on a
// server, or that was set aside. It has no log, but a tail.
func IsCopyOfSpace(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, log.File))
	return errors.Is(err, fs.ErrNotExist) && len(tailsOf(dir)) > 0
}

// stateName is the file with the lines of a copy that its tails follow.
const stateName = "state.jsonl"

func tailsOf(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, "tail-[0-9]*")) // the pattern is right
	return list
}

type broughtBack struct {
	*copying
	newest map[keypath.Key]log.Stamp // that the target has ever had
	lines  map[log.Identity]bool     // of the target
	shared bool                      // it has a line of the copy, or none at all
}

// BringBack stores the lines of a machine's copy of a space, From.Name, that the server has lost,
// as after the restore of a backup: each as it is and with its time, where it is newer than all
// that its key has had there. So no newer version is replaced, no purge is undone, and a second
// call stores nothing. It refuses the copy of another memory (mem.KindInput), and an agent
// (*policy.PersonError); the error is of mem.KindLocked if another writer was faster.
func BringBack(ctx context.Context, c mem.Caller, j CopyJob) (CopyReport, error) {
	r := &copying{CopyJob: j, ctx: ctx, caller: c}
	r.rep = CopyReport{DryRun: j.DryRun, Back: true, Prefixes: []PrefixSum{}}
	err := policy.CheckNoAgent(c, "copy")
	if err == nil && !j.DryRun {
		r.op, err = j.To.Store.Begin(c, policy.Copy)
	}
	if err != nil {
		return r.rep, err
	}
	if err = (&broughtBack{copying: r}).run(j.From.Name); err == nil {
		r.rep.Prefixes, err = foldPrefixes(ctx, j.To.Store, log.StampOf(j.To.Store.Now()))
	}
	if !j.DryRun {
		r.op.Done(r.rep.Versions, err)
	}
	return r.rep, err
}

func (b *broughtBack) run(dir string) error {
	if err := b.meetAll(); err != nil {
		return err
	}
	b.shared = len(b.lines) == 0
	err := b.eachLine(dir, func(rec log.Record) error {
		b.shared = b.shared || b.lines[rec.Identity()]
		return nil
	})
	if err == nil && !b.shared {
		err = copyFault(policy.Copy, dir+" is the copy of another memory than "+b.To.Name,
			advice.RunAlone("doctor", "--root", b.To.Name).Then(" names the copies of a space"),
			nil)
	}
	if err != nil {
		return err
	}
	lost := &batch{}
	b.rep.Damaged = 0
	err = b.eachLine(dir, func(rec log.Record) error { return b.bring(lost, rec) })
	if err == nil {
		err = b.flush(lost)
	}
	if errors.Is(err, backend.ErrOlder) {
		err = busyFault(b.To.Name+" was written to meanwhile",
			advice.Say("run the same command again, which stores no line twice"))
	}
	return err
}

// meetAll meets everything that the target has ever had.
func (b *broughtBack) meetAll() error {
	b.newest, b.lines = map[keypath.Key]log.Stamp{}, map[log.Identity]bool{}
	_, err := walk(b.ctx, b.To.Store, func(rec log.Record) error {
		b.lines[rec.Identity()] = true
		b.meet(rec)
		return nil
	})
	return err
}

// meet reports whether a version is newer than all others of its key so far.
func (b *broughtBack) meet(rec log.Record) bool {
	have, ok := b.newest[rec.Key]
	if ok && rec.TS <= have {
		return false
	}
	b.newest[rec.Key] = rec.TS
	return true
}

// bring adds a line to those that are stored, if the target lacks it and it wins.
func (b *broughtBack) bring(lost *batch, rec log.Record) error {
	if b.lines[rec.Identity()] {
		return nil
	}
	if !b.meet(rec) {
		b.rep.Older = append(b.rep.Older, rec.Key)
		return nil
	}
	if content.IsPurgeMark(rec) {
		b.rep.Purged = append(b.rep.Purged, rec.Key)
	}
	if sum := content.BlobOf(rec.Key, rec.Content); sum != "" {
		f, err := b.To.Store.OpenBlob(b.ctx, sum)
		if err == nil {
			err = f.Close()
		} else if isAbsent(err) {
			b.rep.Absent, err = b.rep.Absent+1, nil
		}
		if err != nil {
			return err
		}
	}
	return b.add(lost, rec)
}

// eachLine calls fn with the lines of the state of a copy, and then with those of its tail. A line
// that a crash has cut off ends it.
func (b *broughtBack) eachLine(dir string, fn func(log.Record) error) error {
	for _, name := range append([]string{filepath.Join(dir, stateName)}, tailsOf(dir)...) {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = b.linesOf(f, fn)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *broughtBack) linesOf(f *os.File, fn func(log.Record) error) error {
	in := bufio.NewReader(mem.ContextReader(b.ctx, f))
	tail := filepath.Base(f.Name()) != stateName
	if tail {
		if _, err := in.ReadBytes('\n'); err != nil { // the position of the copy
			return skipEnd(err)
		}
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return skipEnd(err)
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		if tail {
			_, line, _ = bytes.Cut(line, []byte(" ")) // the place in the table
		}
		e, err := log.Decode(line)
		if err != nil || !log.Sealed(line) {
			b.rep.Damaged++
			continue
		}
		if err := fn(log.Record{Envelope: e, Line: line}); err != nil {
			return err
		}
	}
}

func skipEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
