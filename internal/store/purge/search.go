package purge

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Occurrence is where a value was found: a file below the root and, where it belongs to one, its
// key.
type Occurrence struct {
	File string `json:"file"`
	Key  string `json:"key,omitempty"`
	// Names says that the key holds no text of the memory, and only names it.
	Names bool `json:"names,omitempty"`
}

// manyKeys is in how many other keys a value may stand before it counts as everybody's, like the
// name of a program: then they are not listed.
const manyKeys = 3

// Search looks for values in a store, for the proof.
type Search struct {
	plan    *Plan
	values  *Values
	remains map[string]bool
	unclear map[string]bool
	ownless map[ownless]bool // not settled yet
	others  []owners         // by value
}

// NewSearch returns a search that has found nothing yet.
func NewSearch(p *Plan, v *Values) *Search {
	return &Search{p, v, map[string]bool{}, map[string]bool{}, map[ownless]bool{},
		make([]owners, len(v.known))}
}

// ownless is a value in bytes that show no key.
type ownless struct {
	file  string
	value int
}

// ResolveUnkeyed decides about what shows no key: where other keys hold the value too, nobody can
// tell whose it is; else it is a remainder. It comes before Remains and Unclear.
func (s *Search) ResolveUnkeyed() {
	for at := range s.ownless {
		if s.values.isCommon(at.value) {
			s.unclear[at.file] = true
		} else {
			s.Remain(at.file)
		}
	}
	clear(s.ownless)
}

// Unclear returns the files in which something stands that shows no key, and that other keys hold
// too: nobody can tell whose it is.
func (s *Search) Unclear() []string { return slices.Sorted(maps.Keys(s.unclear)) }

// Common returns the values that stand in other keys, too.
func (s *Search) Common() (common []int) {
	for value, o := range s.others {
		if o.many || len(o.files) > 0 {
			common = append(common, value)
		}
	}
	return common
}

// Remains returns the files in which something stands that belongs to no other key.
func (s *Search) Remains() []string { return slices.Sorted(maps.Keys(s.remains)) }

// Remain notes that something is left in a file.
func (s *Search) Remain(file string) { s.remains[file] = true }

// OtherPlaces returns the other keys that hold values, each with the first file it was found in,
// but for values that stand in more than three keys. A key that is a value itself, as that of a
// successor, is the memory's text and no other's.
func (s *Search) OtherPlaces() []Occurrence {
	texts := make([]string, len(s.others))
	for text, value := range s.values.known {
		texts[value] = text
	}
	all, names := map[string]string{}, map[string]bool{}
	for value, o := range s.others {
		isName := s.plan.has(strings.Trim(texts[value], `"`))
		for key, file := range o.files {
			if key == texts[value] {
				continue
			}
			_, again := all[key]
			all[key], names[key] = file, isName && (!again || names[key])
		}
	}
	list := make([]Occurrence, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		list = append(list, Occurrence{all[key], key, names[key]})
	}
	return list
}

// Segment looks at lines: log, archive, state, or what a journal's line says its key is.
func (s *Search) Segment(r io.Reader, file string) error {
	return eachChunk(r, func(text []byte) { s.Lines(text, file) })
}

// Lines looks at whole lines, as Segment does.
func (s *Search) Lines(text []byte, file string) {
	var at line
	s.values.finder.each(text, func(value, i int) bool {
		if i >= at.to {
			at = s.lineAt(text, i)
			if at.remains {
				s.Remain(file)
			}
		}
		if at.nobodys {
			s.ownless[ownless{file, value}] = true
		}
		if at.key != "" && !s.others[value].many {
			s.other(value, at.key, file)
		}
		return true
	})
}

// Owned looks at the text of a file that belongs to another key, whatever the file shows.
func (s *Search) Owned(text []byte, file, key string) {
	if s.plan.has(key) {
		return // it was written again
	}
	s.values.finder.each(text, func(value, _ int) bool {
		if !s.others[value].many {
			s.other(value, key, file)
		}
		return true
	})
}

// line is a line in which something was found.
type line struct {
	to      int    // where it ends
	key     string // the other key that it belongs to; "" for none
	remains bool   // it should not be there
	nobodys bool   // it shows no key: then what other keys hold, too, may stand in it
}

func (s *Search) lineAt(text []byte, i int) line {
	from := bytes.LastIndexByte(text[:i], '\n') + 1
	at := line{to: len(text)}
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		at.to = i + n
	}
	key := lineKey(text[from:at.to])
	_, _, isJoined := nextSeam(text[from:at.to])
	switch {
	case key == "":
		at.nobodys = true
	case isJoined:
		_, _, at.remains = s.plan.OtherRecords(text[from:at.to])
		at.key = key
	case !s.plan.has(key):
		at.key = key
	default:
		at.remains = s.isForgotten(text[from:at.to])
	}
	return at
}

// isForgotten reports whether a line of one of the keys should not be there any more.
func (s *Search) isForgotten(line []byte) bool {
	e, err := log.Decode(bytes.TrimSpace(line))
	return err != nil || s.plan.Takes(log.Record{Envelope: e})
}

func (s *Search) other(value int, key, file string) {
	o := &s.others[value]
	if _, listed := o.files[key]; listed || o.many {
		return
	}
	if o.many = len(o.files) == manyKeys; o.many {
		o.files = nil
		return
	}
	if o.files == nil {
		o.files = map[string]string{}
	}
	o.files[key] = file
}

// owners are the other keys in which a value stands.
type owners struct {
	files map[string]string // the first file for each key
	many  bool              // too many to be listed
}

func (p *Plan) has(key string) bool {
	_, has := p.Wanted()[key]
	return has
}

// lineKey returns the key of a line; "" where it shows none.
func lineKey(line []byte) string {
	if rest, canonical := bytes.CutPrefix(line, []byte(`{"key":"`)); canonical {
		end := bytes.IndexByte(rest, '"')
		if end > 0 && bytes.IndexByte(rest[:end], '\\') < 0 && keypath.IsNormal(rest[:end]) {
			return string(rest[:end])
		}
	}
	if e, err := log.Decode(bytes.TrimSpace(line)); err == nil {
		return e.Key.String()
	}
	return log.ShownKey(line).String()
}
