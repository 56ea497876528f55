package readout

import (
	"cmp"
	"iter"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/log"
)

// Band is memories of one type and importance, the newest first: within it the score can only fall, but for what a query's tags add.
type Band struct {
	Type       string
	Importance float64
	Len        int
	Row        func(i int) (Row, error) // from 0
}

// Row is one memory that is not loaded yet: what its score needs, and what tells it apart.
type Row struct {
	ID      int   // the caller's name for it
	Place   int64 // grows with its key
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

// Merge yields the rows of all bands in the order of their rank, without those that are expired. It looks at the first row of each band, at what it yields,
// and with tags at what might have ranked among that: a consumer who stops early leaves the rest untouched. An error is a band's, and the last.
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

// merge holds for each band the best that its next row can be, and the rows that were scored but may have better ones before them.
type merge struct {
	query   *Query
	heads   heap[head]
	waiting heap[Ranked]
}

// head is a band and its next row, with the most that row, and so any row behind it, can score.
type head struct {
	band *Band
	next int
	best Ranked
}

func headFirst(a, b *head) bool    { return ranksFirst(&a.best, &b.best) }
func ranksFirst(a, b *Ranked) bool { return compareRanked(a, b) < 0 }

// compareRanked orders the better row first, as rank does: rows come in the order of their keys.
func compareRanked(a, b *Ranked) int {
	return cmp.Or(cmp.Compare(b.Parts.Total, a.Parts.Total), cmp.Compare(b.TS, a.TS), cmp.Compare(a.Place, b.Place))
}

// next gives the best row that is left. A waiting row is it as soon as no band can bring a better one.
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

// take scores the row of the best head, lets it wait, and moves the head on.
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

// advance moves a head to the next row of its band that is not expired; a band that has none left is gone.
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

// bound is the score of a row that has all the tags asked for.
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
