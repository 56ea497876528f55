package fsck

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// purgedCheck is the check for what a purge was to take away.
type purgedCheck struct{ *Checker }

// run looks for versions that a purge was to take away: an old copy of the log was joined
// with this one, or the purge was killed (F18). It reads the history once more, and only where
// there was a purge.
func (c purgedCheck) run() error {
	if _, err := c.Dir.Lstat(purge.File); err == nil {
		detail := "a purge is running, or was killed: the next write finishes it"
		if isNoPlan(c.Dir) {
			detail = "it cannot be read, or was not made here"
		}
		c.find(checkPurged, Finding{File: purge.File}, "%s", detail)
	}
	if len(c.marks) == 0 {
		return nil
	}
	for _, name := range c.archives {
		f, err := c.Dir.Open(name)
		if err == nil {
			err = c.returned(f, name)
			f.Close()
		}
		if ignoreAbsent(err) != nil {
			return err
		}
	}
	if c.live == nil {
		return nil
	}
	return c.returned(c.live.From(0), log.File)
}

// isNoPlan reports whether a purge.json is none that this store would finish.
func isNoPlan(dir *disk.Dir) bool {
	_, err := purge.Read(dir)
	return errors.Is(err, purge.ErrPlan)
}

// returned reports the versions in a segment that the mark of their key takes.
func (c purgedCheck) returned(r io.Reader, name string) error {
	for rec, err := range log.Find(r, name, log.Start{}, log.Want(c.marks.Keys()...)) {
		if errors.As(err, new(*log.Damage)) {
			continue
		}
		if err != nil {
			return err
		}
		mark, purged := c.marks[rec.Key]
		if purged && content.Takes(mark.Envelope, rec.Envelope) {
			at := Finding{File: name, Line: rec.Pos.Line, Offset: rec.Pos.Off,
				Key: rec.Key.String(), Length: rec.Pos.Len}
			todo := ""
			if c.Shared {
				todo = fmt.Sprintf(": if that is meant, mem forget %s --purge", rec.Key.Shown())
			}
			c.find(checkPurged, at, "of %s, and %s was purged on %s%s", rec.TS, rec.Key, mark.TS,
				todo)
		}
	}
	return nil
}

// purged purges versions that came back, last: it rewrites the files that it touches.
func (x *Repairer) purged() error {
	found := x.findingsOf(checkPurged)
	if len(found) == 0 {
		return nil
	}
	if x.Checker.Shared { // a mark may have come with others' lines: a person decides
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Key != "" })
	}
	if isNoPlan(x.Checker.Dir) {
		err := filestore.QuarantineFile(x.Checker.Dir, purge.File, x.Checker.Now)
		if err != nil {
			return err
		}
	}
	files := filestore.Files{Dir: x.Checker.Dir, Boot: x.Checker.Boot, Shared: x.Checker.Shared}
	wr, err := files.OpenWriter(x.Checker.Now) // which finishes a killed purge
	if err != nil {
		return err
	}
	defer wr.Close()
	done := map[string]bool{"": true}
	for _, f := range found {
		if done[f.Key] {
			continue
		}
		done[f.Key] = true
		key, err := keypath.Parse(f.Key)
		if err == nil {
			err = filestore.PurgeAgain(wr, x.Checker.marks[key].Envelope)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
