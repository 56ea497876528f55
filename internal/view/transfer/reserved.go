package transfer

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/session"
)

// foldReserved returns bad lines with one for all those that another verb would write: a backup may
// have thousands, and one --force lets all of them in.
func foldReserved(bad []*mem.LineError) (folded []*mem.LineError) {
	var first *mem.LineError
	more := 0
	for _, line := range bad {
		var reserved *policy.ReservedError
		switch {
		case !errors.As(line.Err, &reserved) || reserved.Verb == "":
			folded = append(folded, line)
		case first == nil:
			kept := *line
			first = &kept
			folded = append(folded, first)
		default:
			more++
		}
	}
	if more > 0 {
		first.Err = fmt.Errorf("%w (and %d more like it)", first.Err, more)
	}
	return folded
}

// isBadRecord refuses a record of a session that mem remember would refuse.
func (im *incoming) isBadRecord(w mem.Checked) bool {
	err := session.CheckContent(w.Envelope())
	if err == nil || im.o.Force {
		return false
	}
	im.refuse(im.from.Path, 0, fmt.Errorf("%s: %w", w.Key().Shown(), err))
	return true
}
