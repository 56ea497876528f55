package fts

import (
	"fmt"
	"strings"
)

// Part is one reason for a score; the values of all parts add up to it.
type Part struct {
	Name  string  // word, date, before, after, speaker or folder
	What  string  // the term; of a neighbour and a folder, the key
	In    string  // of a word: how often in which field, such as "text 2, key 1"
	IDF   float64 // of a word, date or speaker: how rare it is
	Value float64
}

func (p Part) String() string {
	text := fmt.Sprintf("%s %s %.3f", p.Name, p.What, p.Value)
	if p.In != "" {
		text += " (" + p.In + ")"
	}
	return text
}

// Explain takes the score of a hit apart.
func (r *Result) Explain(hit int) ([]Part, error) {
	e := explainer{search: r.s, doc: r.Hits[hit].doc}
	if r.Hits[hit].Score == 0 { // a query of conditions only
		return nil, nil
	}
	for _, step := range [...]func() error{e.terms, e.neighbours, e.speakers, e.folder} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return e.parts, nil
}

type explainer struct {
	*search
	doc   uint32
	parts []Part
}

func (e *explainer) add(p Part) {
	if p.Value != 0 {
		e.parts = append(e.parts, p)
	}
}

// terms adds what the words of the record itself are worth, and the share of the query that they cover.
func (e *explainer) terms() error {
	c := e.scores.at(e.doc)
	if c.self == 0 {
		return nil
	}
	code, err := e.lengthCode(e.doc)
	if err != nil {
		return err
	}
	for i := range e.search.terms {
		t := &e.search.terms[i]
		tf, err := e.has(t, e.doc)
		if err != nil {
			return err
		}
		if tf == 0 {
			continue
		}
		p := Part{Name: "word", What: t.text, In: tf.String(), IDF: t.idf, Value: e.value(t, tf, code) * e.share(c.covered)}
		if t.isDate() {
			p.Name, p.What, p.In = "date", strings.TrimPrefix(t.text, kindDate), ""
		}
		e.add(p)
	}
	return nil
}

func (c counts) String() string {
	var in []string
	for f := range fields {
		if n := c.of(f); n > 0 {
			in = append(in, fmt.Sprintf("%s %d", f, n))
		}
	}
	return strings.Join(in, ", ")
}

// neighbours adds what those before and after lend.
func (e *explainer) neighbours() error {
	home, err := e.search.folder(e.doc)
	if err != nil || home == noFolder {
		return err
	}
	var failed error
	lent := func(name string, from uint32, share float64) {
		key, err := e.key(from)
		failed = firstOf(failed, err)
		e.add(Part{Name: name, What: key, Value: share * e.scores.at(from).self})
	}
	err = e.along(e.doc, home, e.previous, func(from uint32, away int) {
		shares, err := e.shares(from)
		failed = firstOf(failed, err)
		lent("before", from, shares[away])
	})
	err = firstOf(err, e.along(e.doc, home, e.next, func(from uint32, away int) { lent("after", from, e.model.near[away]) }))
	return firstOf(err, failed)
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// key gives the key of a doc.
func (s *space) key(doc uint32) (string, error) {
	if doc >= s.rows {
		return s.tail.docs[doc-s.rows].rec.Key.String(), nil
	}
	return s.ix.key(doc)
}

func (e *explainer) speakers() error {
	for i := range e.search.speakers {
		sp := &e.search.speakers[i]
		tf, err := e.has(&sp.scored, e.doc)
		if err != nil {
			return err
		}
		if tf > 0 {
			e.add(Part{Name: "speaker", What: strings.TrimPrefix(sp.text, kindSpeaker), IDF: sp.idf, Value: e.model.speaker * sp.idf})
		}
	}
	return nil
}

func (e *explainer) folder() error {
	id, err := e.search.folder(e.doc)
	if err != nil || id == noFolder {
		return err
	}
	key, err := e.key(e.doc)
	e.add(Part{Name: "folder", What: folderOf(key), Value: e.model.folder * e.byPath.at(id).self})
	return err
}
