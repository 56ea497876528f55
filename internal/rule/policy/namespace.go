package policy

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Audience names the callers that see the records of a namespace without naming their keys.
type Audience int

// From everybody to nobody.
const (
	Everybody Audience = iota
	Searchers          // gets and searches; a page of memories only below a prefix of its own
	Listers            // lists and exports; no search and no page
	Below              // lists and searches below a prefix of its own, exports and counts
	ItsAgent           // the agent in the key, on no page; to all others it is not there
	Nobody             // only a caller that names the key
)

// Namespace is one row of the table of namespaces: the special rules for the keys of a class.
type Namespace struct {
	Class    keypath.Class
	Prefixes []string // where its keys are; not all that is below need be of the class
	Audience Audience
	// Todo returns how to write there: only the operations whose row names the class do (see
	// [Verb]). nil: every operation does.
	Todo func() advice.List

	AppendOnly bool // nothing takes the place of a memory, or deletes it, but a purge
}

var namespaces = []Namespace{
	{Class: keypath.Quarantined, Prefixes: []string{keypath.Untrusted}, Audience: Nobody},
	{Class: keypath.Personal, Prefixes: keypath.PersonalPrefixes(), Audience: Everybody},
	{Class: keypath.Session, Prefixes: []string{keypath.SessionNotes}, Audience: Everybody},
	{Class: keypath.Private, Prefixes: []string{keypath.AgentPrefix}, Audience: ItsAgent,
		Todo: func() advice.List {
			return advice.Run("journal", "TEXT").Then(" and ").Run("core", "TEXT").
				Then(" store one")
		}},
	{Class: keypath.Remembered, Prefixes: []string{keypath.Sessions}, Audience: Searchers,
		Todo: func() advice.List {
			return advice.Run("remember", "SESSION", "TEXT").Then(" stores one, ").
				Run("forget").Then(" deletes it")
		}},
	{Class: keypath.SessionInfo, Prefixes: []string{keypath.Sessions}, Audience: Listers,
		Todo: func() advice.List {
			return advice.Run("session create").Then(" makes one")
		}},
	{Class: keypath.Event, Prefixes: []string{keypath.Events}, Audience: Below, AppendOnly: true,
		Todo: func() advice.List {
			return advice.Run("event").Then(" records one, ").
				Run("forget", "--purge").Then(" takes one out")
		}},
	{Class: keypath.Artifact, Prefixes: []string{keypath.Artifacts}, Audience: Below,
		AppendOnly: true,
		Todo: func() advice.List {
			return advice.Run("artifact add").Then(" keeps one, ").
				Run("forget", "--purge").Then(" takes one out")
		}},
	{Class: keypath.Handoff, Prefixes: []string{keypath.Handoffs}, Audience: Below},
	{Class: keypath.File, Prefixes: []string{keypath.Files}, Audience: Below},
}

// Namespaces returns the table. Keys that no row is for are open to everybody.
func Namespaces() []Namespace { return slices.Clone(namespaces) }

// IsAppendOnly reports whether only a purge removes a memory of a class.
func IsAppendOnly(class keypath.Class) bool {
	return slices.ContainsFunc(namespaces, func(ns Namespace) bool {
		return ns.Class == class && ns.AppendOnly
	})
}

// Classes returns the classes besides the open one that a caller is shown by itself where it
// searches all that is stored. A condition with them has Where.Agent too, see [ForSearch].
func Classes(c backend.Caller) backend.Classes {
	return listed(c) &^ classes(func(ns Namespace) bool {
		return ns.Audience == Listers || ns.Audience == Below
	})
}

// classesBelow returns the classes that lists and searches show only below a prefix like this one.
func classesBelow(prefix keypath.Prefix) backend.Classes {
	return classes(func(ns Namespace) bool { return ns.Audience == Below && ns.holds(prefix) })
}

func listed(c backend.Caller) backend.Classes {
	return classes(func(ns Namespace) bool {
		return ns.Audience != Nobody && (ns.Audience != ItsAgent || c.Agent != "")
	})
}

func classes(shown func(Namespace) bool) (set backend.Classes) {
	for _, ns := range namespaces {
		if shown(ns) {
			set = set.With(ns.Class)
		}
	}
	return set
}

// ForSearch returns the conditions of a search with what its caller may be shown.
func ForSearch(c backend.Caller, w backend.Where) backend.Where {
	w.Classes, w.Agent = Classes(c)|classesBelow(w.Prefix), c.Agent
	return w
}

// ForPage returns the conditions of a page of memories for its caller: it shows less than a search,
// except by its prefix, and no agent's own records, which have a page of their own.
func ForPage(c backend.Caller, w backend.Where) backend.Where {
	w = ForSearch(c, w)
	w.Classes &= classes(func(ns Namespace) bool {
		return ns.Audience != ItsAgent && (ns.Audience != Searchers || ns.holds(w.Prefix))
	})
	return w
}

// ForStart returns the conditions of the page that begins a conversation: as [ForPage], and with
// the handoffs to its agent. Of those of the user's layer it has those that name the project
// ([OfProject]); sealed ones have no text.
func ForStart(c backend.Caller, w backend.Where, project string) backend.Where {
	w = ForPage(c, w)
	if c.Agent == "" {
		return w
	}
	asked := w
	w.Classes = w.Classes.With(keypath.Handoff)
	if asked.Accept == nil || asked.AcceptOf != 0 { // else it is asked of all
		w.AcceptOf = asked.AcceptOf.With(keypath.Handoff)
	}
	w.Accept = func(rec log.Record) bool {
		if rec.Key.Class() == keypath.Handoff {
			return strings.HasSuffix(rec.Key.String(), "/"+c.Agent) &&
				(rec.Layer != UserLayer || project != "" && projectOf(rec.Source) == project) &&
				!IsSensitive(rec)
		}
		return !asked.Asks(rec.Key.Class()) || asked.Accept(rec)
	}
	return w
}

// OfProject returns a source that names the project of a record in the user's store.
func OfProject(source []byte, project string) []byte {
	locator := jsontext.ParseMembers(content.Member(source, "locator"))
	locator = locator.With("project", jsontext.AppendString(nil, project))
	return jsontext.ParseMembers(source).With("locator", locator.Object()).Object()
}

func projectOf(source []byte) string {
	return jsontext.Unquote(content.Member(content.Member(source, "locator"), "project"))
}

// holds reports whether a prefix lies below one of the namespace's.
func (ns *Namespace) holds(prefix keypath.Prefix) bool {
	return slices.ContainsFunc(ns.Prefixes, func(p string) bool {
		return cutNamespace(p, prefix.String()) != ""
	})
}

// holdsKey reports whether a key lies below one of the namespace's prefixes.
func (ns *Namespace) holdsKey(key keypath.Key) bool {
	return slices.ContainsFunc(ns.Prefixes, func(p string) bool {
		return cutNamespace(p, key.String()) != ""
	})
}

// OnPage reports whether a key that a search shows may also stand on a page of what lies below a
// prefix, see [ForPage]. The identity of an agent is on its own pages alone.
func OnPage(c backend.Caller, below keypath.Prefix, key keypath.Key) bool {
	return !DescribesOther(c, key) && ForPage(c,
		backend.Where{Conditions: backend.Conditions{Prefix: below}}).Shows(key.Realm())
}

// Permits reports whether a caller may see a key at all, even if it names it: for all other agents,
// and for people, an agent's own records do not exist.
func Permits(c backend.Caller, key keypath.Key) bool {
	owner := key.Realm().Owner
	return owner == "" || owner == c.Agent
}

// Visible reports whether a list, an export or a count shows a memory to a caller that does not
// name its key; a search shows less ([ForSearch]), and so does browsing ([Browses]). Package
// readout refuses quarantined records once more, for every caller.
func Visible(c backend.Caller, key keypath.Key) bool {
	return backend.Where{Classes: listed(c), Agent: c.Agent}.Shows(key.Realm())
}

// Browses reports whether a caller that browses below a prefix, as ls does, sees a key: records for
// machines are shown only below a prefix of their own.
func Browses(prefix keypath.Prefix, key keypath.Key) bool {
	hidden := classes(func(ns Namespace) bool { return ns.Audience == Below })
	hidden &^= classesBelow(prefix)
	return !hidden.Has(key.Class())
}
