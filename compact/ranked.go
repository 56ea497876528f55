package compact

import (
	"slices"
	"sort"

	"github.com/set-memory/mem/columns"
	"github.com/set-memory/mem/fts"
	"github.com/set-memory/mem/log"
)

// Ranked is a view seen through its ranking columns: the state as rows, and the fold of what came after it as records. A
// row whose key the fold has too is superseded.
type Ranked struct {
	*columns.Table
	view       *View
	bands      []columns.Band // by their first row; empty ones are not among them
	superseded map[int64]bool // by the offset of the line
}

// Ranked opens the columns of the view's state. The error is that of columns.Open, or wraps columns.ErrStale where the view has no state.
func (v *View) Ranked() (*Ranked, error) {
	if v.state == nil {
		return nil, columns.ErrStale
	}
	table, err := columns.Open(v.dir, v.cp.StateSize, v.cp.StateSum)
	if err != nil {
		return nil, err
	}
	bands, err := table.Bands()
	if err != nil {
		table.Close()
		return nil, err
	}
	bands = slices.DeleteFunc(bands, func(b columns.Band) bool { return b.Len == 0 })
	return &Ranked{Table: table, view: v, bands: bands, superseded: map[int64]bool{}}, nil
}

// Bands gives the bands of the table that have rows.
func (r *Ranked) Bands() []columns.Band { return r.bands }

// At gives the row of a line of the state, from 0, and its band.
func (r *Ranked) At(line int) (row columns.Row, band columns.Band, err error) {
	n, err := r.RowOfLine(line)
	if err != nil {
		return row, band, err
	}
	i := sort.Search(len(r.bands), func(i int) bool { return r.bands[i].First+r.bands[i].Len > n })
	if i == len(r.bands) {
		return row, band, columns.ErrStale
	}
	row, err = r.Row(n)
	return row, r.bands[i], err
}

// Line reads and verifies a row's line of the state. The error wraps columns.ErrStale where it is not what the row says.
func (r *Ranked) Line(offset int64, length int, ts log.Stamp) (log.Record, error) {
	if offset < 0 || length > log.MaxLine || offset+int64(length) > r.view.cp.StateSize {
		return log.Record{}, columns.ErrStale
	}
	line := make([]byte, length)
	if _, err := r.view.state.ReadAt(line, offset); err != nil {
		return log.Record{}, err
	}
	e, err := log.Decode(line)
	if err != nil || e.TS != ts {
		return log.Record{}, columns.ErrStale
	}
	return log.Record{Envelope: e, Line: line}, nil
}

// Settle finds the rows that the fold supersedes, and says how many rows may appear in a read at now.
func (r *Ranked) Settle(now log.Stamp) (eligible int, err error) {
	for _, b := range r.bands {
		if !b.Untrusted {
			eligible += b.Len
		}
	}
	over, err := r.Expired(now)
	if err != nil {
		return 0, err
	}
	eligible -= over
	for key := range r.view.tail {
		rows, err := r.WithHash(columns.Hash(key))
		if err != nil {
			return 0, err
		}
		for _, i := range rows {
			row, err := r.Row(i)
			if err != nil {
				return 0, err
			}
			r.superseded[row.Offset] = true
			if expired := row.HasExpiry && now > row.Expires; !expired && !key.Untrusted() {
				eligible--
			}
		}
	}
	return eligible, nil
}

// Superseded reports whether the fold has a newer word on the key of the line at an offset; [Ranked.Settle] comes first.
func (r *Ranked) Superseded(offset int64) bool { return r.superseded[offset] }

// Words opens the full text of the view's state. The error is that of fts.Open, or wraps fts.ErrStale where the view has no state.
func (v *View) Words() (*fts.Index, error) {
	if v.state == nil {
		return nil, fts.ErrStale
	}
	return fts.Open(v.dir, v.cp.StateSize, v.cp.StateSum)
}

// Since calls fn for every record of the fold: what came after the state, tombstones too.
func (v *View) Since(fn func(log.Record)) {
	for _, rec := range v.tail {
		fn(rec)
	}
}

// Tail calls fn for every live record of the fold.
func (r *Ranked) Tail(fn func(log.Record)) {
	for _, rec := range r.view.tail {
		if rec.Valid() {
			fn(rec)
		}
	}
}
