package fsck

import (
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// checkMarks finds live lines that older builds have marked in the file imported alone (F23), and
// the loss of such marks (F24). Where git tracks the log no line is a rule, marked or not.
func (c *Checker) checkMarks() error {
	at := Finding{File: filestore.MarksFile}
	have, had, err := filestore.Marked(c.Dir, c.cp)
	if have < had && !c.Shared {
		c.find(checkUnmarked, at, "it has %d marks of %d: %s", have, had, filestore.PutBack)
	}
	if err != nil {
		return err
	}
	list, err := c.unmarked()
	for _, e := range list {
		at.Key = e.Key.String()
		c.find(checkMarks, at, "the line of %s has no mark of its own", e.Key)
	}
	return err
}

// unmarked returns the live lines that only the file imported marks.
func (c *Checker) unmarked() (list []log.Envelope, err error) {
	marks, err := filestore.MarksIn(c.Dir)
	if len(marks) == 0 || c.Shared {
		return nil, ignoreIrregular(err)
	}
	for rec := range c.fold.Sorted() {
		if rec.Valid() && marks[rec.Identity()] && content.Claim(rec.Source) == "" {
			list = append(list, rec.Envelope)
		}
	}
	return list, nil
}

// marks appends, of lines that only the file imported marks, versions with the mark in the source,
// later by a microsecond. A line from the future has got its mark with a new time.
func (x *Repairer) marks() error {
	redated := map[string]bool{}
	for _, f := range x.findingsOf(checkFuture) {
		redated[f.Key] = true
	}
	list, err := x.Checker.unmarked()
	if err != nil {
		return err
	}
	var marked []log.Envelope
	for _, e := range list {
		if !redated[e.Key.String()] {
			e.Source = content.WithClaim(e.Source, content.FromImport)
			e.TS++
			marked = append(marked, e)
		}
	}
	return x.append(marked)
}
