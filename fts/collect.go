package fts

import (
	"math/bits"

	"github.com/set-memory/mem/log"
)

// counts are how often a term stands in each field of a record, a byte for each; 255 is 255 and more.
type counts uint64

func (c counts) of(f Field) int { return int(c>>(8*f)) & 0xff }

func (c counts) plus(f Field) counts {
	if c.of(f) == 0xff {
		return c
	}
	return c + 1<<(8*f)
}

// entry is one term of one record.
type entry struct {
	term uint32
	tf   counts
}

// vocabulary numbers terms, and remembers what words become: stemming is done once for each word.
type vocabulary struct {
	ids   map[string]uint32
	terms []string
	words map[string][]uint32
}

func newVocabulary() *vocabulary {
	return &vocabulary{ids: map[string]uint32{}, words: map[string][]uint32{}}
}

// id gives the number of a term.
func (v *vocabulary) id(term string) uint32 {
	id, ok := v.ids[term]
	if !ok {
		id = uint32(len(v.terms))
		term = clone(term)
		v.ids[term] = id
		v.terms = append(v.terms, term)
	}
	return id
}

// clone keeps a term from holding on to the text that it was cut from.
func clone(term string) string { return string([]byte(term)) }

// word gives the numbers of a spaced word's terms.
func (v *vocabulary) word(w string) []uint32 {
	ids, ok := v.words[w]
	if ok {
		return ids
	}
	e := expand(w)
	for _, term := range e.terms {
		ids = append(ids, v.id(term))
	}
	for _, s := range e.spelt {
		v.id(kindForm + s.form + "\x00" + s.term)
	}
	v.words[clone(w)] = ids
	return ids
}

// collector makes the entries of one record after the other. It is the sink of describe.
type collector struct {
	*vocabulary
	entries []entry
	place   []place // by term
	record  uint32
	length  int
	asks    bool
}

// place says where in entries a term stands, if it has come up in this record.
type place struct{ record, index uint32 }

func newCollector() *collector { return &collector{vocabulary: newVocabulary()} }

// take collects a record: entries, length in words, and asks stand until the next call.
func (c *collector) take(rec *log.Record) {
	c.entries, c.length, c.asks = c.entries[:0], 0, false
	c.record++
	describe(rec, c)
}

func (c *collector) question() { c.asks = true }

func (c *collector) words(f Field, text string) {
	n := 0
	for s := (scanner{text: normalize(text)}); ; {
		w, ok := s.next()
		if !ok {
			break
		}
		if w.unspaced {
			pairs(w.text, func(term string) { c.count(f, c.id(term)); n++ })
			continue
		}
		ids := c.word(w.text)
		for _, id := range ids {
			c.count(f, id)
		}
		n += len(ids)
	}
	if f.measured() {
		c.length += n
	}
}

func (c *collector) term(text string) { c.count(Text, c.id(text)) }

// count adds one to a term of the record.
func (c *collector) count(f Field, id uint32) {
	if int(id) >= len(c.place) {
		c.place = append(c.place, make([]place, len(c.terms)-len(c.place))...)
	}
	if p := c.place[id]; p.record == c.record {
		c.entries[p.index].tf = c.entries[p.index].tf.plus(f)
		return
	}
	c.place[id] = place{c.record, uint32(len(c.entries))}
	c.entries = append(c.entries, entry{id, counts(0).plus(f)})
}

// Lengths are kept in a byte each: exact up to 16 words, and then in steps of an eighth to a sixteenth. What a step rounds off is nothing that
// ranking could feel.
func lengthCode(words int) byte {
	if words < 16 {
		return byte(words)
	}
	n := uint(min(words, 1<<30))
	shift := bits.Len(n) - 4
	return byte(shift<<3 + int(n>>shift)&7 + 8)
}

// lengthOf is the length that a code stands for.
func lengthOf(code byte) int {
	if code < 16 {
		return int(code)
	}
	code -= 8
	return int(code&7|8) << (code >> 3)
}
