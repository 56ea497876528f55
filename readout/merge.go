package readout

import (
	"cmp"
	"iter"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/log"
)

// Band is the memories of one type and importance, newest first: from one to the next the score can
// only fall, except for what the query's tags add.
type Band struct {
	Type       string
	Importance float64
	Len        int
	Row        func(i int) (Row, error) // from 0
}

// Row is one memory that is not loaded yet: what its score needs, and which memory it is.
type Row struct {
	ID      int   // the caller's number for it
	Place   int64 // orders rows as their keys do
	TS      log.Stamp
	Expires log.Stamp // meaningful only when HasExpiry
	Tags    func() ([]string, error)

	HasExpiry bool
}

// Ranked is a row and its score.
type Ranked struct {
	Row
	Parts Parts
}

// Merge yields the rows of all bands that are not expired, in the order of their rank. It reads the
// first row of each band and the rows that it yields; with tags also the rows that might rank among
// them. So a caller that stops early leaves the rest unread. An error is a band's, and ends the
// sequence.
func (q Query) Merge(bands []Band) iter.Seq2[Ranked, error] {
	q.Weights = q.weights()
	return func(yield func(Ranked, error) bool) {
		m := merge{query: &q, heads: heap[head]{before: headFirst}, waiting: heap[Ranked]{before: ranksFirst}}
		for i := range bands {
			if err := m.advance(head{band: &bands[i]}); err != nil {
				yield(Ranked{}, err)
				return
			}
		}
		for {
			r, more, err := m.next()
			if err != nil || !more {
				if err != nil {
					yield(Ranked{}, err)
				}
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// merge holds, for each band, the best score that its next row can have, and the rows that were
// scored but may have better ones before them.
type merge struct {
	query   *Query
	heads   heap[head]
	waiting heap[Ranked]
}

// head is a band and its next row, with an upper bound for the score of that row and of all after
// it.
type head struct {
	band *Band
	next int
	best Ranked
}

func headFirst(a, b *head) bool    { return ranksFirst(&a.best, &b.best) }
func ranksFirst(a, b *Ranked) bool { return compareRanked(a, b) < 0 }

// compareRanked orders the better row first, as rank does: Place grows with the key.
func compareRanked(a, b *Ranked) int {
	return cmp.Or(cmp.Compare(b.Parts.Total, a.Parts.Total), cmp.Compare(b.TS, a.TS), cmp.Compare(a.Place, b.Place))
}

// next returns the best row that is left: the best waiting row, as soon as no band can have a
// better one.
func (m *merge) next() (r Ranked, more bool, err error) {
	for len(m.heads.items) > 0 && (len(m.waiting.items) == 0 || compareRanked(&m.waiting.items[0], &m.heads.items[0].best) > 0) {
		if err := m.take(); err != nil {
			return r, false, err
		}
	}
	if len(m.waiting.items) == 0 {
		return r, false, nil
	}
	return m.waiting.pop(), true, nil
}

// take scores the row of the best head, adds it to the waiting ones, and advances the head.
func (m *merge) take() error {
	h := m.heads.pop()
	row := h.best.Row
	it := Item{TS: row.TS, Fields: content.Fields{Type: h.band.Type, Importance: h.band.Importance}}
	if len(m.query.Tags) > 0 && row.Tags != nil {
		tags, err := row.Tags()
		if err != nil {
			return err
		}
		it.Fields.Tags = tags
	}
	parts, _ := m.query.score(&it)
	m.waiting.push(Ranked{Row: row, Parts: parts})
	return m.advance(h)
}

// advance moves a head to the next row of its band that is not expired. It drops the head of a band
// that has none left.
func (m *merge) advance(h head) error {
	for ; h.next < h.band.Len; h.next++ {
		row, err := h.band.Row(h.next)
		if err != nil {
			return err
		}
		if (content.Fields{Expires: row.Expires, HasExpiry: row.HasExpiry}).Expired(m.query.Now) {
			continue
		}
		h.next++
		h.best = Ranked{Row: row, Parts: m.bound(h.band, row.TS)}
		m.heads.push(h)
		return nil
	}
	return nil
}

// bound returns the score that a row would have with all the tags of the query.
func (m *merge) bound(b *Band, ts log.Stamp) Parts {
	q := *m.query
	q.Tags = nil
	p, _ := q.score(&Item{TS: ts, Fields: content.Fields{Type: b.Type, Importance: b.Importance}})
	if len(m.query.Tags) > 0 {
		p.Match = 1
		p.Total = q.total(p)
	}
	return p
}
