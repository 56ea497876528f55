package policy

import (
	"fmt"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
)

// MaxList is how many entries a list of one request may have: the work for it grows with them.
const MaxList = 1_000

// CheckLength refuses more of something than one request may have. It is an ErrInput.
func CheckLength(what string, has, most int, unit string) error {
	if has <= most {
		return nil
	}
	return fault.Input(what, fmt.Sprintf("%d %s, at most %d", has, unit, most),
		advice.Say("ask for less at once"))
}

// CheckList refuses a list with more than [MaxList] entries.
func CheckList(what string, entries int) error {
	return CheckLength(what, entries, MaxList, "entries")
}
