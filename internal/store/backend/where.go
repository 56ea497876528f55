package backend

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Conditions are what a search may ask for besides its words, for a caller that names them. They
// are members of its request, too.
type Conditions struct {
	Prefix keypath.Prefix `json:"-"` // only keys below it
	// Types are the types of which a memory has one, in any case; none: all.
	Types []string `json:"types,omitempty" query:"type"`
	// Of the time (content.Fields.Time), inclusive; nil: no bound.
	Since *log.Stamp `json:"since,omitempty"`
	Until *log.Stamp `json:"until,omitempty"`

	MinImportance float64 `json:"min_importance,omitempty" tool:"-" min:"0" max:"10"` // 0..1
	// Superseded is whether what another memory has replaced (content.Successor) is shown too. Else
	// a search counts it nowhere.
	Superseded bool `json:"-"`
}

// Narrow reports whether there is a condition on types, time or importance.
func (c *Conditions) Narrow() bool {
	return len(c.Types) > 0 || c.Since != nil || c.Until != nil || c.MinImportance != 0
}

// Where is the conditions of a search besides its words. They are applied before any limit.
// Everything that a read may show meets the zero Where.
type Where struct {
	Conditions
	Tags  []TagRule // all of them hold
	Now   log.Stamp // the instant for expiry
	Rules bool      // only what says that it is a rule, see content.Fields.IsRule

	Classes Classes // that the caller may see besides those that everybody is shown
	Agent   string  // which agent calls: of what has an owner it sees its own; "": none

	// Cleared are the labels of the shown records; none: all labels. Like Classes it decides which
	// records the caller sees at all.
	Cleared content.Clearance

	Without Classes // these are left out, though the caller may see them; may have keypath.Open
	// Shadowed reports whether a key is left out because another store has it; nil: none is.
	Shadowed func(keypath.Key) bool
	// Written is the oldest ts of a version that is returned; 0: no bound. Like what Shadowed and
	// Accept leave out, an older one is considered all the same.
	Written log.Stamp
	// Accept is asked last, with the whole record of what meets everything else and would be
	// returned; nil: all are accepted. To ask costs a read of the line. Like Shadowed, it must not
	// use the store that asks.
	Accept   func(log.Record) bool
	AcceptOf Classes // only of these Accept is asked, the others are accepted; none: of all
}

// Classes is a set of classes of namespaces; the zero Classes is empty.
type Classes uint64

// With returns the set with one more class.
func (s Classes) With(c keypath.Class) Classes { return s | 1<<c }

// Has reports whether a class is in the set.
func (s Classes) Has(c keypath.Class) bool { return s&(1<<c) != 0 }

// Sees reports whether the caller may see the records of a realm. Hidden records are as if absent:
// they count in no statistics, and have no neighbors.
func (w Where) Sees(r keypath.Realm) bool {
	return (r.Class.IsOpenToAll() || w.Classes.Has(r.Class)) &&
		(r.Owner == "" || r.Owner == w.Agent) &&
		(w.Cleared == 0 || w.Cleared.Has(r.Label))
}

// Shows reports whether the caller sees the records of a realm, and they are not left out.
func (w Where) Shows(r keypath.Realm) bool { return w.Sees(r) && !w.Without.Has(r.Class) }

// TagRule is one condition on tags: a memory has one of Any, or with Not none of them.
type TagRule struct {
	Any []string
	Not bool
}

// AllFields reports whether there are no conditions on prefix, time and fields. There may be some
// on classes (Classes, Without) and on single records (Shadowed, Superseded, Written, Accept).
func (w Where) AllFields() bool {
	return w.Prefix == (keypath.Prefix{}) && !w.Chooses() && !w.Rules
}

// Chooses reports whether there are conditions on types, tags, time or importance.
func (w Where) Chooses() bool { return w.Narrow() || len(w.Tags) > 0 }

// Holds reports whether a memory that was written at ts meets the conditions on its time and its
// fields. Prefix and Classes are conditions on its key, which the search itself keeps: it only
// looks below the one, and asks [Where.Shows] about the other.
func (w Where) Holds(ts log.Stamp, f content.Fields) bool {
	at := f.Time(ts)
	if w.Since != nil && at < *w.Since || w.Until != nil && at > *w.Until || f.Expired(w.Now) ||
		f.Importance < w.MinImportance || w.Rules && !f.IsRule() {
		return false
	}
	if !w.HasType(f.Type) {
		return false
	}
	return !slices.ContainsFunc(w.Tags, func(r TagRule) bool { return r.matches(f.Tags) == r.Not })
}

// Accepts reports what the conditions on single records say of one: Shadowed, and [Where.Takes].
func (w *Where) Accepts(rec log.Record) bool {
	return (w.Shadowed == nil || !w.Shadowed(rec.Key)) && w.Takes(rec)
}

// Takes reports what the conditions that need the whole record say of one, and Written: Superseded
// and Accept.
func (w *Where) Takes(rec log.Record) bool {
	return !w.IsOld(rec.TS) && (w.Superseded || content.Successor(rec.Content) == "") &&
		(!w.Asks(rec.Key.Class()) || w.Accept(rec))
}

// IsOld reports whether a version was written before Written.
func (w *Where) IsOld(ts log.Stamp) bool { return w.Written != 0 && ts < w.Written }

// Asks reports whether Accept is asked about records of a class.
func (w *Where) Asks(c keypath.Class) bool {
	return w.Accept != nil && (w.AcceptOf == 0 || w.AcceptOf.Has(c))
}

// HasType reports whether memories of a type meet the condition on types.
func (w *Where) HasType(kind string) bool {
	same := func(t string) bool { return strings.EqualFold(t, kind) }
	return len(w.Types) == 0 || slices.ContainsFunc(w.Types, same)
}

// matches reports whether one of the tags is one of those asked for, or lies below it:
// security.authentication below security.
func (r TagRule) matches(tags []string) bool {
	for _, tag := range tags {
		for _, want := range r.Any {
			if len(tag) >= len(want) && strings.EqualFold(tag[:len(want)], want) &&
				(len(tag) == len(want) || tag[len(want)] == '.') {
				return true
			}
		}
	}
	return false
}
