package fts

import (
	"slices"
	"strings"
	"unicode"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// uncommon is a term of a query that may name a thing: it is no word of every day nor of
// programming.
type uncommon struct {
	term    string
	written bool // the query writes it as a name
}

// addUncommon takes in those of a word's terms that are uncommon.
func (q *Query) addUncommon(word string, e *analyzer.Expansion) {
	written := isWrittenAsName(word)
	for i, term := range e.Terms {
		switch {
		case i == 0 && isIdentifier(word), !isCommon(e, term):
			q.uncommon = append(q.uncommon, uncommon{term, written})
		}
	}
}

// isCommon reports whether one of the terms of a word is of a common word, in one way to write it.
func isCommon(e *analyzer.Expansion, term string) bool {
	const shortest = 3
	form := term
	for _, s := range e.Forms {
		if s.Term == term {
			form = s.Form
		}
	}
	for i := range len(form) {
		if form[i] < 'a' || form[i] > 'z' {
			return true // it counts as a whole or not at all
		}
	}
	return len(form) < shortest || readout.IsCommon(form) ||
		readout.IsCommon(strings.ToUpper(form[:1])+form[1:]) ||
		readout.IsCommon(strings.ToUpper(form))
}

// isIdentifier reports whether a word is written as no word of a language is: letters and digits in
// one, a capital within, or parts held together by something else than a hyphen.
func isIdentifier(word string) bool {
	if first := analyzer.FirstRune(word); !unicode.IsLetter(first) && first != '_' && first != '/' {
		return false // 2nd, 10am, 3.5
	}
	if strings.ContainsAny(word, `_/.:@\`) || strings.IndexFunc(word, analyzer.IsDigit) > 0 {
		return true
	}
	return strings.IndexFunc(word[1:], unicode.IsUpper) >= 0 &&
		strings.IndexFunc(word, unicode.IsLower) >= 0
}

// isWrittenAsName reports whether a word has a capital, or is an identifier.
func isWrittenAsName(word string) bool {
	return strings.IndexFunc(word, unicode.IsUpper) >= 0 || isIdentifier(word)
}

// names reports whether a term of the query is a name of a thing: it is uncommon, and the query or
// a doc writes it as one.
func (s *search) names(doc uint32, term string) (bool, error) {
	for _, u := range s.query.uncommon {
		if u.term != term {
			continue
		}
		if u.written {
			return true, nil
		}
		rec, err := s.record(doc)
		if err != nil {
			return false, err
		}
		return writesAsName(&rec, term), nil
	}
	return false, nil
}

// record reads a doc. A row that nobody said how to read is as good as empty.
func (s *search) record(doc uint32) (log.Record, error) {
	if d := s.index.inTail(doc); d != nil {
		return d.rec, nil
	}
	if s.opt.Load == nil {
		return log.Record{}, nil
	}
	return s.opt.Load(int(doc))
}

// writesAsName reports whether the text or the summary of a record writes a term as a name.
func writesAsName(rec *log.Record, term string) bool {
	f := content.Parse(rec.Content)
	for _, text := range [...]string{f.Text, f.Summary} {
		for s := (analyzer.Scanner{Text: analyzer.Normalize(text)}); ; {
			w, ok := s.Next()
			if !ok {
				break
			}
			if !w.Unspaced && isWrittenAsName(w.Text) && hasTerm(w.Text, term) {
				return true
			}
		}
	}
	return false
}

func hasTerm(word, term string) bool {
	return slices.Contains(analyzer.Expand(word).Terms, term)
}
