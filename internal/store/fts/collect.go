package fts

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// counts are how often a term stands in each field of a record, a byte for each; 255 is 255 and
// more.
type counts uint64

func (c counts) count(f analyzer.Field) int { return int(c>>(8*f)) & 0xff }

func (c counts) plus(f analyzer.Field) counts {
	if c.count(f) == 0xff {
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
	words map[string]knownWord
	pairs map[[2]rune]uint32  // one or two characters of a script without spaces
	days  map[int64][3]uint32 // by the day

	number [1]uint32
}

// knownWord is what becomes of a spaced word.
type knownWord struct {
	ids   []uint32 // of its terms
	forms []uint32 // of its forms with their stems
	mark  analyzer.WordMark
}

// isNumber reports whether a word is plain digits, and so its only term.
func isNumber(w string) bool {
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return len(w) <= analyzer.MaxTerm
}

func newVocabulary() *vocabulary {
	return &vocabulary{
		ids: map[string]uint32{}, words: map[string]knownWord{},
		pairs: map[[2]rune]uint32{}, days: map[int64][3]uint32{},
	}
}

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

// pair returns the number of a term of two characters, or of one; text is the two.
func (v *vocabulary) pair(first, second rune, text string) uint32 {
	id, ok := v.pairs[[2]rune{first, second}]
	if !ok {
		id = v.id(text)
		v.pairs[[2]rune{first, second}] = id
	}
	return id
}

// day returns the numbers of the terms of a date.
func (v *vocabulary) day(ts log.Stamp) [3]uint32 {
	n := dayOf(ts)
	ids, ok := v.days[n]
	if !ok {
		for i, term := range analyzer.DateTerms(ts) {
			ids[i] = v.id(term)
		}
		v.days[n] = ids
	}
	return ids
}

// dayOf numbers the days, in UTC.
func dayOf(ts log.Stamp) int64 {
	n := int64(ts / log.Day)
	if ts < 0 {
		n--
	}
	return n
}

// clone keeps a term from holding on to the text that it was cut from.
func clone(term string) string { return string([]byte(term)) }

// word returns the numbers of a spaced word's terms, until the next call, and what it is.
func (v *vocabulary) word(w string) knownWord {
	if isNumber(w) {
		// Most numbers, those in keys above all, come once: to remember what becomes of them is not
		// worth it.
		v.number[0] = v.id(w)
		return knownWord{ids: v.number[:], mark: analyzer.MarkDigits(w)}
	}
	known, ok := v.words[w]
	if ok {
		return known
	}
	e := analyzer.Expand(w)
	for _, term := range e.Terms {
		known.ids = append(known.ids, v.id(term))
	}
	for _, s := range e.Forms {
		id := v.id(analyzer.KindForm + s.Form + "\x00" + s.Term)
		known.forms = append(known.forms, id)
	}
	known.mark = analyzer.MarkOf(w)
	v.words[clone(w)] = known
	return known
}

// isForm reports whether a term is a form of a word with its stem, which has no postings.
func isForm(term string) bool { return strings.HasPrefix(term, analyzer.KindForm) }

// collector makes the entries of one record after the other. It is the sink of describe.
type collector struct {
	*vocabulary
	entries []entry
	forms   []uint32    // of words of the record, each once
	slots   []entrySlot // by term
	record  uint32
	length  int
	marker  analyzer.Marker
}

// entrySlot says where in entries a term stands, or a form in forms, if it has come up in this
// record.
type entrySlot struct{ record, index uint32 }

func newCollector() *collector { return &collector{vocabulary: newVocabulary()} }

// collect takes a record: entries, length in words, and marker stand until the next call.
func (c *collector) collect(rec *log.Record) {
	c.entries, c.forms, c.length, c.marker = c.entries[:0], c.forms[:0], 0, analyzer.Marker{}
	c.record++
	analyzer.Describe(rec, c)
}

func (c *collector) Question() { c.marker.Marks |= analyzer.MarkAsks }

func (c *collector) Words(f analyzer.Field, text string) {
	n := 0
	c.marker.Begin(f, text)
	for s := (analyzer.Scanner{Text: analyzer.Normalize(text)}); ; {
		w, ok := s.Next()
		if !ok {
			break
		}
		if w.Unspaced {
			n += c.unspaced(f, w.Text)
			continue
		}
		known := c.word(w.Text)
		for _, id := range known.ids {
			c.count(f, id)
		}
		for _, id := range known.forms {
			c.form(id)
		}
		n += len(known.ids)
		c.marker.Word(known.mark)
	}
	if f.Measured() {
		c.length += n
	}
}

// unspaced counts the characters of a run, and every two that stand together.
func (c *collector) unspaced(f analyzer.Field, run string) (n int) {
	last, lastAt := rune(0), 0
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		c.count(f, c.pair(0, r, run[i:end]))
		n++
		if i > 0 {
			c.count(f, c.pair(last, r, run[lastAt:end]))
			n++
		}
		c.marker.Char(last, r)
		last, lastAt = r, i
	}
	return n
}

func (c *collector) Date(ts log.Stamp) {
	for _, id := range c.day(ts) {
		c.count(analyzer.Text, id)
	}
}

func (c *collector) Term(text string) { c.count(analyzer.Text, c.id(text)) }

// count adds one to a term of the record.
func (c *collector) count(f analyzer.Field, id uint32) {
	p := c.slot(id)
	if p.record == c.record {
		c.entries[p.index].tf = c.entries[p.index].tf.plus(f)
		return
	}
	*p = entrySlot{c.record, uint32(len(c.entries))}
	c.entries = append(c.entries, entry{id, counts(0).plus(f)})
}

// form notes that a word of the record has a form.
func (c *collector) form(id uint32) {
	if p := c.slot(id); p.record != c.record {
		*p = entrySlot{c.record, uint32(len(c.forms))}
		c.forms = append(c.forms, id)
	}
}

func (c *collector) slot(id uint32) *entrySlot {
	if int(id) >= len(c.slots) {
		c.slots = append(c.slots, make([]entrySlot, len(c.terms)-len(c.slots))...)
	}
	return &c.slots[id]
}

// lengthCode returns the length of a record in one byte: exact up to 16 words, then rounded down by
// less than an eighth, which is too little to change a ranking.
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

// sum adds counts up, each to 255 at most.
func (c counts) sum(o counts) (sum counts) {
	for f := range analyzer.Fields {
		sum |= counts(min(c.count(f)+o.count(f), 0xff)) << (8 * f)
	}
	return sum
}

func (c counts) String() string {
	var in []string
	for f := range analyzer.Fields {
		if n := c.count(f); n > 0 {
			in = append(in, fmt.Sprintf("%s %d", f, n))
		}
	}
	return strings.Join(in, ", ")
}
