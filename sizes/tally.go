package sizes

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Tally is the newest lines of a history, as far as it was read.
type Tally struct {
	until log.Stamp
	lines map[keypath.Key]Line
}

// NewTally returns a tally of nothing, which passes over what is newer than until.
func NewTally(until log.Stamp) *Tally {
	return &Tally{until: until, lines: map[keypath.Key]Line{}}
}

// Add takes a line in.
func (t *Tally) Add(l Line) {
	if old, ok := t.lines[l.Key]; l.TS <= t.until && (!ok || l.wins(old)) {
		l.Text = bytes.Clone(l.Text)
		t.lines[l.Key] = l
	}
}

func (l Line) wins(old Line) bool {
	if l.TS != old.TS {
		return l.TS > old.TS
	}
	return bytes.Compare(l.Text, old.Text) > 0
}

// Read takes in the lines of a reader.
func (t *Tally) Read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(long)+len(part) <= log.MaxLine {
			long = append(long, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if l, ok := Read(long); ok {
			t.Add(l)
		}
		if long = long[:0]; err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// Size returns the bytes of the newest lines of the keys below a prefix, newline included.
func (t *Tally) Size(below keypath.Prefix) (live, deleted int64) {
	for _, l := range t.lines {
		switch size := int64(len(l.Text)) + 1; {
		case l.below != below:
		case l.Deleted:
			deleted += size
		default:
			live += size
		}
	}
	return live, deleted
}
