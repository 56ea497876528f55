package readout

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/set-memory/mem/log"
)

// Selector chooses the page's memories from a stream in any order. It keeps only the best-ranked,
// as many as could ever fit the limit and a few more, so its memory depends on the limit and not on
// how much is stored. It is not safe for concurrent use.
type Selector struct {
	query      Query
	kept       heap[candidate] // the worst on top
	most       int
	considered int
}

// candidate is the part of an item that is needed to print it.
type candidate struct {
	key, kind, text string // the two latter not yet flattened, but bounded
	ts              log.Stamp
	parts           Parts
}

const (
	// minLine is the estimate for the shortest line there is, "- a\n". A page has no room for more
	// than limit/minLine of them.
	minLine = 4
	// spare is how many candidates that do not fit are skipped before the page counts as full.
	spare = 32
	// keepRaw is the greatest length in bytes of a text that is kept as it is, and flattened only
	// when it is printed.
	keepRaw = 4 * MaxShort
)

// NewSelector returns an empty selection for q.
func NewSelector(q Query) *Selector {
	q.Weights = q.weights()
	return &Selector{query: q, kept: heap[candidate]{before: ranksLast}, most: max(q.Limit, 0)/minLine + spare}
}

// Add considers one more memory and skips one that must not appear ([Query.Score]). Each key may be
// added once. The strings in the item are kept, Content is not. An item that ranks below all that
// are kept costs a score and nothing else.
func (s *Selector) Add(it Item) {
	parts, ok := s.query.score(&it)
	if !ok {
		return
	}
	s.considered++
	kept := &s.kept
	full := len(kept.items) == s.most
	if full && parts.Total < kept.items[0].parts.Total {
		return
	}
	c := candidate{key: it.Key, ts: it.TS, parts: parts}
	switch {
	case !full:
		c.describe(&it)
		kept.push(c)
	case rank(&c, &kept.items[0]) < 0:
		c.describe(&it)
		kept.items[0] = c
		kept.fix()
	}
}

// Passed adds n to the memories that were considered, for those that the caller considered itself.
func (s *Selector) Passed(n int) { s.considered += n }

// Most returns how many memories a page could ever look at.
func (s *Selector) Most() int { return s.most }

// describe copies type and text. It shortens now what would keep much memory in use, or needs the
// content.
func (c *candidate) describe(it *Item) {
	if c.kind = it.Fields.Type; len(c.kind) > keepRaw {
		c.kind = flatten(c.kind, MaxType)
	}
	if c.text = summaryOrText(&it.Fields); c.text == "" || len(c.text) > keepRaw {
		c.text = Short(it.Content, it.Fields)
	}
}

// rank orders the better candidate first: by score, then the newer, then by key.
func rank(a, b *candidate) int {
	switch {
	case a.parts.Total != b.parts.Total:
		return cmp.Compare(b.parts.Total, a.parts.Total)
	case a.ts != b.ts:
		return cmp.Compare(b.ts, a.ts)
	}
	return strings.Compare(a.key, b.key)
}

func ranksLast(a, b *candidate) bool { return rank(a, b) > 0 }

// Pack returns the page, filled in the order of rank: a memory that does not fit is left out, and a
// shorter one further down may still get in (M-37). More may be added afterwards, for another page.
func (s *Selector) Pack() Page {
	page, _ := s.PackWith(func(func(Ranked, error) bool) {}, nil)
	return page
}

// PackWith is Pack for what was added and for ranked rows (see [Query.Merge]); load returns the
// item of a row. Only rows that the page considers are loaded. The error is that of rows or of
// load.
func (s *Selector) PackWith(rows iter.Seq2[Ranked, error], load func(Row) (Item, error)) (Page, error) {
	next, stop := iter.Pull2(rows)
	defer stop()
	kept := slices.Clone(s.kept.items)
	slices.SortFunc(kept, func(a, b candidate) int { return rank(&a, &b) })
	p := packing{page: Page{Limit: max(s.query.Limit, 0), Considered: s.considered}, used: Tokens(Header)}
	row, more, err := pull(next, load)
	for looked := 0; err == nil && looked < s.most && p.room(); looked++ {
		switch {
		case more && (len(kept) == 0 || rank(&row, &kept[0]) < 0):
			p.offer(&row)
			row, more, err = pull(next, load)
		case len(kept) > 0:
			p.offer(&kept[0])
			kept = kept[1:]
		default:
			return p.close(), nil
		}
	}
	return p.close(), err
}

// pull returns the next row as a candidate.
func pull(next func() (Ranked, error, bool), load func(Row) (Item, error)) (c candidate, more bool, err error) {
	r, err, more := next()
	if err != nil || !more {
		return c, false, err
	}
	it, err := load(r.Row)
	if err != nil {
		return c, false, err
	}
	c = candidate{key: it.Key, ts: it.TS, parts: r.Parts}
	c.describe(&it)
	return c, true, nil
}

// packing is a page that is being filled.
type packing struct {
	page   Page
	used   int // tokens
	missed int // candidates that did not fit
}

func (p *packing) room() bool { return p.used+minLine <= p.page.Limit && p.missed < spare }

func (p *packing) offer(c *candidate) {
	entry := c.entry()
	if p.used+entry.Tokens > p.page.Limit {
		p.missed++
		return
	}
	p.used += entry.Tokens
	p.page.Entries = append(p.page.Entries, entry)
}

func (p *packing) close() Page {
	if len(p.page.Entries) > 0 {
		p.page.Tokens = p.used
	}
	p.page.LeftOut = p.page.Considered - len(p.page.Entries)
	return p.page
}

func (c *candidate) entry() Entry {
	e := Entry{Key: c.key, TS: c.ts, Type: flatten(c.kind, MaxType), Text: flatten(c.text, MaxShort), Parts: c.parts}
	e.Tokens = Tokens(e.line())
	return e
}
