package state

import (
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// Sidecar is a file for cache/ that still has its temporary name.
type Sidecar interface {
	Install() error // puts it in place
	Discard()       // removes it
}

// sidecars builds the sidecars of a state while it is written. A nil *sidecars builds none.
type sidecars struct {
	dir   *disk.Dir
	rows  *columnsBuilder
	words *fts.Builder
}

// newSidecars returns a builder for a state of about so many lines.
func newSidecars(dir *disk.Dir, lines int) *sidecars {
	return &sidecars{dir: dir, rows: newColumnsBuilder(lines), words: fts.NewBuilder(dir)}
}

// add adds the next record.
func (c *sidecars) add(rec log.Record) {
	if c != nil {
		c.rows.Add(rec)
		c.words.Add(rec)
	}
}

// drafts writes the files. One that cannot be written is left out, see Draft.LeftOut.
func (c *sidecars) drafts(cp Checkpoint, leftOut func(error)) (list []Sidecar) {
	if c == nil {
		return nil
	}
	if s, err := c.rows.Draft(c.dir, cp.Size, cp.Sum); err == nil {
		list = append(list, s)
	} else {
		leftOut(err)
	}
	c.rows = nil // so that its memory can be reused
	if s, err := c.words.Draft(cp.Size, cp.Sum); err == nil {
		list = append(list, s)
	} else {
		leftOut(err)
	}
	return list
}

// discard removes the temporary files of an unfinished build.
func (c *sidecars) discard() {
	if c != nil {
		c.words.Discard()
	}
}
