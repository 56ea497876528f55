package policy

import (
	"time"

	"github.com/set-memory/mem/internal/store/backend"
)

// aDay is how far clocks differ that are only set differently.
const aDay = 24 * time.Hour

// WhyNotAt returns why a caller may not run an operation at a time that it names in place of the
// clock's; "" where it may. A later time ends what has not expired, and a much earlier one gives
// wrong ages to lines: a person may want that. Over HTTP the server's clock counts.
func WhyNotAt(c backend.Caller, verb Verb, at, clock time.Time) string {
	isPerson := IsPerson(c)
	switch {
	case at.After(clock) && isPerson && c.Channel == "http":
		return "it is later than the clock of the server"
	case isPerson:
		return ""
	case at.After(clock):
		return "it is later than the clock, and " + program(c) + " runs this"
	case verb.rights&ages != 0 && clock.Sub(at) > aDay:
		return "it is more than a day before the clock, and " + program(c) + " runs " + verb.name
	}
	return ""
}
