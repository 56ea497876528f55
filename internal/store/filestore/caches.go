package filestore

import (
	"sync"

	"github.com/set-memory/mem/internal/store/sizes"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A store keeps what its updates have read of the history, with the place in the log up to which
// that goes: the next update reads only what the log has gained since, unless it is another log.

// logPlace is an offset of a log up to which something was read from it, under the lock.
type logPlace struct {
	ino  uint64 // of the log
	gen  uint64
	pos  int64
	last string // log.Sum of the line that ends there
}

func placeAt(wr *Writer, pos int64) (logPlace, error) {
	last, err := wr.Log.SumBefore(pos)
	return logPlace{wr.Log.Ino(), wr.Watermark().Gen, pos, last}, err
}

// holds reports whether the log up to the place is unchanged since it was read.
func (p logPlace) holds(wr *Writer) (bool, error) {
	if p.ino != wr.Log.Ino() || p.gen != wr.Watermark().Gen || p.pos > wr.Log.Size() {
		return false, nil
	}
	last, err := wr.Log.SumBefore(p.pos)
	return last == p.last, err
}

// counts is the numbers of each counter, up to an offset of the log.
type counts struct {
	mu    sync.Mutex
	known *keypath.Counts // nil: not read yet
	at    logPlace        // up to where it was read
}

// current returns the numbers that there are by now.
func (c *counts) current(wr *Writer) (now keypath.Counts, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ok, err := c.at.holds(wr)
	if err != nil {
		return now, err
	}
	if !ok || c.known == nil {
		if err := c.load(wr); err != nil {
			c.known = nil
			return now, err
		}
	}
	if err := addNumbers(c.known, wr.Log.From(c.at.pos)); err != nil {
		c.known = nil
		return now, err
	}
	c.at, err = placeAt(wr, wr.Log.Size())
	return c.known.Clone(), err
}

// load reads the numbers of the checkpoint, or else the archives. A checkpoint that does not fit
// the log any more is right all the same that its numbers were given.
func (c *counts) load(wr *Writer) error {
	file, pos, err := openState(wr.Dir, &wr.Log.Segment)
	if err != nil {
		return err
	}
	if file != nil {
		file.Close()
		if pos.numbers != nil {
			known := keypath.CountsOf(pos.numbers)
			c.known = &known
			c.at, err = placeAt(wr, pos.offset)
			return err
		}
	}
	if c.at, err = placeAt(wr, 0); err != nil {
		return err
	}
	if c.known, err = archivedNumbers(wr.Dir); err != nil {
		return err
	}
	c.known.Merge(*checkpointNumbers(wr.Dir))
	return nil
}

func (c *counts) add(numbers keypath.Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil {
		c.known.Merge(numbers)
	}
}

// tallies is the sizes up to an offset of the log.
type tallies struct {
	mu    sync.Mutex
	known *sizes.Tally // nil: not read yet
	at    logPlace     // up to where it was read
}

// size returns the sizes below a prefix by now, with lines that are not in the log yet.
func (c *tallies) size(wr *Writer, below keypath.Prefix, more []sizes.Line) (
	live, deleted int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := sizes.History{Dir: wr.Dir, Log: &wr.Log.Segment}
	if h.Archives, err = log.Archives(wr.Dir); err != nil {
		return 0, 0, err
	}
	err = orWhole(func(whole bool) (err error) {
		defer func() { c.known.Close() }()
		if err := c.catchUp(wr, h, whole); err != nil {
			c.known.Close()
			c.known = nil
			return err
		}
		tally := c.known
		if len(more) > 0 {
			if tally, err = tally.Branch(below); err != nil {
				return err
			}
			if err := h.AddLines(tally, more); err != nil {
				return err
			}
		}
		live, deleted, err = tally.Size(below)
		return err
	})
	return live, deleted, err
}

// catchUp makes known what there is by now.
func (c *tallies) catchUp(wr *Writer, h sizes.History, whole bool) error {
	ok, err := c.at.holds(wr)
	if err != nil {
		return err
	}
	if !ok || c.known == nil || whole {
		if err := c.load(wr, h, whole); err != nil {
			return err
		}
	}
	if c.at.pos == wr.Log.Size() && !c.known.Tied() { // the archives alone may leave a tie
		return nil
	}
	if err := h.AddLog(c.known, c.at.pos); err != nil {
		return err
	}
	c.at, err = placeAt(wr, wr.Log.Size())
	return err
}

// load opens the sidecar, or else reads the archives.
func (c *tallies) load(wr *Writer, h sizes.History, whole bool) error {
	git := wr.Shared && wr.behind != nil // has changed the log, and the state is of the old one
	from := int64(-1)
	cp, err := state.ReadCheckpoint(wr.Dir)
	if err == nil && !git && !whole {
		from = coveredBy(cp, &wr.Log.Segment)
	}
	if c.known, from, err = h.Begin(cp, from); err != nil {
		return err
	}
	c.at, err = placeAt(wr, from)
	return err
}
