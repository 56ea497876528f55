package purge

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Scrub returns what stays of a file that was quarantined, or lies in index/ at no key's place;
// changed is false where that is all of it. A file that is an envelope, as index/ has it, goes or
// stays as a whole; of any other the lines go that [Plan.Lines] would take.
func (p *Plan) Scrub(text []byte, v *Values) (kept []byte, changed bool) {
	if line, err := log.CompactLine(nil, text); err == nil {
		if e, err := log.Decode(line); err == nil {
			return keepWhole(text, !p.takesCopy(log.Record{Envelope: e}))
		}
	}
	for line := range bytes.Lines(text) {
		rest := p.without(line, v)
		changed = changed || len(rest) < len(line)
		kept = append(kept, rest...)
	}
	// A value may run over several lines: then only lines that are another key's stay.
	if whole := v.foundIn(kept, true) && !p.ownedAlone(kept); whole {
		return p.owned(kept), true
	}
	if !changed {
		return text, false
	}
	return kept, true
}

// owned returns the lines of a text that show a key.
func (p *Plan) owned(text []byte) (kept []byte) {
	for line := range bytes.Lines(text) {
		if !log.ShownKey(line).IsZero() {
			kept = append(kept, line...)
		}
	}
	return kept
}

// ownedAlone reports whether every line of a text shows a key.
func (p *Plan) ownedAlone(text []byte) bool { return len(p.owned(text)) == len(text) }

func keepWhole(text []byte, keep bool) ([]byte, bool) {
	if keep {
		return text, false
	}
	return nil, true
}

// takesCopy is Takes of a copy outside the history: whatever its time, it is of no use any more.
func (p *Plan) takesCopy(rec log.Record) bool { return p.Wanted().Has(rec.Key) }

// without returns what stays of a line, in which several may be joined.
func (p *Plan) without(line []byte, v *Values) []byte {
	pieces := Pieces(line)
	rest := slices.DeleteFunc(slices.Clone(pieces), func(piece []byte) bool {
		return p.takesLine(piece, v)
	})
	switch len(rest) {
	case 0:
		return nil
	case len(pieces):
		return line
	}
	return append(bytes.TrimSuffix(bytes.Join(rest, []byte{'\n'}), []byte{'\n'}), '\n')
}

func (p *Plan) takesLine(line []byte, v *Values) bool {
	if e, err := log.Decode(bytes.TrimSpace(line)); err == nil {
		return p.takesCopy(log.Record{Envelope: e})
	}
	return p.claims(line, v)
}

// Journal returns what stays of a journal: without the lines of the keys, the objects of the keys
// in lists, and lines of no key that hold a value.
func (p *Plan) Journal(text []byte, v *Values) (kept []byte, changed bool) {
	return p.scrubJournal(text, v, func([]byte) bool { return true })
}

// scrubJournal is Journal of the lines that wanted accepts.
func (p *Plan) scrubJournal(text []byte, v *Values, wanted func([]byte) bool) (
	kept []byte, changed bool) {
	for line := range bytes.Lines(text) {
		rest := line
		if wanted(line) {
			rest = p.journalLine(line, v)
		}
		changed = changed || !bytes.Equal(rest, line)
		kept = append(kept, rest...)
	}
	return kept, changed
}

func (p *Plan) journalLine(line []byte, v *Values) []byte {
	if _, err := jsontext.Compact(nil, line); err != nil {
		if p.claims(line, v) {
			return nil
		}
		return line
	}
	var o jsontext.Object
	own, whole := false, true
	for name, value := range jsontext.Members(bytes.TrimSpace(line)) {
		switch {
		case (name == "key" || name == "first") && value[0] == '"':
			if p.hasText(value) {
				return nil
			}
			own = own || name == "key"
		case value[0] == '[':
			rest := p.withoutKeys(value)
			whole = whole && len(rest) == len(value)
			value = rest
		}
		o.Raw(name, value)
	}
	kept := line
	if !whole {
		kept = append(o.Bytes(), '\n')
	}
	if rest := withoutLists(kept); !own && (v.foundIn(rest, true) || p.names(rest)) {
		return nil
	}
	return kept
}

// names reports whether a text, as that of an error, names a key of which not even the key stays.
func (p *Plan) names(text []byte) bool {
	for _, key := range p.Keys {
		if p.Tombstones {
			break
		}
		name := []byte(key.String())
		for _, rest, found := bytes.Cut(text, name); found; _, rest, found = bytes.Cut(rest, name) {
			next, _ := utf8.DecodeRune(rest)
			if notInWord(next) && !bytes.ContainsRune([]byte("/-_"), next) {
				return true
			}
		}
	}
	return false
}

// withoutKeys returns a list without its objects whose member key is one of the plan's.
func (p *Plan) withoutKeys(list []byte) []byte {
	kept := []byte{'['}
	for element := range jsontext.Elements(list) {
		if p.isOf(element) {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, element...)
	}
	return append(kept, ']')
}

func (p *Plan) isOf(object []byte) bool {
	for name, value := range jsontext.Members(object) {
		if name == "key" {
			return p.hasText(value)
		}
	}
	return false
}

func (p *Plan) hasText(value []byte) bool {
	key, err := keypath.Parse(jsontext.Unquote(value))
	return err == nil && p.Wanted().Has(key)
}

// withoutLists returns a journal's line without its lists, whose objects name other keys.
func withoutLists(line []byte) []byte {
	var o jsontext.Object
	for name, value := range jsontext.Members(bytes.TrimSpace(line)) {
		if value[0] != '[' {
			o.Raw(name, value)
		}
	}
	return o.Bytes()
}
