package state

import (
	"cmp"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/heap"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// rowMerge yields the rows of all bands in the order of their rank. Within a band the score can
// only fall, but for what lies within the hundredth and what the query's tags add; so the merge
// looks at the first row of each band, at what it yields, and at what might have ranked among that.
type rowMerge struct {
	query   *readout.Query
	where   *backend.Where // of it classes and single records
	table   *table
	heads   heap.Heap[head]
	waiting heap.Heap[scoredRow]

	buffer   []byte         // of the line that is read last
	replaced map[int64]bool // rows that have a newer version, by the offset of their line
	rows     map[string]int // of each share, yielded or in crowd
	crowd    []scoredRow    // rows of crowded shares, which come when no other is left
}

// head is a band and its next row, with the most that this row can score.
type head struct {
	band  *rankBand
	share string // see readout.Query.Share
	next  int
	best  scoredRow
}

type scoredRow struct {
	rankRow
	parts readout.Parts
	share string
}

// compare orders the better row first: score, then the newer, then the key, in whose order the
// lines of a state stand.
func (r *scoredRow) compare(o *scoredRow) int {
	return cmp.Or(cmp.Compare(o.parts.Total, r.parts.Total), cmp.Compare(o.Time, r.Time),
		cmp.Compare(r.Offset, o.Offset))
}

func (m *rowMerge) begin() error {
	m.heads.Before = func(a, b *head) bool { return a.best.compare(&b.best) < 0 }
	m.waiting.Before = func(a, b *scoredRow) bool { return a.compare(b) < 0 }
	for i := range m.table.bands {
		band := &m.table.bands[i]
		if !ranks(m.where, band.Realm) || band.Superseded && !m.where.Superseded {
			continue
		}
		if err := m.advance(head{band: band, share: m.query.Share(band.Type)}); err != nil {
			return err
		}
	}
	return nil
}

// ranks reports whether the records of a realm may appear in a ranking.
func ranks(w *backend.Where, r keypath.Realm) bool {
	return r.Class != keypath.Quarantined && w.Shows(r)
}

// guardedNext is next within a guard, which ends before the row is used: what its user does is not
// the columns' fault.
func (m *rowMerge) guardedNext() (c readout.Candidate, more bool, err error) {
	err = disk.Guard(func() (err error) { c, more, err = m.next(); return err })
	return c, more, err
}

// next loads the best row that is left, is accepted and not omitted.
func (m *rowMerge) next() (c readout.Candidate, more bool, err error) {
	for {
		row, more, err := m.nextInTurn()
		if err != nil || !more {
			return c, false, err
		}
		if m.where.IsOld(row.TS) {
			continue
		}
		rec, err := m.table.lineIn(&m.buffer, row.rankRow)
		if err != nil {
			return c, false, err
		}
		if !m.where.Accepts(rec) {
			continue
		}
		it := itemOf(rec)
		if c = m.query.NewCandidate(&it, row.parts); m.query.Omits(&c) {
			continue
		}
		m.rows[row.share]++
		return c, true, nil
	}
}

// nextInTurn returns the best row that was not replaced since. Of a share so many as a page takes
// first come in their order; others, up to as many as it could look at, when nothing else is left.
func (m *rowMerge) nextInTurn() (r scoredRow, more bool, err error) {
	for {
		r, more, err = m.nextRow()
		switch {
		case err != nil || !more && len(m.crowd) == 0:
			return r, false, err
		case !more:
			r, m.crowd = m.crowd[0], m.crowd[1:]
			return r, true, nil
		case m.replaced[r.Offset] || m.isFull(r.share):
		case m.query.Start && r.share != "" && m.rows[r.share] >= m.query.ShareMost():
			m.crowd = append(m.crowd, r)
			m.rows[r.share]++
		default:
			return r, true, nil
		}
	}
}

// isFull reports whether a start has as many rows of a share as it could look at.
func (m *rowMerge) isFull(share string) bool {
	return m.query.Start && m.rows[share] >= m.query.Most()
}

// nextRow returns the best row. That is a waiting row as soon as no band can have a better one.
func (m *rowMerge) nextRow() (r scoredRow, more bool, err error) {
	for m.heads.Len() > 0 && (m.waiting.Len() == 0 ||
		m.waiting.Items[0].compare(&m.heads.Items[0].best) > 0) {
		if err := m.take(); err != nil {
			return r, false, err
		}
	}
	if m.waiting.Len() == 0 {
		return r, false, nil
	}
	return m.waiting.Pop(), true, nil
}

// take scores the row of the best head, adds it to the waiting rows, and advances the head. A head
// whose share is full is dropped.
func (m *rowMerge) take() error {
	h := m.heads.Pop()
	if m.isFull(h.share) {
		return nil
	}
	row := h.best.rankRow
	f := content.Fields{
		Type: h.band.Type, Importance: row.Importance, Created: row.Time, HasCreated: true,
	}
	if len(m.query.Tags) > 0 {
		var err error
		if f.Tags, err = m.table.Tags(row); err != nil {
			return err
		}
	}
	parts, _ := m.query.Score(readout.Item{TS: row.TS, Fields: f})
	m.waiting.Push(scoredRow{row, parts, h.share})
	return m.advance(h)
}

// advance moves a head to the next row that is not expired; a band without is dropped.
func (m *rowMerge) advance(h head) error {
	for ; h.next < h.band.Len; h.next++ {
		row, err := m.table.Row(h.band.First + h.next)
		if err != nil {
			return err
		}
		if row.HasExpiry && m.query.Now > row.Expires {
			continue
		}
		h.next++
		h.best = scoredRow{rankRow: row,
			parts: m.query.Bound(h.band.Type, h.band.Importance, row.Time)}
		m.heads.Push(h)
		return nil
	}
	return nil
}
