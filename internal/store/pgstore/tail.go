package pgstore

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/state"
)

// add notes rows for the tail, which came after a seq.
func (c *localCopy) add(after int64, rows []row) {
	if len(c.unsaved) == 0 {
		c.after = after
	}
	c.unsaved = append(c.unsaved, rows...)
	for _, r := range rows {
		c.unsavedSize += len(r.line)
	}
}

// trim forgets the rows after a seq: they were fetched for a view that nobody got, and come again.
func (c *localCopy) trim(seq int64) {
	n := len(c.unsaved)
	for ; n > 0 && c.unsaved[n-1].seq > seq; n-- {
		c.unsavedSize -= len(c.unsaved[n-1].line)
	}
	c.unsaved = c.unsaved[:n]
}

// save adds to the tail what this process knows and the tail has not. It is best effort: where
// another process has the copy, or the disk fails, the next read asks the server for more.
func (c *localCopy) save(s *Store) {
	if len(c.unsaved) == 0 {
		return
	}
	before := c.tailBytes
	lock, err := c.locker.Acquire(s.follow.ctx, "follow", s.o.Now(), 0)
	if err == nil {
		err = c.appendTail()
		_ = lock.Unlock() // the end of the process unlocks it, too
	}
	switch {
	case errors.Is(err, errAnew), errors.Is(err, disk.ErrMoved), errors.Is(err, fs.ErrNotExist):
		c.stale = true // the next read opens the files that are there by then
	case err != nil && c.unsavedSize > maxUnsaved: // the next state has it all
		c.unsaved, c.unsavedSize = nil, 0
	}
	if err != nil {
		s.o.Debug("the copy is not written: " + err.Error())
	}
	if c.grewLong(before) && !state.IsResting(c.dir, s.o.Clock()) {
		s.o.OnCopyDue()
	}
}

// grewLong reports whether the tail is worth a new state, and has passed another multiple of a part
// of that length since it had so many bytes: of many processes one sees that.
func (c *localCopy) grewLong(before int64) bool {
	part := tailWorth / 64
	return c.tailBytes > tailWorth && c.tailBytes/part != before/part
}

// errAnew is why a tail is not written: the copy on the disk is not the one that this process
// opened.
var errAnew = errors.New("another process replaced the copy")

// held returns of what the copy on the disk is; the zero position where nobody can tell.
func (c *localCopy) held() (pos position) {
	checkpoint, err := state.ReadCheckpoint(c.dir)
	if err == nil {
		pos, _ = positionOf(checkpoint) // the zero position on an error
		return pos
	}
	f, err := c.dir.Open(tailName(0))
	if err != nil {
		return pos
	}
	defer f.Close()
	pos, _, _ = readHeader(bufio.NewReaderSize(f, maxHeader)) // likewise
	return pos
}

// appendTail appends the rows that follow the tail, unless the copy is another one by now: a purge
// may have emptied it of what this process still has. The lock is held.
func (c *localCopy) appendTail() error {
	if c.held() != c.pos {
		return errAnew
	}
	f, err := c.dir.Edit(tailName(c.pos.Seq))
	if errors.Is(err, fs.ErrNotExist) {
		return c.startTail()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, lastSeq, err := tailEnd(f, c.pos.Seq)
	if err != nil || lastSeq < c.after {
		return errorOr(err, fmt.Errorf("tail: it ends before what this process has: %w", errAnew))
	}
	text := c.text(lastSeq)
	// A crash in this leaves a line that is cut off, which the next one removes.
	if err := f.Truncate(size); err != nil {
		return err
	}
	if _, err := f.WriteAt(text, size); err != nil {
		return err
	}
	c.saved(size + int64(len(text)))
	return nil
}

// saved notes that everything is in the tail.
func (c *localCopy) saved(size int64) {
	if n := len(c.unsaved); n > 0 {
		c.after = c.unsaved[n-1].seq
	}
	c.unsaved, c.unsavedSize, c.tailBytes = nil, 0, size
}

// text returns the lines of what comes after a seq.
func (c *localCopy) text(after int64) []byte {
	var text bytes.Buffer
	for _, r := range c.unsaved {
		if r.seq > after {
			fmt.Fprintf(&text, "%d %s\n", r.seq, r.line)
		}
	}
	return text.Bytes()
}

// startTail writes a tail where there is none.
func (c *localCopy) startTail() error {
	if c.after != c.pos.Seq {
		return fmt.Errorf("tail: another program removed it: %w", errAnew)
	}
	header, err := json.Marshal(c.pos)
	if err != nil {
		return err
	}
	text := append(append(header, '\n'), c.text(c.pos.Seq)...)
	// A crash before the rename in this leaves a temporary file.
	if err := c.dir.WriteFile(tailName(c.pos.Seq), text); err != nil {
		return err
	}
	c.saved(int64(len(text)))
	return nil
}

// tailEnd returns where the whole lines of a tail end, and the seq of the last one; that of the
// state where there is none.
func tailEnd(f *disk.File, base int64) (size, seq int64, err error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	// The last whole line is looked for in a piece of the end, and where it is longer in more.
	for piece := int64(64 << 10); ; piece *= 8 {
		from := max(fi.Size()-piece, 0)
		text := make([]byte, fi.Size()-from)
		if _, err := f.ReadAt(text, from); err != nil && err != io.EOF {
			return 0, 0, err
		}
		end := bytes.LastIndexByte(text, '\n')
		begin := bytes.LastIndexByte(text[:max(end, 0)], '\n')
		switch {
		case end >= 0 && begin >= 0:
			r, ok := parseRow(string(text[begin+1 : end]))
			if !ok {
				return 0, 0, fmt.Errorf("tail: %w", state.ErrCheckpoint)
			}
			return from + int64(end) + 1, r.seq, nil
		case from == 0 && end >= 0: // the header alone
			return int64(end) + 1, base, nil
		case from == 0:
			return 0, 0, fmt.Errorf("tail: %w", state.ErrCheckpoint)
		}
	}
}
