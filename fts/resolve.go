package fts

import (
	"slices"
	"strings"
)

// scored is a term of the query, with its postings at hand.
type scored struct {
	text   string
	weight float64
	df     int // live docs in scope that have it
	idf    float64
	list   list      // in the sidecar
	tail   []posting // in the tail, whose rows are its docs
	wide   bool      // in so many docs that it counts only where another term stands
}

// worth is what the term adds where it is the only word of a text.
func (t *scored) worth() float64 { return t.weight * t.idf }

// isDate tells the terms of dates: the length of a text does not matter to them, and a folder has none.
func (t *scored) isDate() bool { return strings.HasPrefix(t.text, kindDate) }

// resolve opens the lists of all that the query names.
func (s *search) resolve() error {
	if err := s.findSpeakers(); err != nil {
		return err
	}
	for _, term := range s.query.terms {
		weight := 1.0
		if s.isNamed(term) {
			weight = s.model.named
		}
		if err := s.addTerm(term, weight); err != nil {
			return err
		}
	}
	for _, d := range s.query.dates {
		for _, term := range d.terms(s.opt.Now) {
			if err := s.addTerm(term, s.model.date); err != nil {
				return err
			}
		}
	}
	for _, form := range s.query.forms {
		if err := s.addForm(form); err != nil {
			return err
		}
	}
	s.settle()
	return nil
}

// settle decides which terms are wide, unless all would be, and brings those to the end. A wide term is in very many docs: to decode its list
// takes longer than all the rest, for what is hardly a difference. It counts only in docs that have another one.
func (s *search) settle() {
	narrow := 0
	for i := range s.terms {
		t := &s.terms[i]
		t.idf = idf(s.docs, t.df)
		t.wide = t.df > s.model.wideDocs && t.df > s.docs/s.model.wideShare
		if !t.wide {
			narrow++
		}
		s.total += t.worth()
	}
	for i := range s.terms {
		s.terms[i].wide = s.terms[i].wide && narrow > 0
	}
	slices.SortStableFunc(s.terms, func(a, b scored) int {
		switch {
		case a.wide == b.wide:
			return 0
		case a.wide:
			return 1
		}
		return -1
	})
}

// addTerm takes a term in, if any doc has it.
func (s *search) addTerm(text string, weight float64) error {
	if slices.ContainsFunc(s.terms, func(t scored) bool { return t.text == text }) {
		return nil
	}
	t, err := s.open(text)
	if t.df == 0 || err != nil {
		// Of an identifier the parts count, which are terms of their own.
		if !strings.ContainsAny(text, connectors) {
			s.strangers += s.evidenceOf(text)
		}
		return err
	}
	t.weight = weight
	s.terms = append(s.terms, t)
	return nil
}

// open finds a term.
func (s *search) open(text string) (t scored, err error) {
	t = scored{text: text, tail: s.tail.list(text)}
	if s.rows > 0 {
		f, ok, err := s.ix.lookup(text)
		if err != nil {
			return t, err
		}
		if ok && f.count > 0 {
			if t.list, err = s.ix.open(f); err != nil {
				return t, err
			}
		}
	}
	return t, s.countDocs(&t)
}

// countDocs counts the live docs in scope that have a term, without decoding its list.
func (s *search) countDocs(t *scored) error {
	for _, sp := range s.spans {
		from, err := t.list.rank(sp.from)
		if err != nil {
			return err
		}
		to, err := t.list.rank(sp.to)
		if err != nil {
			return err
		}
		t.df += max(to-from, 0)
	}
	for _, row := range s.lost {
		tf, err := t.list.find(row)
		if err != nil {
			return err
		}
		if tf > 0 {
			t.df--
		}
	}
	for _, p := range t.tail {
		if s.placed[p.row].live {
			t.df++
		}
	}
	return nil
}

// maxForms is how many different words a prefix may stand for; the most frequent count.
const maxForms = 100

// addForm takes in the beginning of a word: one term, that has the postings of all words that begin so.
func (s *search) addForm(form string) error {
	all, err := s.formTerms(form)
	if err != nil {
		return err
	}
	var rows, tail []posting
	for _, t := range all {
		err := t.list.eachBlock(0, s.rows, func(some []posting) error { rows = append(rows, some...); return nil })
		if err != nil {
			return err
		}
		tail = append(tail, t.tail...)
	}
	t := scored{text: form + "*", weight: 1, tail: joined(tail)}
	if t.list, err = pack(joined(rows), s.rows); err != nil {
		return err
	}
	if err := s.countDocs(&t); err != nil || t.df == 0 {
		s.strangers++
		return err
	}
	s.terms = append(s.terms, t)
	return nil
}

// formTerms gives the terms of the words that begin with a form.
func (s *search) formTerms(form string) (all []scored, err error) {
	var terms []string
	add := func(term string) { terms = appendNew(terms, term) }
	addStem := func(spelt string) { add(spelt[strings.IndexByte(spelt, 0)+1:]) }
	for _, term := range s.tail.withPrefix(form) {
		add(term)
	}
	for _, spelt := range s.tail.withPrefix(kindForm + form) {
		addStem(spelt)
	}
	if s.rows > 0 {
		err = s.ix.withPrefix(form, func(f found) bool { add(f.term); return len(terms) < 10*maxForms })
		if err == nil {
			err = s.ix.withPrefix(kindForm+form, func(f found) bool { addStem(f.term); return len(terms) < 20*maxForms })
		}
	}
	for _, term := range terms {
		if err != nil {
			return nil, err
		}
		var t scored
		if t, err = s.open(term); t.df > 0 {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return b.df - a.df })
	return all[:min(len(all), maxForms)], err
}

// joined sorts postings by row, and adds up those of one row.
func joined(all []posting) []posting {
	slices.SortFunc(all, func(a, b posting) int { return int(a.row) - int(b.row) })
	n := 0
	for _, p := range all {
		if n > 0 && all[n-1].row == p.row {
			all[n-1].tf = all[n-1].tf.and(p.tf)
			continue
		}
		all[n] = p
		n++
	}
	return all[:n]
}

// and adds counts up, each to 255 at most.
func (c counts) and(o counts) (sum counts) {
	for f := range fields {
		sum |= counts(min(c.of(f)+o.of(f), 0xff)) << (8 * f)
	}
	return sum
}

// pack makes a list of postings in memory.
func pack(all []posting, rows uint32) (list, error) {
	var w listWriter
	for _, p := range all {
		w.add(p)
	}
	table, blocks := w.parts()
	return openList(append(slices.Clone(table), blocks...), len(all), rows)
}
