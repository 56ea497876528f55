package fts

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// Part is one reason for a score; the values of all parts add up to it, but for that named
// [OrderPart].
type Part struct {
	Name  string  // word, date, before, after, speaker, folder or order
	What  string  // the term; of a neighbor and a folder, the key
	In    string  // of a word: how often in which field, such as "text 2, key 1"; of order: of what
	IDF   float64 // of a word, date or speaker: how rare it is
	Value float64
}

// OrderPart is the name of the part that is no part of the score: what a hit was put in order by
// besides. Only the first hits have one.
const OrderPart = "order"

func (p Part) String() string {
	text := fmt.Sprintf("%s %s %.3f", p.Name, p.What, p.Value)
	if p.What == "" {
		text = fmt.Sprintf("%s %.3f", p.Name, p.Value)
	}
	if p.In != "" {
		text += " (" + p.In + ")"
	}
	return text
}

// Explain takes the score of a hit apart, and says what it is put in order by besides.
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
		e.addTerms, e.addNeighbors, e.addSpeakers, e.addFolder,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if r.Hits[hit].Lift != 0 {
		v, err := r.s.features(e.doc)
		if err != nil {
			return nil, err
		}
		e.add(Part{Name: OrderPart, In: v.String(), Value: v.lift()})
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

// addTerms adds what the words of the record itself are worth, and what they cover.
func (e *explainer) addTerms() error {
	a := e.docs.accumulator(e.doc)
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
			p.Name, p.What, p.In = "date", strings.TrimPrefix(t.text, analyzer.KindDate), ""
		}
		e.add(p)
	}
	return nil
}

// addNeighbors adds the shares of those before it and after it.
func (e *explainer) addNeighbors() error {
	n, err := e.index.neighborsOf(e.doc)
	if err != nil {
		return err
	}
	for away, from := range n.before[:n.befores] {
		shares, err := e.sharesAfter(from)
		if err == nil {
			err = e.addShare("before", from, shares[away])
		}
		if err != nil {
			return err
		}
	}
	for away, from := range n.after[:n.afters] {
		if err := e.addShare("after", from, e.model.neighbor[away]); err != nil {
			return err
		}
	}
	return nil
}

func (e *explainer) addShare(name string, from uint32, share float64) error {
	key, err := e.index.key(from)
	e.add(Part{Name: name, What: key, Value: share * e.docs.accumulator(from).self})
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
			name := strings.TrimPrefix(sp.text, analyzer.KindSpeaker)
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
	value := e.model.folder * e.byFolder.accumulator(e.folder).self
	e.add(Part{Name: "folder", What: folderOf(key), Value: value})
	return err
}
