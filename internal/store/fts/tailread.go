package fts

import (
	"math"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// token is a word of a text, a character of a run, or a mark between them.
type token uint32

// The kind of a token is its two highest bits.
const (
	tokenWord  token = iota << 30 // the number of a word
	tokenRune                     // a character of a script without spaces
	tokenField                    // what follows stands in this field
	tokenRun                      // a run of such characters begins

	tokenKind = 3 << 30
)

// tailReader cuts texts into tokens. It is a sink.
type tailReader struct {
	table wordTable
	known []tailWord // by number
	days  map[int64]token

	tokens []token // of the present record
	field  analyzer.Field
	length int
	marker analyzer.Marker
	room   []token // for the tokens of the next records
}

// tailWord is a word as it stands in the texts, or something else that has terms.
type tailWord struct {
	text       string
	start      int16 // see plainStart
	count      int16 // terms
	mark       analyzer.WordMark
	isExpanded bool
	terms      []string
	forms      []analyzer.Spelling
}

func newTailReader() *tailReader {
	return &tailReader{table: newWordTable(), days: map[int64]token{}}
}

// roomSize is how many tokens are made room for at a time.
const roomSize = 1 << 14

// read cuts some docs into tokens. A tombstone has none.
func (r *tailReader) read(docs []*tailDoc) {
	for _, d := range docs {
		d.reader = r
		if !d.rec.Valid() {
			continue
		}
		r.tokens, r.field, r.length, r.marker = r.tokens[:0], analyzer.Text, 0, analyzer.Marker{}
		analyzer.Describe(&d.rec, r)
		if len(r.room) < len(r.tokens) {
			r.room = make([]token, max(roomSize, len(r.tokens)))
		}
		n := copy(r.room, r.tokens)
		d.tokens, r.room = r.room[:n:n], r.room[n:]
		d.length, d.marks = lengthCode(r.length), r.marker.All()
		d.realm = realmOf(d.rec.Key, content.Parse(d.rec.Content))
	}
}

func (r *tailReader) Question() { r.marker.Marks |= analyzer.MarkAsks }

func (r *tailReader) Term(text string) {
	r.enterField(analyzer.Text)
	slot, hash := r.table.find(text)
	id := slot.id
	if slot.text == "" {
		id = r.add(tailWord{start: -1, isExpanded: true, terms: []string{text}})
		r.table.put(slot, text, hash, id)
	}
	r.tokens = append(r.tokens, id)
}

func (r *tailReader) Date(ts log.Stamp) {
	r.enterField(analyzer.Text)
	day := dayOf(ts)
	id, ok := r.days[day]
	if !ok {
		terms := analyzer.DateTerms(ts)
		id = r.add(tailWord{start: -1, isExpanded: true, terms: terms[:]})
		r.days[day] = id
	}
	r.tokens = append(r.tokens, id)
}

func (r *tailReader) add(w tailWord) token {
	r.known = append(r.known, w)
	return token(len(r.known) - 1)
}

// enterField notes in which field the next tokens stand.
func (r *tailReader) enterField(f analyzer.Field) {
	if r.field != f {
		r.field = f
		r.tokens = append(r.tokens, tokenField|token(f))
	}
}

func (r *tailReader) Words(f analyzer.Field, text string) {
	r.enterField(f)
	n := 0
	r.marker.Begin(f, text)
	for s := (analyzer.Scanner{Text: analyzer.Normalize(text)}); ; {
		w, ok := s.Next()
		if !ok {
			break
		}
		if w.Unspaced {
			n += r.run(w.Text)
			continue
		}
		id := r.word(w.Text)
		r.tokens = append(r.tokens, id)
		n += int(r.known[id].count)
		r.marker.Word(r.known[id].mark)
	}
	if f.Measured() {
		r.length += n
	}
}

func (r *tailReader) word(text string) token {
	slot, hash := r.table.find(text)
	if slot.text != "" {
		return slot.id
	}
	id := token(len(r.known))
	w := tailWord{text: r.table.put(slot, text, hash, id)}
	var terms int
	if w.start, terms = plainStart(w.text); w.start < 0 {
		w.expand()
		terms = len(w.terms)
	}
	w.count, w.mark = int16(min(terms, math.MaxInt16)), analyzer.MarkOf(w.text)
	return r.add(w)
}

// run takes the characters of a run, and returns how many terms they and their pairs are.
func (r *tailReader) run(text string) (n int) {
	r.tokens = append(r.tokens, tokenRun)
	last := rune(0)
	for _, c := range text {
		r.marker.Char(last, c)
		last = c
		r.tokens = append(r.tokens, tokenRune|token(c))
		n += 2
	}
	return n - 1
}

// expand finds the terms of a word.
func (w *tailWord) expand() {
	if w.isExpanded {
		return
	}
	w.isExpanded = true
	if isNumber(w.text) {
		w.terms = []string{w.text}
		return
	}
	e := analyzer.Expand(w.text)
	w.terms, w.forms = e.Terms, e.Forms
}
