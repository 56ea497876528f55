package fts

import (
	"errors"
	"slices"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/log"
)

// phrase is words that must stand together in one field.
type phrase struct {
	words []string // one after the other, the common ones too
	terms []string // that a record with the phrase has
}

// errNoLoad is for a query with a phrase, where nobody said how rows are read.
var errNoLoad = errors.New("a phrase needs Options.Load")

// hasPhrases reports whether a hit has all phrases of the query, by its text.
func (s *search) hasPhrases(h *Hit) (bool, error) {
	if len(s.query.phrases) == 0 {
		return true, nil
	}
	rec := h.Record
	if rec == nil {
		if s.opt.Load == nil {
			return false, errNoLoad
		}
		loaded, err := s.opt.Load(h.Row)
		if err != nil {
			return false, err
		}
		rec = &loaded
	}
	return hasAllPhrases(rec, s.query.phrases), nil
}

func hasAllPhrases(rec *log.Record, phrases []phrase) bool {
	f := phraseFinder{phrases: phrases, found: make([]bool, len(phrases))}
	analyzer.Describe(rec, &f)
	return !slices.Contains(f.found, false)
}

// phraseFinder is a sink that looks for phrases.
type phraseFinder struct {
	phrases []phrase
	found   []bool
}

func (f *phraseFinder) Words(_ analyzer.Field, text string) {
	words := wordSequence(analyzer.Normalize(text))
	for i, p := range f.phrases {
		f.found[i] = f.found[i] || hasSequence(words, p.words)
	}
}

func (f *phraseFinder) Term(string)    {}
func (f *phraseFinder) Date(log.Stamp) {}
func (f *phraseFinder) Question()      {}

func hasSequence(words, want []string) bool {
	for ; len(words) >= len(want); words = words[1:] {
		if slices.Equal(words[:len(want)], want) {
			return true
		}
	}
	return false
}
