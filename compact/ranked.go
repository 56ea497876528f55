package compact

import (
	"github.com/set-memory/mem/columns"
	"github.com/set-memory/mem/log"
)

// Ranked is a view seen through its ranking columns: the state as rows, and the fold of what came after it as records. A
// row whose key the fold has too is superseded.
type Ranked struct {
	*columns.Table
	view       *View
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
	return &Ranked{Table: table, view: v, superseded: map[int64]bool{}}, nil
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
	bands, err := r.Bands()
	if err != nil {
		return 0, err
	}
	for _, b := range bands {
		if !b.Apart {
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

// Tail calls fn for every live record of the fold.
func (r *Ranked) Tail(fn func(log.Record)) {
	for _, rec := range r.view.tail {
		if rec.Valid() {
			fn(rec)
		}
	}
}
