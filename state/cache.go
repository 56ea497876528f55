package state

import (
	"github.com/set-memory/mem/columns"
	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/log"
)

// sidecar is a file for cache/ under its temporary name.
type sidecar interface {
	Install() error
	Discard()
}

// sidecars makes those of a state while it is written. A nil one makes none.
type sidecars struct {
	dir      *disk.Dir
	rows     *columns.Builder
	words    *fts.Builder
	addWords func(log.Record)
	wait     func()
}

// newSidecars begins the sidecars of a state of about so many lines.
func newSidecars(dir *disk.Dir, lines int) *sidecars {
	c := &sidecars{dir: dir, rows: columns.NewBuilder(lines), words: fts.NewBuilder(dir)}
	c.addWords, c.wait = async(c.words.Add)
	return c
}

// add takes the next line.
func (c *sidecars) add(rec log.Record) {
	if c != nil {
		c.rows.Add(rec)
		c.addWords(rec)
	}
}

// end comes after the last line, whether or not drafts are wanted.
func (c *sidecars) end() {
	if c != nil {
		c.wait()
	}
}

// drafts writes the files. They are only a shorter way: without them, whatever the reason, reads
// and searches find the same.
func (c *sidecars) drafts(cp Checkpoint) (list []sidecar) {
	if c == nil {
		return nil
	}
	if s, err := c.rows.Draft(c.dir, cp.Size, cp.Sum); err == nil {
		list = append(list, s)
	}
	c.rows = nil // its memory is for the other one
	if s, err := c.words.Draft(cp.Size, cp.Sum); err == nil {
		list = append(list, s)
	}
	return list
}

// discard removes what was left on the disk on the way.
func (c *sidecars) discard() {
	if c != nil {
		c.words.Discard()
	}
}
