package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/log"
)

// week is after how long a machine that has nothing to send sends an empty segment.
const week = log.Stamp(7 * 24 * time.Hour / time.Microsecond)

// maxLines and maxBytes are the greatest sizes of a segment that is written.
const (
	maxLines = 20000
	maxBytes = 16 << 20
)

// send gives the depot the lines that it lacks.
func (x *exchange) send() error {
	lines := slices.DeleteFunc(x.unsent, func(e log.Envelope) bool {
		return x.isPurged(e) || x.seen.lines[e.Identity()]
	})
	marked := map[log.Identity]bool{}
	for _, e := range lines {
		if x.isMarked(e) {
			marked[e.Identity()] = true
		}
	}
	isNamed := slices.Equal(x.seen.Identities, x.Identities)
	if now := x.op.Now(); len(lines) == 0 && (now > x.seen.Own+week || !isNamed) {
		return x.put(nil, nil) // the others see that this machine takes part, and under which names
	}
	for len(lines) > 0 {
		n, size := 0, 0
		for n < len(lines) && n < maxLines && size < maxBytes {
			size += sizeOf(lines[n])
			n++
		}
		if err := x.put(lines[:n], marked); err != nil {
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

// put writes a segment.
func (x *exchange) put(lines []log.Envelope, marked map[log.Identity]bool) error {
	name, err := x.seal(&segment{lines: lines, marked: marked})
	if err != nil {
		return err
	}
	x.seen.segments[name] = len(lines)
	for _, e := range lines {
		if id := e.Identity(); x.local[id] {
			x.seen.lines[id] = true
		} else {
			x.seen.segments[name] = unsettled // a line waits
		}
	}
	return nil
}

// seal stores a segment at the depot and returns its name there.
func (x *exchange) seal(s *segment) (name string, err error) {
	s.V, s.Scope, s.Project, s.Identity = 1, x.Scope, x.Project, x.Identity
	s.Identities = x.Identities
	s.Machine, s.Name, s.At = x.Machine.ID, x.Machine.Name, x.op.Now().String()
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
	return depot.NameOf(sealed), nil
}
