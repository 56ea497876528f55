package fts

import "maps"

// Stats are the numbers that the scores of a search go by: how much there is in scope, and how many
// records have what the query names. Added up over several stores, one score holds over all of
// them.
type Stats struct {
	Docs, Words, Folders int
	// Having is how many records have a term of the query; those that none has are not in it.
	Having map[string]int
}

// Plus returns the numbers of two stores together. A folder that is in both counts twice.
func (s Stats) Plus(o Stats) Stats {
	having := maps.Clone(s.Having)
	if having == nil {
		having = make(map[string]int, len(o.Having))
	}
	for term, n := range o.Having {
		having[term] += n
	}
	return Stats{s.Docs + o.Docs, s.Words + o.Words, s.Folders + o.Folders, having}
}

// Stats returns the numbers of the store that the search was prepared for.
func (p *Prepared) Stats() Stats {
	s := p.s
	if s == nil {
		return Stats{}
	}
	all := Stats{s.index.docs, s.index.words, s.index.folders, map[string]int{}}
	for list := range s.opened.lists {
		for i := range list {
			if t := &list[i]; t.df > 0 {
				all.Having[t.text] = t.df
			}
		}
	}
	return all
}

func (o *openQuery) lists(yield func([]openTerm) bool) {
	_ = yield(o.speakers) && yield(o.terms) && yield(o.dates) && yield(o.patterns) &&
		yield(o.spoken)
}

// count takes over how many docs have each term.
func (o *openQuery) count(all *Stats) {
	for list := range o.lists {
		for i := range list {
			list[i].df = all.Having[list[i].text]
		}
	}
}
