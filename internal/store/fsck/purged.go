package fsck

import (
	"errors"
	"fmt"
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
	return c.among(c.marks.Keys(), c.returned)
}

// isNoPlan reports whether a purge.json is none that this store would finish.
func isNoPlan(dir *disk.Dir) bool {
	_, err := purge.Read(dir)
	return errors.Is(err, purge.ErrPlan)
}

// returned reports a version that the mark of its key takes. A mark that is ahead of the clock
// takes something else once it has a time of now.
func (c purgedCheck) returned(rec log.Record) {
	mark, purged := c.marks[rec.Key]
	if !purged || mark.TS > c.clock.limit || !content.Takes(mark.Envelope, rec.Envelope) ||
		c.isRedated(mark) {
		return
	}
	todo := ""
	if c.Shared {
		todo = fmt.Sprintf(": if that is meant, mem forget %s --purge", rec.Key.Shown())
	}
	c.find(checkPurged, Finding{File: rec.Pos.File, Line: rec.Pos.Line, Offset: rec.Pos.Off,
		Key: rec.Key.String(), Length: rec.Pos.Len},
		"of %s, and %s was purged on %s%s", rec.TS, rec.Key, mark.TS, todo)
}

// isRedated reports whether a repair sets a record aside.
func (c purgedCheck) isRedated(rec log.Record) bool {
	return slices.ContainsFunc(selectFindings(c.findings, checkFuture), func(f Finding) bool {
		return f.File == rec.Pos.File && f.Offset == rec.Pos.Off
	})
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
