package policy

import (
	"fmt"

	"github.com/set-memory/mem/internal/base/advice"
)

// MaxList is how many entries a list of one request may have: the work for it grows with them.
const MaxList = 1_000

// LengthError refuses a request that has more of something than one may have; errors.Is(err,
// ErrInput) holds.
type LengthError struct {
	What      string // that is too long
	Has, Most int
	Unit      string
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%s: %d %s, at most %d", e.What, e.Has, e.Unit, e.Most)
}

// Is makes every LengthError an ErrInput.
func (e *LengthError) Is(target error) bool { return target == ErrInput }

// Advice returns what to do.
func (e *LengthError) Advice() advice.List {
	return advice.Say("ask for less at once")
}

// CheckLength refuses more of something than one request may have. The error is a [*LengthError].
func CheckLength(what string, has, most int, unit string) error {
	if has <= most {
		return nil
	}
	return &LengthError{what, has, most, unit}
}

// CheckList refuses a list with more than [MaxList] entries.
func CheckList(what string, entries int) error {
	return CheckLength(what, entries, MaxList, "entries")
}
