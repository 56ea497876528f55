package backend

import (
	"cmp"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/log"
)

// Order is how Snapshot.Select orders memories. Equals come by their keys.
type Order int

// The orders.
const (
	NewestFirst        Order = iota // by the time of the memory, see content.Fields.Time
	MostImportantFirst              // by importance, of equal importance the newest
)

// Place is by what a memory is ordered.
type Place struct {
	Time       log.Stamp
	Importance float64 // 0..1
}

// PlaceOf returns by what a record is ordered.
func PlaceOf(rec log.Record) Place {
	f := content.Parse(rec.Content)
	return Place{f.Time(rec.TS), f.Importance}
}

// Compare puts the place that comes first first.
func (o Order) Compare(a, b Place) int {
	newest := cmp.Compare(b.Time, a.Time)
	if o == MostImportantFirst {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), newest)
	}
	return newest
}

// CompareRecords puts the record that comes first first.
func (o Order) CompareRecords(a, b log.Record) int {
	return cmp.Or(o.Compare(PlaceOf(a), PlaceOf(b)), a.Key.Compare(b.Key))
}
