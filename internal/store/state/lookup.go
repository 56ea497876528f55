package state

import (
	"context"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// lookup is the columns, opened once for a view: for its searches, and to find lines of the state
// by their keys without a bisection.
type lookup struct {
	table *table // nil: not opened, or cannot be used
	err   error  // why it cannot
	tried bool
}

// columns returns the columns, which stay open until the view is closed.
func (v *View) columns() (*table, error) {
	if !v.lookup.tried {
		v.lookup.tried = true
		v.lookup.table, v.lookup.err = v.openTable()
	}
	return v.lookup.table, v.lookup.err
}

// Has reports whether a key has a live record that has not expired at now.
func (v *View) Has(ctx context.Context, key keypath.Key, now log.Stamp) (bool, error) {
	if _, replaced := v.since[key]; !replaced {
		if row, found, ok := v.row(key); ok {
			return found && (!row.HasExpiry || now <= row.Expires), nil
		}
	}
	rec, found, err := v.Get(ctx, key)
	return found && !content.Expired(rec.Content, now), err
}

// row returns the row of a key in the columns; not ok where they cannot be used.
func (v *View) row(key keypath.Key) (row rankRow, found, ok bool) {
	t, err := v.columns()
	if err != nil {
		return row, false, false
	}
	err = disk.Guard(func() error {
		rows, err := t.WithHash(hashKey(key))
		if found = len(rows) > 0; found && err == nil {
			row, err = t.Row(rows[0])
		}
		return err
	})
	return row, found, err == nil
}

// fromRow reads the line of a key by its row; not ok where it cannot be had in this way.
func (v *View) fromRow(key keypath.Key) (rec log.Record, found, ok bool) {
	row, found, ok := v.row(key)
	if !ok || !found {
		return rec, false, ok
	}
	rec, err := v.lookup.table.line(row)
	return rec, true, err == nil && rec.Key == key
}

// Close closes what Has and Get have opened for themselves.
func (v *View) Close() {
	if v.lookup.table != nil {
		v.lookup.table.Close()
	}
	v.lookup = lookup{}
}
