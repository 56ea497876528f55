package fts

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/log"
)

// Tail is what the log holds since the state was written, folded: the newest record of each key, tombstones too, for they hide rows. It is
// searched like the rows of the state. It may also be all there is, where no sidecar is.
type Tail struct {
	docs  []tailDoc
	parts []*tailPart // of the docs, in their order
	read  *Query      // for which the parts were made; nil: not yet
	whole bool        // they have every word
}

// tailDoc is one record of it.
type tailDoc struct {
	rec    log.Record
	length byte // its code
	asks   bool
}

// tailPart is the words of some neighbouring docs. Each part has a vocabulary of its own, so that they can be made side by side.
type tailPart struct {
	words *collector
	lists [][]posting // by term: the docs that have it
}

// partDocs is how many docs are worth a part: fewer are read before another core has woken.
const partDocs = 200

// NewTail makes an empty one.
func NewTail() *Tail { return &Tail{} }

// Add takes a record: one of each key, in any order, before the first search. The record must stay as it is.
func (t *Tail) Add(rec log.Record) {
	t.docs = append(t.docs, tailDoc{rec: rec})
	t.read, t.whole = nil, false
}

// Len is the number of records.
func (t *Tail) Len() int {
	if t == nil {
		return 0
	}
	return len(t.docs)
}

// prepare sorts the records by key, and makes the lists of what a query may look for: for the first one only that, and all there is for the next.
func (t *Tail) prepare(q *Query) {
	if t.Len() == 0 || t.read == q || t.whole {
		return
	}
	slices.SortFunc(t.docs, func(a, b tailDoc) int { return a.rec.Key.Compare(b.rec.Key) })
	n := min(max(len(t.docs)/partDocs, 1), runtime.GOMAXPROCS(0))
	t.parts = make([]*tailPart, n)
	after := q.sought()
	if t.read != nil {
		after = nil
	}
	var reading sync.WaitGroup
	for i := range t.parts {
		from, to := i*len(t.docs)/n, (i+1)*len(t.docs)/n
		t.parts[i] = &tailPart{words: newCollector()}
		t.parts[i].words.after = after
		reading.Go(func() { t.parts[i].take(t.docs[from:to], uint32(from)) })
	}
	reading.Wait()
	t.read, t.whole = q, after == nil
}

// take makes the lists of docs, the first of which has a number.
func (p *tailPart) take(docs []tailDoc, first uint32) {
	for i := range docs {
		d := &docs[i]
		if !d.rec.Valid() {
			continue
		}
		p.words.take(&d.rec)
		d.length, d.asks = lengthCode(p.words.length), p.words.isQuestion
		for len(p.lists) < len(p.words.terms) {
			p.lists = append(p.lists, nil)
		}
		for _, e := range p.words.entries {
			p.lists[e.term] = append(p.lists[e.term], posting{first + uint32(i), e.tf})
		}
	}
}

// list gives the docs that have a term.
func (t *Tail) list(term string) (docs []posting) {
	if t == nil {
		return nil
	}
	for _, p := range t.parts {
		if id, ok := p.words.ids[term]; ok && int(id) < len(p.lists) {
			docs = append(docs, p.lists[id]...)
		}
	}
	return docs
}

// withPrefix gives the terms that begin with a prefix.
func (t *Tail) withPrefix(prefix string) (terms []string) {
	if t == nil {
		return nil
	}
	for _, p := range t.parts {
		for _, term := range p.words.terms {
			if strings.HasPrefix(term, prefix) && !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
	}
	return terms
}
