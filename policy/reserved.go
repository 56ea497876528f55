package policy

import "github.com/set-memory/mem/keypath"

// ReservedError is the refusal of a key that only one verb makes.
type ReservedError struct {
	Key  keypath.Key
	Why  string
	Todo string // what to do instead
}

func (e *ReservedError) Error() string { return e.Key.Shown() + ": " + e.Why }

// Is makes every ReservedError an ErrReserved.
func (e *ReservedError) Is(target error) bool { return target == ErrReserved }

// Hint returns what to do instead.
func (e *ReservedError) Hint() string { return e.Todo }

// CheckReserved refuses a key that a write may not name by itself: one in quarantine, and the id of
// a note. stored reports whether the key holds a memory, which may be replaced in place of a note.
// The error is a *ReservedError.
func CheckReserved(key keypath.Key, stored bool) error {
	switch counter, _, numbered := key.Number(); {
	case key.Untrusted():
		return &ReservedError{key, "only what is quarantined goes under " + keypath.Untrusted,
			"write to the key itself; --on-untrusted quarantine puts it there " +
				"if provenance is due and missing"}
	case numbered && counter == "note" && !stored:
		return &ReservedError{key, "no such note, and only mem note makes one",
			"mem note TEXT stores a note under an id of its own"}
	}
	return nil
}
