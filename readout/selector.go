package readout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/log"
)

// Selector picks the page's memories out of a stream in any order. It holds the best-ranked only, as many as could ever fit the limit
// and a few more, so its memory is set by the limit and not by how much is stored. It is not safe for concurrent use.
type Selector struct {
	query      Query
	kept       []candidate // a heap, the worst on top
	most       int
	considered int
}

// candidate is what is kept of an item: enough to print it.
type candidate struct {
	key, kind, text string // the two latter not yet flattened, but bounded
	ts              log.Stamp
	parts           Parts
}

const (
	// minLine is the estimate for the shortest line there is, "- a\n". A page has no room for more than limit/minLine of them.
	minLine = 4
	// spare is how many more are kept, to stand in for those that turn out too long.
	spare = 64
	// keepRaw is the length in bytes up to which a text is kept as it is and flattened only when it is printed.
	keepRaw = 4 * MaxShort
)

// NewSelector begins a selection.
func NewSelector(q Query) *Selector {
	q.Weights = q.weights()
	return &Selector{query: q, most: max(q.Limit, 0)/minLine + spare}
}

// Add considers one more memory; those that must not appear are passed over ([Query.Score]). Every key may be added once. The strings in
// it are kept, Content is not. An item that ranks below all that are kept costs a score and nothing else.
func (s *Selector) Add(it Item) {
	parts, ok := s.query.score(&it)
	if !ok {
		return
	}
	s.considered++
	if len(s.kept) == s.most && parts.Total < s.kept[0].parts.Total {
		return
	}
	c := candidate{key: it.Key, ts: it.TS, parts: parts}
	switch {
	case len(s.kept) < s.most:
		c.describe(&it)
		s.kept = append(s.kept, c)
		s.up(len(s.kept) - 1)
	case rank(&c, &s.kept[0]) < 0:
		c.describe(&it)
		s.kept[0] = c
		s.down(0)
	}
}

// describe takes over type and text; what would hold on to much memory, or need the content later, is brought into its short form now.
func (c *candidate) describe(it *Item) {
	if c.kind = it.Fields.Type; len(c.kind) > keepRaw {
		c.kind = flatten(c.kind, MaxType)
	}
	if c.text = told(&it.Fields); c.text == "" || len(c.text) > keepRaw {
		c.text = Short(it.Content, it.Fields)
	}
}

// rank orders the better candidate first: score, then the newer, then the key.
func rank(a, b *candidate) int {
	switch {
	case a.parts.Total != b.parts.Total:
		return cmp.Compare(b.parts.Total, a.parts.Total)
	case a.ts != b.ts:
		return cmp.Compare(b.ts, a.ts)
	}
	return strings.Compare(a.key, b.key)
}

func (s *Selector) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if rank(&s.kept[i], &s.kept[parent]) <= 0 {
			return
		}
		s.kept[i], s.kept[parent] = s.kept[parent], s.kept[i]
		i = parent
	}
}

func (s *Selector) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.kept); child++ {
			if rank(&s.kept[child], &s.kept[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		s.kept[i], s.kept[worst] = s.kept[worst], s.kept[i]
		i = worst
	}
}

// Pack fills the page in the order of rank: what does not fit is left out, and a shorter memory further down may still get in (M-37). More may be
// added afterwards, for another page.
func (s *Selector) Pack() Page {
	page := Page{Limit: max(s.query.Limit, 0), Considered: s.considered}
	// Worst first is a heap still; so the order does no harm to what is added later.
	slices.SortFunc(s.kept, func(a, b candidate) int { return rank(&b, &a) })
	used := Tokens(Header)
	for i := len(s.kept) - 1; i >= 0 && used+minLine <= page.Limit; i-- {
		entry := s.kept[i].entry()
		if used+entry.Tokens <= page.Limit {
			used += entry.Tokens
			page.Entries = append(page.Entries, entry)
		}
	}
	if len(page.Entries) > 0 {
		page.Tokens = used
	}
	page.LeftOut = page.Considered - len(page.Entries)
	return page
}

func (c *candidate) entry() Entry {
	e := Entry{Key: c.key, TS: c.ts, Type: flatten(c.kind, MaxType), Text: flatten(c.text, MaxShort), Parts: c.parts}
	e.Tokens = Tokens(e.line())
	return e
}
