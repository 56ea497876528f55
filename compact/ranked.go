package compact

import (
	"errors"
	"sort"

	"github.com/set-memory/mem/columns"
	"github.com/set-memory/mem/log"
)

// Ranked is a view seen through its ranking columns: the state as rows, and the fold of what came after it as records. A
// row whose key the fold has too is superseded.
type Ranked struct {
	*columns.Table
	view *View
	tail map[uint64]bool // hashes of the fold's keys
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
	r := &Ranked{Table: table, view: v, tail: make(map[uint64]bool, len(v.tail))}
	for key := range v.tail {
		r.tail[columns.Hash(key.String())] = true
	}
	return r, nil
}

// Line reads and verifies a row's line of the state. The error wraps errStateDamaged where it is not what the row says.
func (r *Ranked) Line(row columns.Row) (log.Record, error) {
	if row.Offset < 0 || row.Length > log.MaxLine || row.Offset+int64(row.Length) > r.view.cp.StateSize {
		return log.Record{}, columns.ErrStale
	}
	line := make([]byte, row.Length)
	if _, err := r.view.state.ReadAt(line, row.Offset); err != nil {
		return log.Record{}, err
	}
	e, err := log.Decode(line)
	if err != nil || e.TS != row.TS || columns.Hash(e.Key.String()) != row.Hash {
		return log.Record{}, columns.ErrStale
	}
	return log.Record{Envelope: e, Line: line}, nil
}

// Superseded reports whether the fold of the tail has the row's key. Where the hash says so the line is read, for two keys may share one.
func (r *Ranked) Superseded(row columns.Row) (bool, error) {
	if len(r.tail) == 0 || !r.tail[row.Hash] {
		return false, nil
	}
	rec, err := r.Line(row)
	if err != nil {
		return false, err
	}
	_, again := r.view.tail[rec.Key]
	return again, nil
}

// From gives the first row whose key is not below text: rows come in the order of their keys.
func (r *Ranked) From(text string) (int, error) {
	var failed error
	i := sort.Search(r.Len(), func(i int) bool {
		rec, err := r.Line(r.Row(i))
		failed = errors.Join(failed, err)
		return rec.Key.String() >= text
	})
	return i, failed
}

// Tail calls fn for every live record of the fold.
func (r *Ranked) Tail(fn func(log.Record)) {
	for _, rec := range r.view.tail {
		if rec.Valid() {
			fn(rec)
		}
	}
}
