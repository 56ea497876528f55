package fts

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/log"
)

// Tail is what the log holds since the state was written, folded: the newest record of each key, tombstones too, for they hide rows. It is
// searched like the rows of the state. It may also be all there is, where no sidecar is.
type Tail struct {
	words   *collector
	docs    []tailDoc
	lists   [][]posting // by term: the docs that have it
	ordered bool
}

// tailDoc is one record of it.
type tailDoc struct {
	rec     log.Record
	length  byte // its code
	asks    bool
	entries []entry
}

// NewTail makes an empty one.
func NewTail() *Tail { return &Tail{words: newCollector()} }

// Add takes a record: one of each key, in any order, before the first search. The record must stay as it is.
func (t *Tail) Add(rec log.Record) {
	d := tailDoc{rec: rec}
	if rec.Valid() {
		t.words.take(&rec)
		d.entries, d.length, d.asks = slices.Clone(t.words.entries), lengthCode(t.words.length), t.words.asks
	}
	t.docs = append(t.docs, d)
	t.ordered = false
}

// Len is the number of records.
func (t *Tail) Len() int {
	if t == nil {
		return 0
	}
	return len(t.docs)
}

// order sorts the records by key and makes the lists.
func (t *Tail) order() {
	if t == nil || t.ordered {
		return
	}
	slices.SortFunc(t.docs, func(a, b tailDoc) int { return a.rec.Key.Compare(b.rec.Key) })
	t.lists = make([][]posting, len(t.words.terms))
	for i, d := range t.docs {
		for _, e := range d.entries {
			t.lists[e.term] = append(t.lists[e.term], posting{uint32(i), e.tf})
		}
	}
	t.ordered = true
}

// list gives the docs that have a term.
func (t *Tail) list(term string) []posting {
	if t == nil {
		return nil
	}
	id, ok := t.words.ids[term]
	if !ok {
		return nil
	}
	return t.lists[id]
}

// withPrefix gives the terms that begin with a prefix.
func (t *Tail) withPrefix(prefix string) (terms []string) {
	if t == nil {
		return nil
	}
	for _, term := range t.words.terms {
		if strings.HasPrefix(term, prefix) {
			terms = append(terms, term)
		}
	}
	return terms
}
