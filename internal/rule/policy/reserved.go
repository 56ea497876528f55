package policy

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/keypath"
)

// ReservedError is the refusal of a key that only one verb makes.
type ReservedError struct {
	Key  keypath.Key
	Why  string
	Todo advice.List // what to do instead
	Verb string      // the verb that does not write there, where another one does; "": no verb does
}

func (e *ReservedError) Error() string { return e.Key.Shown() + ": " + e.Why }

// Is makes every ReservedError an ErrReserved.
func (e *ReservedError) Is(target error) bool { return target == ErrReserved }

// Advice returns what to do instead.
func (e *ReservedError) Advice() advice.List { return e.Todo }

// CheckVerb refuses a key whose class only other operations write. A person may force the write,
// except in append-only namespaces. The error is a *ReservedError.
func CheckVerb(key keypath.Key, verb Verb) error {
	class := key.Class()
	for _, ns := range namespaces {
		if ns.Class == class && ns.Todo != nil && !verb.writes.Has(class) {
			todo := ns.Todo()
			if verb.name == Restore.name && Restore.writes.Has(class) {
				todo = advice.Shell("--mine imports a backup of your own").Also(todo)
			}
			if verb.rights&forcible != 0 && !ns.AppendOnly {
				todo = todo.Also(advice.Shell("--force writes it"))
			}
			return &ReservedError{Key: key, Why: "mem " + verb.name + " does not write there",
				Todo: todo, Verb: verb.name}
		}
	}
	return nil
}

// checkNumber refuses a numbered key to an operation that gives no numbers.
func (f *Facts) checkNumber() error {
	if _, _, numbered := f.Key.Number(); !numbered || f.Verb.rights&numbers != 0 {
		return nil
	}
	return CheckReserved(f.Key, false)
}

// CheckAppend refuses a write that would replace or delete an append-only memory. A write under a
// key without a stored memory passes, as that of an import. The error is a *ReservedError.
func CheckAppend(key keypath.Key, content, stored []byte) error {
	switch {
	case !IsAppendOnly(key.Class()):
		return nil
	case string(content) == "null":
		return &ReservedError{Key: key, Why: "a tombstone cannot delete an event",
			Todo: advice.Run("forget", "--purge", key.Shown()).Then(" removes it for good")}
	case stored != nil:
		return &ReservedError{Key: key, Why: "it exists, and cannot be replaced",
			Todo: advice.Run("event").Then(" records a new event")}
	}
	return nil
}

// CheckReserved refuses a key that a write may not name by itself: one in quarantine, the id of a
// note, and what lies among records or entries and is none. stored reports whether the key holds a
// memory, which may be replaced, in quarantine excepted. The error is a *ReservedError.
func CheckReserved(key keypath.Key, stored bool) error {
	switch counter, _, numbered := key.Number(); {
	case key.Untrusted():
		return &ReservedError{Key: key,
			Why: "only quarantined memories go under " + keypath.Untrusted,
			Todo: advice.Say("write to the key itself").
				Also(advice.Shell("--on-untrusted quarantine puts it there if provenance is due " +
					"and missing"))}
	case !stored && isNoRecord(key):
		return &ReservedError{Key: key, Why: "it is below records, and is no key of a record",
			Todo: advice.Run("event").Then(" records an event, ").Run("artifact add").
				Then(" keeps a file")}
	case !stored && isNoEntry(key):
		return &ReservedError{Key: key,
			Why: "it is below an agent's private entries, and every agent could read it",
			Todo: advice.Run("journal", "TEXT").Then(" and ").Run("core", "TEXT").
				Then(" store private entries")}
	case numbered && counter == "note" && !stored:
		return &ReservedError{Key: key, Why: "no such note, and only mem note makes one",
			Todo: advice.Run("note", "TEXT").Then(" stores a note under an id of its own")}
	}
	return nil
}

// isNoRecord reports whether a key lies among the events or artifacts and is none of theirs: what
// is there is append-only, and nothing may pass for it.
func isNoRecord(key keypath.Key) bool {
	class := key.Class()
	for _, ns := range namespaces {
		if ns.AppendOnly && ns.holdsKey(key) {
			return class != ns.Class
		}
	}
	return false
}

// isNoEntry reports whether a key lies in the journal or the core of an agent and is no entry's:
// only entries are that agent's alone.
func isNoEntry(key keypath.Key) bool {
	part := strings.Split(key.String(), "/")
	return len(part) > 3 && "/"+part[1] == keypath.AgentPrefix &&
		(part[3] == "journal" || part[3] == "core") && key.Class() != keypath.Private
}
