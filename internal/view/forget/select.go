package forget

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Selection names memories that are to go: these keys, or all that meet all of the conditions.
type Selection struct {
	Keys       []keypath.Key
	Conditions mem.SearchOptions // prefix, types, tags, since and until; the rest does not count
	// Text stands in the key or in a value of content, in any case; of a purge also in one of the
	// source. Names of members do not count, nor does the kind of a source.
	Text  string
	Too   []keypath.Prefix // of a purge, what lies below these counts as below that of Conditions
	All   bool             // also quarantined memories
	Marks bool             // also keys of which a purge has left only its mark

	Session string // of a purge: the inbox's lines of the conversation go too
}

// IsRevealedBy reports whether a reason, which stays, contains the text that is to go.
func (sel Selection) IsRevealedBy(reason string) bool {
	return sel.Text != "" &&
		strings.Contains(strings.ToLower(reason), strings.ToLower(sel.Text))
}

// Permitted returns the given keys that the caller may name: for an agent another one's is not
// there. The error is a *policy.PersonError where it names one of its own.
func (sel Selection) Permitted(c mem.Caller) (keys []keypath.Key, err error) {
	for _, key := range sel.Keys {
		if err := policy.CheckOwn(c, verb, key, false); err != nil {
			return nil, err
		}
		if policy.Reaches(c, verb, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// checkWhole refuses the key of a session, with a *policy.ReservedError.
func (sel Selection) checkWhole() error {
	for _, key := range sel.Keys {
		if id, is := strings.CutPrefix(key.String(), keypath.Sessions+"/"); is &&
			key.Class() == keypath.SessionInfo {
			return &policy.ReservedError{Key: key,
				Why:  "its records would be left without a session",
				Todo: advice.Run("session delete", id).Then(" deletes it with its records")}
		}
	}
	return nil
}

// filter is a selection while it is looked for.
type filter struct {
	sel     Selection
	caller  mem.Caller
	keys    map[keypath.Key]bool // nil: any
	where   backend.Where
	text    string // in lower case
	sources bool   // the text may stand in a source, too
	hidden  map[keypath.Key]bool
}

func (sel Selection) filter(c mem.Caller, ever bool) (*filter, error) {
	f := &filter{sel: sel, caller: c, text: strings.ToLower(sel.Text), sources: ever,
		hidden: map[keypath.Key]bool{}}
	var err error
	// Expired memories are to go as well.
	if f.where, err = sel.Conditions.Where(log.MinStamp); err != nil {
		return nil, err
	}
	if len(sel.Keys) > 0 {
		f.keys = map[keypath.Key]bool{}
		permitted, err := sel.Permitted(c)
		if err != nil {
			return nil, err
		}
		for _, key := range permitted {
			f.keys[key] = true
		}
	}
	return f, nil
}

// takes reports whether a record is selected, and counts those that are only hidden.
func (f *filter) takes(rec log.Record) bool {
	if f.keys != nil {
		return f.keys[rec.Key]
	}
	if rec.Key.Class() == keypath.SessionInfo && !f.wholePrefix() {
		return false // a condition on memories is none on the session itself
	}
	if !f.sources && !policy.Browses(f.where.Prefix, rec.Key) {
		return false // it is kept for machines, and some of it no tombstone takes away
	}
	if !f.isBelow(rec.Key) || !f.where.Holds(rec.TS, content.Parse(rec.Content)) ||
		!f.hasText(rec) {
		return false
	}
	if !f.shows(rec.Key) {
		if rec.Key.Realm().Owner == "" { // to count an agent's own would tell what it says
			f.hidden[rec.Key] = true
		}
		return false
	}
	return true
}

// isBelow reports whether a key lies where something is selected.
func (f *filter) isBelow(key keypath.Key) bool {
	return f.where.Prefix.Holds(key) || f.sources &&
		slices.ContainsFunc(f.sel.Too, func(p keypath.Prefix) bool { return p.Holds(key) })
}

// wholePrefix reports whether all that lies below a prefix is selected.
func (f *filter) wholePrefix() bool {
	w := f.where
	below := w.Prefix
	w.Prefix = keypath.Prefix{}
	return w.AllFields() && f.text == "" && below != (keypath.Prefix{})
}

// shows reports whether a condition reaches a key: a quarantined one by its prefix or with All, an
// agent's private one never: a caller must name that key.
func (f *filter) shows(key keypath.Key) bool {
	switch {
	case key.Realm().Owner != "":
		return false
	case key.Untrusted():
		return f.sel.All || keypath.ClassOf(f.where.Prefix.String()) == keypath.Quarantined
	}
	return policy.Visible(f.caller, key)
}

func (f *filter) hasText(rec log.Record) bool {
	return f.text == "" || f.matchesText(rec.Key.String()) || f.inValues(rec.Content, "") ||
		f.sources && f.inValues(rec.Source, "kind")
}

func (f *filter) matchesText(text string) bool {
	return strings.Contains(strings.ToLower(text), f.text)
}

// inValues reports whether the text stands in a string or number of a JSON text, but for that of
// one member of the outermost object.
func (f *filter) inValues(text []byte, except string) bool {
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case '{':
		for name, value := range jsontext.Members(text) {
			if (except == "" || name != except) && f.inValues(value, "") {
				return true
			}
		}
		return false
	case '[':
		for value := range jsontext.Elements(text) {
			if f.inValues(value, "") {
				return true
			}
		}
		return false
	case '"':
		return f.matchesText(jsontext.Unquote(text))
	}
	return f.matchesText(string(text))
}
