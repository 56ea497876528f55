package state

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/log"
)

// oldState is the state before, while its lines pass by. A build takes from its sidecars what they
// have of the lines that stay, so that those are not parsed again.
type oldState struct {
	table *table
	state Checkpoint
	lines []uint32 // for each of its lines, up to now: that of the new state, or noLine
	sum   hash.Hash
	err   error // the first of the columns

	tags  map[uint32]uint32 // where the new columns have the tags of the old, by their offsets
	bands []uint32          // for each band, 1 + that of the new columns; 0 before it has come up
}

// noLine is in place of the line of a record that is gone.
const noLine = math.MaxUint32

func openOld(v *View) (*oldState, *fts.Index, error) {
	t, err := v.openTable()
	if err != nil {
		return nil, nil, err
	}
	ix, err := v.file.fullText()
	if err != nil {
		t.Close()
		return nil, nil, err
	}
	return &oldState{table: t, state: v.file.Checkpoint, sum: sha256.New(),
		lines: make([]uint32, 0, t.Len()), tags: map[uint32]uint32{0: 0},
		bands: make([]uint32, len(t.bands))}, ix, nil
}

func (o *oldState) close() { o.table.Close() }

// saw takes the next line.
func (o *oldState) saw(line log.Record) {
	o.sum.Write(line.Line)
	o.sum.Write([]byte{'\n'})
}

// take notes where the new state has the line that was seen last.
func (o *oldState) take(line uint32) { o.lines = append(o.lines, line) }

// copyTo copies the row of the line that was seen last from the old columns to the new; not ok
// after an error.
func (o *oldState) copyTo(b *columnsBuilder) (row rankRow, of *rankBand, ok bool) {
	if o.err == nil {
		o.err = disk.Guard(func() (err error) {
			row, of, err = o.copyRow(b)
			return err
		})
	}
	return row, of, o.err == nil
}

// copyRow looks up tags and band once each, when they come up: so they are numbered as those of a
// build from nothing.
func (o *oldState) copyRow(b *columnsBuilder) (row rankRow, of *rankBand, err error) {
	row, n, err := o.table.placeOfLine(len(o.lines))
	if err != nil {
		return row, nil, err
	}
	of = &o.table.bands[n]
	tags, ok := o.tags[row.tags]
	if !ok {
		text, err := o.table.text(row.tags)
		if err != nil {
			return row, nil, err
		}
		tags = textAt(b, text)
		o.tags[row.tags] = tags
	}
	if o.bands[n] == 0 {
		o.bands[n] = 1 + b.bandOf(row.Importance, *of)
	}
	b.keep(row, tags, o.bands[n]-1)
	return row, of, nil
}

// check believes the sidecars if the lines that came are those that they were made of. A line that
// was changed beneath them would otherwise be found by its old words for ever.
func (o *oldState) check() error {
	switch {
	case o.err != nil:
		return o.err
	case len(o.lines) != o.table.Len() || hex.EncodeToString(o.sum.Sum(nil)) != o.state.Sum:
		return staleColumns("other lines than they were made of")
	}
	return nil
}

// names returns the names of files in lines that stay.
func (o *oldState) names() (list []hashed, err error) {
	file := o.table.columns.file
	err = disk.Guard(func() error {
		data, err := file.Part(secNames, 0, file.Size(secNames))
		le := binary.LittleEndian
		for ; err == nil && len(data) > 0; data = data[hashSize:] {
			line := le.Uint32(data[8:])
			if int(line) >= len(o.lines) {
				return staleColumns("a name leads out of the lines")
			}
			if line = o.lines[line]; line != noLine {
				list = append(list, hashed{le.Uint64(data), line})
			}
		}
		return err
	})
	return list, err
}
