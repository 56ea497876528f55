package secret

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// Redact returns a compact JSON value without its secrets (see the package comment), and the
// findings, in places of the original. A value without a secret is returned itself.
func Redact(name string, value []byte) (clean []byte, found []Finding) {
	text := unescaped(value)
	first := wideSpans(text, inRecords)
	if len(first) == 0 {
		return value, nil
	}
	r := newRedaction(value, text)
	clean = r.run(first)
	return clean, place(name, value, text, r.found)
}

// RedactText is Redact for a plain text, of any bytes. It is judged as a JSON string of it would
// be; the places are called text.
func RedactText(text string) (clean string, found []Finding) {
	quoted := append(append(append(make([]byte, 0, len(text)+2), '"'), text...), '"')
	first := wideSpans(quoted, inRecords)
	if len(first) == 0 {
		return text, nil
	}
	value := jsontext.AppendString(make([]byte, 0, len(text)+len(text)/16), text)
	r := newRedaction(value, quoted)
	clean = jsontext.Unquote(r.run(first))
	return clean, place("text", value, quoted, r.found)
}

// redaction takes secrets out of a value until none is found in it.
type redaction struct {
	value, text []byte // as it was given, and its unescaped text
	leaves      []leaf
	gone        []span // the replaced parts of leaves, in order, without overlap
	found       []span // the reported findings
}

func newRedaction(value, text []byte) *redaction {
	return &redaction{value: value, text: text, leaves: leaves("", value, text, nil)}
}

// run replaces the findings, checks again, and goes on with new findings: text that was beside a
// secret, and now is beside a mark. Each round must take away more than the last. If the spans
// themselves do not, their lines are taken, then their leaves, and at the last all.
func (r *redaction) run(found []span) []byte {
	const most = 16 // rounds; two are usual
	r.note(found)
	r.remove(found)
	for range most {
		clean, changes := r.replaced()
		found := wideSpans(unescaped(clean), inRecords)
		if len(found) == 0 {
			return clean
		}
		for i, s := range found {
			p := changes.before(part{s.from, s.to})
			found[i].from, found[i].to = p.from, p.to
		}
		slices.SortStableFunc(found, inOrder)
		r.note(found)
		if !r.removeMore(found) {
			break
		}
	}
	rule := slices.MinFunc(r.found, byRank).rule
	return jsontext.AppendString(nil, mark(rule))
}

// note adds to the reported findings: about a hundred places that were not replaced before.
func (r *redaction) note(found []span) {
	known := union(r.gone)
	for _, s := range found {
		if len(r.found) < maxFindings && !s.overlaps(known) {
			r.found = append(r.found, s)
		}
	}
	slices.SortStableFunc(r.found, inOrder)
}

// removeMore removes spans, or more around them, and reports whether anything was left of that.
func (r *redaction) removeMore(found []span) bool {
	for _, widen := range []func(span) span{nil, r.lines, r.wholeLeaves} {
		if widen != nil {
			for i, s := range found {
				found[i] = widen(s)
			}
		}
		before := size(r.gone)
		if r.remove(found); size(r.gone) > before {
			return true
		}
	}
	return false
}

func size(spans []span) (n int) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// lines returns a span with the rest of its lines, within its leaves.
func (r *redaction) lines(s span) span {
	leaves := r.wholeLeaves(s)
	s.from = max(leaves.from, bytes.LastIndexByte(r.text[:s.from], '\n')+1)
	if i := bytes.IndexByte(r.text[s.to:leaves.to], '\n'); i >= 0 {
		s.to += i
	} else {
		s.to = leaves.to
	}
	return s
}

// wholeLeaves returns a span with all of the leaves that it is in.
func (r *redaction) wholeLeaves(s span) span {
	for _, l := range r.touched(s) {
		s.from, s.to = min(s.from, l.text.from), max(s.to, l.text.to)
	}
	return s
}

func (r *redaction) touched(s span) []leaf {
	from := sort.Search(len(r.leaves), func(i int) bool { return r.leaves[i].text.to > s.from })
	n := sort.Search(len(r.leaves)-from,
		func(i int) bool { return r.leaves[from+i].text.from >= s.to })
	return r.leaves[from : from+n]
}

// remove adds to the replaced spans. Spans that overlap become one, of the rule that says most.
func (r *redaction) remove(found []span) {
	var list []span
	for _, s := range r.uncut(found) {
		for _, l := range r.touched(s) {
			if s := l.clip(r.text, s); s.from < s.to {
				list = append(list, s)
			}
		}
	}
	list = append(list, r.gone...)
	slices.SortStableFunc(list, inOrder)
	r.gone = nil
	for _, s := range list {
		last := len(r.gone) - 1
		if last < 0 || s.from >= r.gone[last].to {
			r.gone = append(r.gone, s)
			continue
		}
		s.from, s.to = r.gone[last].from, max(r.gone[last].to, s.to)
		s.rule = slices.MinFunc([]span{r.gone[last], s}, byRank).rule
		r.gone[last] = s
	}
}

// uncut returns sorted spans, with all of a value that is too long to look at.
func (r *redaction) uncut(found []span) []span {
	list, end := slices.Clone(found), 0
	for i := range list {
		s := &list[i]
		if s.to-s.from < longest || s.rule != tokenPrefix && s.rule != credentialMarker {
			continue
		}
		for s.to = max(s.to, end); s.to < len(r.text) && inValue(r.text[s.to]); {
			s.to++
		}
		end = s.to
	}
	return list
}

// clip returns the part of a span that is in a leaf, with whole characters. A number is replaced as
// a whole, or what remains would be none.
func (l *leaf) clip(text []byte, s span) span {
	s.from, s.to = max(s.from, l.text.from), min(s.to, l.text.to)
	if l.kind == scalarLeaf && s.from < s.to {
		s.from, s.to = l.text.from, l.text.to
	}
	for range utf8.UTFMax - 1 {
		if s.from > l.text.from && !utf8.RuneStart(text[s.from]) {
			s.from--
		}
		if s.to < l.text.to && !utf8.RuneStart(text[s.to]) {
			s.to++
		}
	}
	return s
}

// byRank compares spans by what their rules say: those of the table most, but for the generic one.
func byRank(a, b span) int { return rank(a.rule) - rank(b.rule) }

func rank(rule string) int {
	switch {
	case slices.Contains(ownRules[:], rule):
		return 2
	case rule == generic:
		return 1
	}
	return 0
}

// replaced returns the value with marks in place of the spans, and the replacements.
func (r *redaction) replaced() ([]byte, edits) {
	w := replacing{value: r.value, out: make([]byte, 0, len(r.value)), names: r.names()}
	for left := r.gone; len(left) > 0; {
		l := r.touched(left[0])[0]
		n := 1
		for n < len(left) && left[n].from < l.text.to {
			n++
		}
		w.leaf(&l, left[:n])
		left = left[n:]
	}
	w.copyTo(len(r.value))
	return w.out, w.edits
}

// names returns the names that stay, of the objects in which one is replaced.
func (r *redaction) names() map[int]*nameSet {
	gone := union(r.gone)
	changes := func(l leaf) bool { return span{from: l.text.from, to: l.text.to}.overlaps(gone) }
	sets := map[int]*nameSet{}
	for _, l := range r.leaves {
		if l.kind == nameLeaf && sets[l.object] == nil && changes(l) {
			sets[l.object] = &nameSet{taken: map[string]bool{}, last: map[string]int{}}
		}
	}
	for _, l := range r.leaves {
		if set := sets[l.object]; l.kind == nameLeaf && set != nil && !changes(l) {
			set.taken[string(r.text[l.text.from:l.text.to])] = true
		}
	}
	return sets
}
