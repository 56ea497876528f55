package fts

import (
	"errors"
	"fmt"
	"strings"
)

// Part is one reason for a score; the values of all parts add up to it.
type Part struct {
	Name  string  // word, date, before, after, speaker or folder
	What  string  // the term; of a neighbor and a folder, the key
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
	if r.Hits[hit].Score == 0 { // a query of conditions only
		return nil, nil
	}
	e := explainer{scorer: r.s.scores, doc: r.Hits[hit].doc}
	var err error
	if e.folder, err = e.index.folder(e.doc); err != nil {
		return nil, err
	}
	for _, step := range [...]func() error{
		e.addTerms, e.addBefore, e.addAfter, e.addSpeakers, e.addFolder,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return e.parts, nil
}

// explainer collects the parts of a doc's score.
type explainer struct {
	*scorer
	doc, folder uint32
	parts       []Part
}

func (e *explainer) add(p Part) {
	if p.Value != 0 {
		e.parts = append(e.parts, p)
	}
}

// addTerms adds what the words of the record itself are worth, and the share of the query that they
// cover.
func (e *explainer) addTerms() error {
	a := e.docs.at(e.doc)
	if a.self == 0 {
		return nil
	}
	code, err := e.index.lengthCode(e.doc)
	if err != nil {
		return err
	}
	for i := range e.query.terms {
		t := &e.query.terms[i]
		tf, err := e.index.countsIn(&t.openTerm, e.doc)
		if err != nil {
			return err
		}
		if tf == 0 {
			continue
		}
		value := e.value(t, tf, code) * e.coverage(a.covered)
		p := Part{Name: "word", What: t.text, In: tf.String(), IDF: t.idf, Value: value}
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

// addBefore adds the shares of those before it.
func (e *explainer) addBefore() error {
	if e.folder == noFolder {
		return nil
	}
	var failed error
	err := e.index.eachBefore(e.doc, e.folder, func(from uint32, away int) {
		shares, err := e.sharesAfter(from)
		failed = errors.Join(failed, err, e.addShare("before", from, shares[away]))
	})
	return errors.Join(err, failed)
}

// addAfter adds the shares of those after it.
func (e *explainer) addAfter() error {
	if e.folder == noFolder {
		return nil
	}
	var failed error
	err := e.index.eachAfter(e.doc, e.folder, func(from uint32, away int) {
		failed = errors.Join(failed, e.addShare("after", from, e.model.neighbor[away]))
	})
	return errors.Join(err, failed)
}

func (e *explainer) addShare(name string, from uint32, share float64) error {
	key, err := e.index.key(from)
	e.add(Part{Name: name, What: key, Value: share * e.docs.at(from).self})
	return err
}

func (e *explainer) addSpeakers() error {
	for i := range e.query.speakers {
		sp := &e.query.speakers[i]
		tf, err := e.index.countsIn(&sp.openTerm, e.doc)
		if err != nil {
			return err
		}
		if tf > 0 {
			name := strings.TrimPrefix(sp.text, kindSpeaker)
			e.add(Part{Name: "speaker", What: name, IDF: sp.idf, Value: e.model.speaker * sp.idf})
		}
	}
	return nil
}

func (e *explainer) addFolder() error {
	if e.folder == noFolder {
		return nil
	}
	key, err := e.index.key(e.doc)
	value := e.model.folder * e.byFolder.at(e.folder).self
	e.add(Part{Name: "folder", What: folderOf(key), Value: value})
	return err
}
