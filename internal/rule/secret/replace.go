package secret

import (
	"bytes"
	"sort"
	"strconv"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// A mark stands for the characters of a secret: [redacted: github-pat].
const (
	markStart = "[redacted: "
	markEnd   = ']'
)

func mark(rule string) string { return markStart + rule + string(markEnd) }

// inMark reports whether the byte at an offset is in a mark. The words in the name of a rule, such
// as token, name no value.
func inMark(text []byte, at int) bool {
	const longestMark = 80
	from := max(0, at-longestMark)
	begin := bytes.LastIndex(text[from:at], []byte(markStart))
	if begin < 0 {
		return false
	}
	id := text[from+begin+len(markStart):]
	end := bytes.IndexByte(id[:min(len(id), longestMark)], markEnd)
	return end >= 0 && len(text)-len(id)+end >= at && IsRule(string(id[:end]))
}

// edit is a replacement: the range from..to of the unescaped text became at..end.
type edit struct{ from, to, at, end int }

// edits are in order.
type edits []edit

// before returns the range of the original that became a range of the text after the edits. A
// replaced range counts as a whole.
func (list edits) before(p part) part {
	from := sort.Search(len(list), func(i int) bool { return list[i].at > p.from }) - 1
	if from >= 0 {
		if e := list[from]; p.from < e.end {
			p.from = e.from
		} else {
			p.from += e.to - e.end
		}
	}
	to := sort.Search(len(list), func(i int) bool { return list[i].at >= p.to }) - 1
	if to >= 0 {
		if e := list[to]; p.to <= e.end {
			p.to = e.to
		} else {
			p.to += e.to - e.end
		}
	}
	return p
}

// replacing writes a JSON value anew, with marks in place of the text removed from leaves.
type replacing struct {
	value []byte
	out   []byte
	done  int // what of value is written or replaced
	moved int // how much longer the unescaped text became
	edits edits
	names map[int]*nameSet // by the number of their object
}

// leaf writes the text before a leaf, and the leaf without these spans of it.
func (w *replacing) leaf(l *leaf, gone []span) {
	if l.kind == scalarLeaf {
		w.replace(l.raw, gone[0], `"`+mark(gone[0].rule)+`"`)
		return
	}
	w.copyTo(l.raw.from)
	begin := len(w.out)
	at := cursor{value: w.value, raw: l.raw.from, text: l.text.from}
	for _, s := range gone {
		from := at.seek(s.from)
		w.replace(part{from, at.seek(s.to)}, s, mark(s.rule))
	}
	w.copyTo(l.raw.to)
	if l.kind != nameLeaf {
		return
	}
	if suffix := w.names[l.object].suffix(w.out[begin:]); suffix != "" {
		w.replace(part{w.done, w.done}, span{from: l.text.to, to: l.text.to}, suffix)
	}
}

func (w *replacing) copyTo(raw int) {
	w.out = append(w.out, w.value[w.done:raw]...)
	w.done = raw
}

// replace writes a text in place of a range of value, which is s in the unescaped text.
func (w *replacing) replace(raw part, s span, by string) {
	w.copyTo(raw.from)
	w.out = append(w.out, by...)
	w.done = raw.to
	at := s.from + w.moved
	w.edits = append(w.edits, edit{s.from, s.to, at, at + len(by)})
	w.moved += len(by) - (s.to - s.from)
}

// cursor is a place in the body of a JSON string and in its text.
type cursor struct {
	value     []byte
	raw, text int
}

// seek moves the cursor to an offset in the text, which is between two characters, and returns the
// one in the value.
func (c *cursor) seek(text int) int {
	for c.text < text {
		plain := bytes.IndexByte(c.value[c.raw:c.raw+text-c.text], '\\')
		if plain < 0 {
			plain = text - c.text
		}
		c.raw, c.text = c.raw+plain, c.text+plain
		if c.text < text {
			escape, char := escapeLen(c.value[c.raw:])
			c.raw, c.text = c.raw+escape, c.text+char
		}
	}
	return c.raw
}

// nameSet holds the names that the members of an object have, unescaped.
type nameSet struct {
	taken map[string]bool
	last  map[string]int // the last number that a name was given
}

// suffix returns what must follow a name, as it is written, that it is not in the object twice.
func (s *nameSet) suffix(raw []byte) string {
	name, suffix := jsontext.Unescape(raw), ""
	for s.taken[name+suffix] {
		s.last[name] = max(s.last[name], 1) + 1
		suffix = " " + strconv.Itoa(s.last[name])
	}
	s.taken[name+suffix] = true
	return suffix
}
