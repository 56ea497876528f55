package readout

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/heap"
	"github.com/set-memory/mem/log"
)

// Selector picks the best-ranked memories out of a stream in any order. Of each share
// ([Query.Share]) it holds as many as could ever fit the limit and a few more, so its memory is set by the limit and not by how much is
// stored. It is not safe for concurrent use.
type Selector struct {
	query      Query
	kept       map[string]*heap.Heap[Candidate] // by Query.Share, the worst on top
	most       int
	considered int
}

// Candidate is a memory with its score, and enough of it to print it.
type Candidate struct {
	Key    string
	TS     log.Stamp
	Time   log.Stamp // see Item.Time
	Source []byte    // of its envelope; nil where the item had none
	Layer  string    // as log.Record.Layer
	Parts  Parts
	Standing

	kind, text string // not yet flattened, but bounded
	body       string // see bodyOf
	claims     bool   // its content says that it is a rule
	finished   bool   // it is a task that is done
	near       bool   // see Query.Near
	held       int    // as in Entry, of a line that was sent
	about      string // likewise
	by         string // as in Entry, of a line that was sent

	files []content.File // as in content.Fields
}

const (
	// minLine is the estimate for the shortest line there is, "- a\n". A page has no room for more
	// than limit/minLine of them.
	minLine = 4
	// spare is how many memories that do not fit are passed over; then the page counts as full.
	spare = 32
	// keepRaw is the length in bytes up to which a text is kept as it is and flattened only when it
	// is printed.
	keepRaw = 4 * MaxShort
)

// NewSelector begins a selection.
func NewSelector(q Query) *Selector {
	q.Weights = q.weights()
	return &Selector{query: q, kept: map[string]*heap.Heap[Candidate]{}, most: q.Most()}
}

// Most returns how many memories of one share a page could ever look at.
func (q *Query) Most() int {
	if q.Start {
		return q.mostAtStart()
	}
	return max(q.Limit, 0)/minLine + spare
}

// Add considers one more memory; those that must not appear are passed over ([Query.Score]). Every
// key may be added once. The strings in it are kept, Content is not. An item that ranks below all
// that are kept costs a score and nothing else.
func (s *Selector) Add(it Item) { s.AddIf(it, nil) }

// AddIf is Add of an item that is only kept if accept says so; it counts as considered anyway.
// accept is asked if the item ranks among the best so far; nil: it is kept.
func (s *Selector) AddIf(it Item, accept func() bool) {
	parts, ok := s.query.score(&it)
	if !ok {
		return
	}
	s.considered++
	kept := s.share(&it)
	full := len(kept.Items) == s.most
	if full && parts.Total < kept.Items[0].Parts.Total {
		return
	}
	c := Candidate{Key: it.Key, TS: it.TS, Time: it.Time(), Layer: it.Layer, Parts: parts}
	if full && c.Compare(&kept.Items[0]) >= 0 || accept != nil && !accept() {
		return
	}
	if c.describe(&s.query, &it); s.query.Omits(&c) {
		return
	}
	if full {
		kept.Items[0] = c
		kept.Fix()
	} else {
		kept.Push(c)
	}
}

// share returns the best so far among those that an item competes with.
func (s *Selector) share(it *Item) *heap.Heap[Candidate] {
	name := s.query.Share(it.Fields.Type)
	kept := s.kept[name]
	if kept == nil {
		kept = &heap.Heap[Candidate]{Before: ranksLast}
		s.kept[name] = kept
	}
	return kept
}

// Considered returns how many memories were added that may appear.
func (s *Selector) Considered() int { return s.considered }

// Sorted returns the kept candidates, best first.
func (s *Selector) Sorted() []Candidate {
	var kept []Candidate
	for _, share := range s.kept {
		kept = append(kept, share.Items...)
	}
	slices.SortFunc(kept, func(a, b Candidate) int { return a.Compare(&b) })
	return kept
}

// Pack packs the added memories into a page, see [Query.Pack]. More may be added afterwards.
func (s *Selector) Pack() Page {
	page, _ := s.query.Pack(s.considered, func(yield func(Candidate, error) bool) {
		for _, c := range s.Sorted() {
			if !yield(c, nil) {
				return
			}
		}
	})
	return page
}

// NewCandidate returns an item that was scored elsewhere as a candidate. It keeps no content.
func (q *Query) NewCandidate(it *Item, parts Parts) Candidate {
	c := Candidate{Key: it.Key, TS: it.TS, Time: it.Time(), Layer: it.Layer, Parts: parts}
	c.describe(q, it)
	return c
}

// describe copies source, type and text, so that a candidate needs no content later.
func (c *Candidate) describe(q *Query, it *Item) {
	c.Source, c.claims = bytes.Clone(it.Source), it.Fields.IsRule()
	c.finished, c.files = isFinished(it), it.Fields.Files
	c.near = q.Start && q.Near != nil && q.Near(it)
	if q.Standing != nil {
		c.Standing = q.Standing(it)
	}
	if c.kind = it.Fields.Type; len(c.kind) > keepRaw {
		c.kind = Flatten(c.kind, MaxType)
	}
	if c.text = summaryOrText(&it.Fields); c.text == "" || len(c.text) > keepRaw {
		c.text = Short(it.Content, it.Fields)
	}
	c.body = bodyOf(it)
}

// Compare orders the better candidate first: score, then the newer, then the key.
func (c *Candidate) Compare(o *Candidate) int {
	switch {
	case c.Parts.Total != o.Parts.Total:
		return cmp.Compare(o.Parts.Total, c.Parts.Total)
	case c.Time != o.Time:
		return cmp.Compare(o.Time, c.Time)
	}
	return strings.Compare(c.Key, o.Key)
}

func ranksLast(a, b *Candidate) bool { return a.Compare(b) > 0 }

// Pack fills a page with candidates that come best first, out of so many considered. It reads no
// more of ranked when the page is full. It returns the error of ranked.
func (q *Query) Pack(considered int, ranked iter.Seq2[Candidate, error]) (Page, error) {
	return q.PackPinned(Pinned{}, considered, ranked)
}

// PackPinned is [Query.Pack] with memories that come first, in their order and whatever they score,
// in at most half of the budget: rules, of which Page.MorePinned counts those without room, and
// others. They are among the considered, and ranked may yield them again. The error of pins is
// returned, too.
func (q *Query) PackPinned(pins Pinned, considered int, ranked iter.Seq2[Candidate, error]) (
	Page, error) {
	if q.Start {
		return q.packStart(&pins, considered, ranked)
	}
	p := q.packing(considered)
	if err := p.pin(&pins); err != nil {
		return p.page, discard(ranked, err)
	}
	looked, most := 0, q.Most()
	for c, err := range ranked {
		if err != nil {
			return p.close(), err
		}
		if p.isPinned(c) {
			continue
		}
		if !p.room() {
			break
		}
		p.offer(&c)
		if looked++; looked == most || !p.room() {
			break
		}
	}
	return p.close(), nil
}

// discard closes what a ranking has open that nobody will read, and returns the error for which.
func discard(ranked iter.Seq2[Candidate, error], err error) error {
	for range ranked {
		break
	}
	return err
}

func (c *Candidate) entry(q *Query) Entry {
	e := Entry{
		Key: c.Key, TS: c.TS, Time: c.Time, Type: Flatten(c.kind, MaxType), Text: Flatten(c.text, MaxShort),
		Layer: c.Layer, Origin: c.origin(), Standing: c.Standing, Parts: c.Parts,
		held: c.held, about: c.about, By: c.by,
	}
	if c.Standing == Rule {
		e.By = content.Writer(c.Source)
	}
	if q.Labels != nil {
		e.label = q.Labels.label(&e, q.Now)
	}
	if q.Remark != nil && len(c.files) > 0 {
		if remark := q.Remark(c.Layer, c.files); remark != "" {
			e.remark = "(" + remark + ")"
		}
	}
	e.Tokens = Tokens(e.line())
	return e
}
