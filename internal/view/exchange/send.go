package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
)

// maxLines and maxBytes are the greatest sizes of a segment that is written.
const (
	maxLines = 20000
	maxBytes = 4 << 20 // so that an exchange of a few seconds gets on by one at least
)

// survey reads the history of this copy, from the start each time.
func (x *exchange) survey() error {
	x.ahead, x.unsent, x.own = nil, nil, nil
	clear(x.local)
	return x.Store.Everything(x.ctx, func(rec log.Record) error {
		id := rec.Identity()
		if x.local[id] {
			return nil
		}
		x.local[id] = true
		x.plain = x.plain || note.IsPlain(rec.Key)
		if content.IsPurgeMark(rec) {
			x.own = append(x.own, rec.Envelope.Clone())
		}
		x.taken.Note(rec.Envelope)
		if rec.TS <= x.limit {
			x.newest = max(x.newest, rec.TS)
		} else if x.travels(rec) {
			x.ahead = append(x.ahead, rec.Envelope.Clone())
		}
		if x.travels(rec) && !x.seen.lines[id] {
			x.unsent = append(x.unsent, rec.Envelope.Clone())
		}
		return nil
	})
}

// send stores the lines that the depot lacks there.
func (x *exchange) send() error {
	x.rep.Ahead = x.countAhead()
	lines := slices.DeleteFunc(x.unsent, func(e log.Envelope) bool {
		id := e.Identity()
		if x.isHeld(e) {
			x.seen.lines[id] = true
		}
		return e.TS > x.limit || x.isPurged(e) || x.taken.Has(id, e.TS) || x.seen.lines[id]
	})
	isNamed := slices.Equal(x.seen.Identities, x.Identities)
	now := x.op.Now()
	// A clock that was ahead is right again where this machine's last segment is of a later time.
	isDue := now > x.seen.Own+headLasts || now < x.seen.Own
	if len(lines) == 0 && (isDue || !isNamed || x.complains()) {
		return x.put(nil) // the others see that this machine takes part, and under which names
	}
	for len(lines) > 0 {
		if err := x.reading.Err(); err != nil {
			return cmp.Or(x.keep(), err)
		}
		n, size := 0, 0
		for n < len(lines) && n < maxLines && size < maxBytes {
			size += sizeOf(lines[n])
			n++
		}
		if err := x.put(lines[:n]); err != nil {
			return err
		}
		x.rep.Sent += n
		lines = lines[n:]
	}
	return nil
}

// sizeOf returns about how many bytes a line has.
func sizeOf(e log.Envelope) int {
	return len(e.Content) + len(e.Source) + len(e.Key.String()) + 200
}

// at returns the time of a segment: that of the command, but never ahead of the machine's clock.
func (x *exchange) at() log.Stamp { return min(x.op.Now(), log.StampOf(x.Clock())) }

// put stores lines at the depot as one segment, and notes that it has them.
func (x *exchange) put(lines []log.Envelope) error {
	name, err := x.deposit(&segment{lines: lines})
	if err != nil {
		return err
	}
	x.seen.segments[name] = len(lines)
	for _, e := range lines {
		id := e.Identity()
		if x.local[id] {
			x.seen.lines[id] = true
		}
		if _, waits := x.seen.late[id]; waits {
			x.seen.segments[name] = unsettled
		}
	}
	return nil
}

// deposit seals a segment, stores it at the depot and returns its name there.
func (x *exchange) deposit(s *segment) (name string, err error) {
	s.V, s.Scope, s.Project, s.Identity = 1, x.Scope, x.Project, x.Identity
	s.Identities = x.Identities
	s.Machine, s.Name, s.At = x.Machine.ID, x.Machine.Name, x.at().String()
	s.Unread = x.unread()
	plain, err := s.encode()
	if err != nil {
		return "", err
	}
	sealed, err := x.Key.Seal(x.Place.Info().ID, plain)
	if err != nil {
		return "", err
	}
	if err := x.Place.Put(sealed); err != nil {
		return "", &PlaceError{fmt.Errorf("%s not sent: %w", cmp.Or(s.File, "lines"), err)}
	}
	x.rep.Bytes += int64(len(sealed))
	x.seen.Own, x.seen.Identities = x.op.Now(), x.Identities
	x.seen.Told = s.Unread
	return depot.NameOf(sealed), nil
}
