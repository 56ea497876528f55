package purge

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Place is where a value was found: a file below the root and, where it belongs to one, the key.
type Place struct {
	File string `json:"file"`
	Key  string `json:"key,omitempty"`
}

// manyKeys is in how many other keys a value may stand before it counts as everybody's, like the
// name of a program: then they are not listed.
const manyKeys = 3

// Search looks for values in a store, for the proof.
type Search struct {
	plan    *Plan
	values  *Values
	remains map[string]bool
	others  map[int]map[string]string // by value: a file for each key; more than manyKeys: nil
}

// NewSearch returns a search that has found nothing yet.
func NewSearch(p *Plan, v *Values) *Search {
	return &Search{p, v, map[string]bool{}, map[int]map[string]string{}}
}

// Fork returns a search for the same that has found nothing, for another goroutine.
func (s *Search) Fork() *Search {
	s.values.finder.prepare()
	s.plan.Wanted()
	return NewSearch(s.plan, s.values)
}

// Merge adds what a fork has found.
func (s *Search) Merge(fork *Search) {
	maps.Copy(s.remains, fork.remains)
	for value, files := range fork.others {
		if files == nil {
			s.others[value] = nil
		}
		for key, file := range files {
			s.other(value, key, file)
		}
	}
}

// Remains returns the files in which something stands that belongs to no other key.
func (s *Search) Remains() []string { return slices.Sorted(maps.Keys(s.remains)) }

// Remain notes that something is left in a file.
func (s *Search) Remain(file string) { s.remains[file] = true }

// Others returns the other keys that hold values, each with the first file it was found in, but for
// values that stand in more than three keys.
func (s *Search) Others() []Place {
	all := map[string]string{}
	for _, files := range s.others {
		maps.Copy(all, files)
	}
	list := make([]Place, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		list = append(list, Place{all[key], key})
	}
	return list
}

// Segment looks at lines: log, archive, state, or what a journal's line says its key is.
func (s *Search) Segment(r io.Reader, file string) error {
	buf, from := make([]byte, 1<<20), 0
	for {
		n, err := io.ReadFull(r, buf[from:])
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return err
		}
		text := buf[:from+n]
		whole := len(text)
		if !end {
			whole = bytes.LastIndexByte(text, '\n') + 1
		}
		s.lines(text[:whole], file)
		if end {
			return nil
		}
		if from = copy(buf, text[whole:]); from == len(buf) {
			buf = append(buf, make([]byte, len(buf))...) // a line that the buffer does not hold
		}
	}
}

func (s *Search) lines(text []byte, file string) {
	done := -1 // the end of the line whose hit was the last that no further hit can add to
	s.values.finder.each(text, func(value, at int) bool {
		if at < done {
			return true
		}
		from := bytes.LastIndexByte(text[:at], '\n') + 1
		to := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			to = at + i
		}
		if s.line(text[from:to], file, value) {
			done = to
		}
		return true
	})
}

// line takes one hit in a line. It reports whether the rest of the line need not be looked at.
func (s *Search) line(line []byte, file string, value int) (rest bool) {
	key := lineKey(line)
	switch {
	case key == "":
		s.Remain(file)
	case !s.plan.has(key):
		s.other(value, key, file)
		return false
	case s.gone(line):
		s.Remain(file)
	}
	return true
}

// gone reports whether a line of one of the keys should not be there any more.
func (s *Search) gone(line []byte) bool {
	e, err := log.Decode(bytes.TrimSpace(line))
	return err != nil || s.plan.Takes(log.Record{Envelope: e}, true)
}

func (s *Search) other(value int, key, file string) {
	files, known := s.others[value]
	_, listed := files[key]
	switch {
	case !known:
		s.others[value] = map[string]string{key: file}
	case files == nil || listed:
	case len(files) == manyKeys:
		s.others[value] = nil
	default:
		files[key] = file
	}
}

func (p *Plan) has(key string) bool {
	_, has := p.Wanted()[key]
	return has
}

// lineKey returns the key of a line; "" where it shows none. One in canonical layout is not
// decoded.
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
	return ShownKey(line).String()
}
