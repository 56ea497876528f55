package backend

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Order is how Snapshot.Select orders memories. Equals come by their keys.
type Order interface {
	// Compare puts the place that comes first first.
	Compare(a, b SortKey) int
	// Score returns by what else than itself a place is ordered; it is asked once for each,
	// and again where a sidecar turns out to be damaged on the way.
	Score(p SortKey) float64
}

// The orders that ranking columns know.
const (
	NewestFirst        fixedOrder = iota // by the time of the memory, see content.Fields.Time
	MostImportantFirst                   // by importance, of equal importance the newest
)

// SortKey holds the fields by which a memory is ordered.
type SortKey struct {
	Time       log.Stamp
	Importance float64 // 0..1
	Type       string
	HasExpiry  bool
	Expires    log.Stamp // meaningful only where HasExpiry, and of a selection
	// Key returns the key of the memory, and whether it could be read: to ask costs a look at the
	// line of what a state holds.
	Key func() (keypath.Key, bool)

	score float64 // of the order that placed it
}

// InOrder returns a key with its score in an order.
func (p SortKey) InOrder(o Order) SortKey {
	p.score = o.Score(p)
	return p
}

// Placed is a record and what orders it.
type Placed struct {
	Record log.Record
	Place  SortKey
}

// PlaceRecord returns a record of these fields with its place in an order.
func PlaceRecord(o Order, rec log.Record, f content.Fields) Placed {
	p := SortKey{Time: f.Time(rec.TS), Importance: f.Importance, Type: f.Type,
		HasExpiry: f.HasExpiry, Expires: f.Expires,
		Key: func() (keypath.Key, bool) { return rec.Key, true }}
	return Placed{rec, p.InOrder(o)}
}

// Score returns the record's score in its order, see ByScore.
func (p Placed) Score() float64 { return p.Place.score }

// SortPlaced orders records by their places, equals by their keys.
func SortPlaced(o Order, list []Placed) {
	slices.SortStableFunc(list, func(a, b Placed) int {
		return cmp.Or(o.Compare(a.Place, b.Place), a.Record.Key.Compare(b.Record.Key))
	})
}

// SortRecords orders records; those of one place by their keys.
func SortRecords(o Order, list []log.Record) {
	placed := make([]Placed, len(list))
	for i, rec := range list {
		placed[i] = PlaceRecord(o, rec, content.Parse(rec.Content))
	}
	SortPlaced(o, placed)
	for i, p := range placed {
		list[i] = p.Record
	}
}

// fixedOrder is an order that does not depend on the caller.
type fixedOrder int

// Compare puts the place that comes first first.
func (o fixedOrder) Compare(a, b SortKey) int {
	newest := cmp.Compare(b.Time, a.Time)
	if o == MostImportantFirst {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), newest)
	}
	return newest
}

// Score returns 0: the place says all.
func (o fixedOrder) Score(SortKey) float64 { return 0 }

// ByScore orders memories by a score of the caller's own, the greatest first, of equal ones the
// newest.
type ByScore func(SortKey) float64

// Compare puts the place that comes first first.
func (ByScore) Compare(a, b SortKey) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.Time, a.Time))
}

// Score returns the score of a place.
func (s ByScore) Score(p SortKey) float64 { return s(p) }
