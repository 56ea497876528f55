package fsck

import (
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// checkMarks finds live lines that older builds have marked in the file imported alone (F23), and
// the loss of such marks (F24). Where git tracks the log no line is a rule, marked or not.
func (c *Checker) checkMarks() error {
	if c.Shared {
		return nil
	}
	at := Finding{File: filestore.MarksFile}
	have, had, err := filestore.Marked(c.Dir, c.cp)
	if have < had {
		c.find(checkUnmarked, at, "it has %d marks of %d: %s", have, had, filestore.PutBack)
	}
	if have == 0 || err != nil {
		return err
	}
	marks, err := filestore.MarksIn(c.Dir)
	if err = ignoreIrregular(err); err != nil {
		return err
	}
	for rec := range c.fold.Sorted() {
		if rec.Valid() && marks[rec.Identity()] && content.Claim(rec.Source) == "" {
			at.Key = rec.Key.String()
			c.find(checkMarks, at, "the line of %s has no mark of its own", rec.Key)
		}
	}
	return nil
}

// marks appends, of lines that the file imported marks, versions with the mark in the source, later
// by a microsecond. A line from the future has got its mark with a new time.
func (x *Repairer) marks() error {
	redated := map[string]bool{}
	for _, f := range x.findingsOf(checkFuture) {
		redated[f.Key] = true
	}
	var list []log.Envelope
	for _, f := range x.findingsOf(checkMarks) {
		key, err := keypath.Parse(f.Key)
		if err != nil {
			return err
		}
		if e := x.Checker.fold[key].Envelope; !redated[f.Key] {
			e.Source = content.WithClaim(e.Source, content.FromImport)
			e.TS++
			list = append(list, e)
		}
	}
	return x.append(list)
}
