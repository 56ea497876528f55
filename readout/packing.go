package readout

// packing is a page while it is filled.
type packing struct {
	query  *Query
	page   Page
	used   int // tokens
	missed int // candidates that did not fit
	pinned map[layered]bool
	behind func(layer, key string) bool // see Pinned.IsMore; may be nil
	ahead  int                          // of the entries, those that were pinned
	said   map[string]int               // the entry of each text; -1: it had no room

	wordsAt map[int]map[string]bool // the words of entries, where they were counted
}

func (q *Query) packing(considered int) packing {
	return packing{query: q, page: Page{Limit: max(q.Limit, 0), Considered: considered},
		used: Tokens(Header)}
}

// layered is a key of one of the stores that are read together.
type layered struct{ layer, key string }

// Pinned are the memories that come first on a page, each list in its order: rules, and others in
// the room that these leave. A list may end where no page is likely to have room for more.
type Pinned struct {
	Rules, Others []Candidate

	More   int                          // the rules behind Rules
	IsMore func(layer, key string) bool // reports whether a memory is one of these; nil: none is
	Cut    bool                         // there are others behind Others
	// All returns both lists as a whole, for a page that has room behind them; nil: they are whole.
	All func() (Pinned, error)
}

// MostPinned returns how many rules, and how many others, a page is likely to look at.
func (q *Query) MostPinned() int { return q.Most() / 2 }

// pin puts the pinned memories on the empty page, before all others.
func (p *packing) pin(pins *Pinned) error {
	empty := *p
	for !p.pinListed(pins) {
		all, err := pins.All()
		if err != nil {
			return err
		}
		*p, *pins = empty, all
	}
	return nil
}

// pinListed reports whether the page has no room behind the lists, or they are whole.
func (p *packing) pinListed(pins *Pinned) bool {
	p.pinned, p.behind = make(map[layered]bool, len(pins.Rules)), pins.IsMore
	whole := p.page.Limit
	p.page.Limit /= 2
	for i := range pins.Rules {
		c := &pins.Rules[i]
		p.pinned[layered{c.Layer, c.Key}] = true
		if !p.room() || !p.offer(c) {
			p.page.MorePinned++
		}
	}
	if pins.More > 0 && p.room() {
		return false
	}
	p.page.MorePinned += pins.More
	p.page.Pinned = len(p.page.Entries)
	for i := range pins.Others {
		c := &pins.Others[i]
		if p.room() && p.offer(c) {
			p.pinned[layered{c.Layer, c.Key}] = true
		}
	}
	if pins.Cut && p.room() {
		return false
	}
	p.page.Limit, p.missed, p.ahead = whole, 0, len(p.page.Entries)
	return true
}

func (p *packing) isPinned(c Candidate) bool {
	return p.pinned[layered{c.Layer, c.Key}] || p.behind != nil && p.behind(c.Layer, c.Key)
}

func (p *packing) room() bool { return p.used+minLine <= p.page.Limit && p.missed < spare }

// offer puts a candidate on the page if it fits, and reports whether its text is on the page then.
func (p *packing) offer(c *Candidate) bool {
	if c.Standing == Withheld {
		return false
	}
	said := p.text(c)
	if at, again := p.said[said]; again {
		p.prefer(at, c)
		return at >= 0
	}
	entry, at := c.entry(p.query), -1
	if p.used+entry.Tokens <= p.page.Limit {
		at = len(p.page.Entries)
		p.used += entry.Tokens
		p.page.Entries = append(p.page.Entries, entry)
	} else {
		p.missed++
	}
	if said != "" {
		p.said[said] = at
	}
	return at >= 0
}

// userLayer is the log.Record.Layer of the memories of the user.
const userLayer = "user"

// binds ranks standings for lines of one text: a rule, what the user has typed, and the rest.
func (s Standing) binds() int {
	switch s {
	case Rule, TeamRule:
		return 2
	case Prompted:
		return 1
	}
	return 0
}

// prefer lets a rule, or else what the user has typed, or else a memory of the user's, take the
// place of one of the same text.
func (p *packing) prefer(at int, c *Candidate) {
	if at < 0 {
		return
	}
	has := &p.page.Entries[at]
	moreBinding := c.Standing.binds() > has.Standing.binds()
	lessBinding := c.Standing.binds() < has.Standing.binds()
	users := c.Layer == userLayer && has.Layer != userLayer
	if lessBinding || !moreBinding && !users {
		return
	}
	entry := c.entry(p.query)
	used := p.used - has.Tokens + entry.Tokens
	if used <= p.page.Limit {
		p.used, p.page.Entries[at] = used, entry
	}
}

func (p *packing) close() Page {
	if !p.query.AsRanked {
		newerFirst(p.page.Entries[p.ahead:], p.query.Start, func(i int) map[string]bool {
			if has, ok := p.wordsAt[p.ahead+i]; ok {
				return has
			}
			return words(p.page.Entries[p.ahead+i].Text)
		})
	}
	if len(p.page.Entries) > 0 {
		p.page.Tokens = p.used
	}
	p.page.LeftOut = p.page.Considered - len(p.page.Entries)
	return p.page
}
