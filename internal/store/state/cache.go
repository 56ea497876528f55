package state

import (
	"errors"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/sidecar"
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
	stays bool // the next record is a line of the state before
}

// newSidecars returns a builder for a state of about so many lines.
func newSidecars(dir *disk.Dir, lines int) *sidecars {
	return &sidecars{dir: dir, rows: newColumnsBuilder(lines), words: fts.NewBuilder(dir)}
}

// reuse takes over what the full text of a view's state has of lines that stay; saw is called with
// the lines of that state. Where half of them may be replaced it does not: a line that goes is
// analyzed too, for what it takes with it.
func (c *sidecars) reuse(v *View) {
	if c == nil || v.file == nil || 2*len(v.since) > v.file.Keys {
		return
	}
	// Where this fails everything is analyzed, as for a first state.
	if ix, err := fts.Open(v.file.dir, v.file.Size, v.file.Sum); err == nil {
		_ = c.words.Reuse(ix)
	}
}

// saw takes the next line of the state before.
func (c *sidecars) saw(line log.Record, stays bool) {
	if c == nil {
		return
	}
	if c.stays = stays; !stays {
		c.words.Drop(line)
	}
}

// add adds the next record.
func (c *sidecars) add(rec log.Record) {
	if c == nil {
		return
	}
	f := content.ParseNaming(rec.Content)
	c.rows.Add(rec, f)
	if c.stays {
		c.words.Keep(rec, f)
	} else {
		c.words.Add(rec, f)
	}
	c.stays = false
}

// leaveOut passes over the next record.
func (c *sidecars) leaveOut(rec log.Record) {
	if c != nil && c.stays {
		c.words.Drop(rec)
		c.stays = false
	}
}

// drafts writes the files of a state. One that cannot be written is left out, see Draft.LeftOut.
func (c *sidecars) drafts(d *Draft) (list []Sidecar) {
	if c == nil {
		return nil
	}
	if s, err := c.rows.Draft(c.dir, d.Size, d.Sum); err == nil {
		list = append(list, s)
	} else {
		d.LeftOut(err)
	}
	c.rows = nil // so that its memory can be reused
	s, err := c.words.Draft(d.Size, d.Sum)
	if errors.Is(err, fts.ErrStale) || errors.Is(err, disk.ErrFault) {
		if d.debug != nil {
			d.debug(CacheDir + ": analyzed from nothing: " + err.Error())
		}
		s, err = wordsOf(d)
	}
	if err == nil {
		list = append(list, s)
	} else {
		d.LeftOut(err)
	}
	return list
}

// wordsOf analyzes the lines of a state: what was to be reused turned out to be damaged.
func wordsOf(d *Draft) (*sidecar.Draft, error) {
	f, err := d.dir.Open(d.temp)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	words := fts.NewBuilder(d.dir)
	defer words.Discard()
	for rec, err := range log.Scan(f, FileName, log.Start{}) {
		if err != nil {
			return nil, err
		}
		words.Add(rec, content.Parse(rec.Content))
	}
	return words.Draft(d.Size, d.Sum)
}

// discard removes the temporary files of an unfinished build.
func (c *sidecars) discard() {
	if c != nil {
		c.words.Discard()
	}
}
