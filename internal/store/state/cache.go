package state

import (
	"errors"

	"github.com/set-memory/mem/internal/base/content"
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
	old   *oldState // nil: every record is parsed and analyzed
	stays bool      // the next record is a line of the state before
}

// newSidecars returns a builder for a state of about so many lines.
func newSidecars(dir *disk.Dir, lines int) *sidecars {
	return &sidecars{dir: dir, rows: newColumnsBuilder(lines), words: fts.NewBuilder(dir)}
}

// reuse takes over what the sidecars of a view's state have of lines that stay; saw is called with
// the lines of that state. Where half of them may be replaced it does not: a line that goes is
// analyzed too, for what it takes with it.
func (c *sidecars) reuse(v *View) {
	if c == nil || v.file == nil || 2*len(v.since) > v.file.Keys {
		return
	}
	// Where this fails everything is analyzed, as for a first state.
	if old, ix, err := openOld(v); err == nil {
		if err = c.words.Reuse(ix); err != nil {
			old.close()
			return
		}
		c.old = old
	}
}

// saw takes the next line of the state before.
func (c *sidecars) saw(line log.Record, stays bool) {
	if c == nil || c.old == nil {
		return
	}
	c.old.saw(line)
	if c.stays = stays; !stays {
		c.drop(line)
	}
}

// drop takes a line of the state before that the new one has not.
func (c *sidecars) drop(line log.Record) {
	c.words.Drop(line)
	c.old.take(noLine)
}

func (c *sidecars) add(rec log.Record) {
	switch {
	case c == nil:
	case c.stays:
		c.keep(rec)
	default:
		f := content.ParseNaming(rec.Content)
		c.rows.Add(rec, f)
		c.words.Add(rec, f)
	}
}

// keep adds the line that was seen last.
func (c *sidecars) keep(rec log.Record) {
	c.stays = false
	line := uint32(len(c.rows.rows))
	row, band, ok := c.old.copyTo(c.rows)
	c.old.take(line)
	if !ok {
		return // all is built from nothing in the end
	}
	c.words.Keep(rec.Key, row.Time, band.Realm, band.Superseded)
}

// leaveOut passes over the next record.
func (c *sidecars) leaveOut(rec log.Record) {
	if c != nil && c.stays {
		c.stays = false
		c.drop(rec)
	}
}

// drafts writes the files of a state. One that cannot be written is left out, see Draft.LeftOut.
func (c *sidecars) drafts(d *Draft) []Sidecar {
	if c == nil {
		return nil
	}
	list, err := c.write(d)
	if err == nil {
		return list
	}
	if d.debug != nil {
		d.debug(CacheDir + ": analyzed from nothing: " + err.Error())
	}
	if err = c.readAll(d); err == nil {
		list, err = c.write(d)
	}
	if err != nil {
		d.LeftOut(err)
	}
	return list
}

// write writes the files. The error is that of sidecars of the state before that turned out to be
// of no help.
func (c *sidecars) write(d *Draft) (list []Sidecar, err error) {
	if c.old != nil {
		if err := c.old.check(); err != nil {
			return nil, err
		}
		names, err := c.old.names()
		if err != nil {
			return nil, err
		}
		c.rows.names = append(c.rows.names, names...)
	}
	s, err := c.rows.Draft(c.dir, d.Size, d.Sum)
	if err == nil {
		list = append(list, s)
	} else {
		d.LeftOut(err)
	}
	c.rows = nil // so that its memory can be reused
	s, err = c.words.Draft(d.Size, d.Sum)
	switch {
	case err == nil:
		list = append(list, s)
	case errors.Is(err, fts.ErrStale) || errors.Is(err, disk.ErrFault):
		for _, s := range list {
			s.Discard()
		}
		return nil, err
	default:
		d.LeftOut(err)
	}
	return list, nil
}

// readAll makes the builders anew of the lines of a state.
func (c *sidecars) readAll(d *Draft) error {
	c.discard()
	*c = *newSidecars(c.dir, d.Keys)
	f, err := d.dir.Open(d.temp)
	if err != nil {
		return err
	}
	defer f.Close()
	for rec, err := range log.Scan(f, FileName, log.Start{}) {
		if err != nil {
			return err
		}
		c.add(rec)
	}
	return nil
}

// discard removes the temporary files of an unfinished build.
func (c *sidecars) discard() {
	if c == nil {
		return
	}
	c.words.Discard()
	if c.old != nil {
		c.old.close()
		c.old = nil
	}
}
