package state

import (
	"slices"
	"sort"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// table is the ranking columns of the state of a view.
type table struct {
	*columns
	file  *File
	bands []rankBand // by their first row; empty ones are not among them
}

// openTable opens the columns, with the errors of openColumns, or errStale without a state.
func (v *View) openTable() (*table, error) {
	if v.file == nil {
		return nil, errStale
	}
	t, err := v.file.columns()
	if err != nil {
		return nil, err
	}
	var bands []rankBand
	err = disk.Guard(func() (err error) { bands, err = t.Bands(); return err })
	if err != nil {
		t.Close()
		return nil, err
	}
	bands = slices.DeleteFunc(bands, func(b rankBand) bool { return b.Len == 0 })
	return &table{columns: t, file: v.file, bands: bands}, nil
}

// rowOfLine returns the row of a line of the state, from 0, and its band.
func (t *table) rowOfLine(line int) (row rankRow, band rankBand, err error) {
	row, n, err := t.placeOfLine(line)
	if err != nil {
		return row, band, err
	}
	return row, t.bands[n], nil
}

// placeOfLine is rowOfLine with the number of the band.
func (t *table) placeOfLine(line int) (row rankRow, band int, err error) {
	n, err := t.RowOfLine(line)
	if err != nil {
		return row, 0, err
	}
	if band, err = t.bandOf(n); err != nil {
		return row, 0, err
	}
	row, err = t.Row(n)
	return row, band, err
}

func (t *table) bandOf(row int) (int, error) {
	i := sort.Search(len(t.bands), func(i int) bool {
		return t.bands[i].First+t.bands[i].Len > row
	})
	if i == len(t.bands) {
		return 0, errStale
	}
	return i, nil
}

// lineFrom returns the first line of the state that does not begin before an offset, from 0.
func (t *table) lineFrom(offset int64) (line int, err error) {
	line = sort.Search(t.Len(), func(i int) bool {
		n, failed := t.RowOfLine(i)
		if failed == nil {
			var row rankRow
			if row, failed = t.Row(n); row.Offset < offset && failed == nil {
				return false
			}
		}
		if failed != nil {
			err = failed
		}
		return true
	})
	return line, err
}

// line reads a row's line of the state. The error wraps errStale where the two do not match.
func (t *table) line(row rankRow) (log.Record, error) { return t.lineIn(nil, row) }

// lineIn is line, with the bytes of the record in a buffer, which grows as needed; nil: in their
// own.
func (t *table) lineIn(buffer *[]byte, row rankRow) (log.Record, error) {
	rec, ok, err := t.file.line(buffer, row.Offset, row.Length, row.TS)
	if err == nil && !ok {
		err = errStale
	}
	return rec, err
}

// keyOf returns the key of a row; not ok where its line cannot be read.
func (t *table) keyOf(row rankRow) (keypath.Key, bool) {
	rec, err := t.line(row)
	return rec.Key, err == nil
}

// eligible returns how many rows may appear in a read at now, by their realms; those that were
// replaced are among them.
func (t *table) eligible(now log.Stamp, w backend.Where) (n int, err error) {
	for _, b := range t.bands {
		if ranks(&w, b.Realm) {
			n += b.Len
		}
	}
	over, err := t.Expired(now, func(r keypath.Realm) bool { return ranks(&w, r) })
	return n - over, err
}

// meets reports whether a row of a band meets the conditions, but for the prefix and those on
// single records.
func (t *table) meets(w *backend.Where, row rankRow, band *rankBand) (bool, error) {
	if !w.Shows(band.Realm) || band.Superseded && !w.Superseded {
		return false, nil
	}
	f := content.Fields{
		Type: band.Type, Importance: row.Importance, Created: row.Time, HasCreated: true,
		Expires: row.Expires, HasExpiry: row.HasExpiry, Pinned: band.Rule,
	}
	if len(w.Tags) > 0 {
		var err error
		if f.Tags, err = t.Tags(row); err != nil {
			return false, err
		}
	}
	return w.Holds(row.TS, f), nil
}
