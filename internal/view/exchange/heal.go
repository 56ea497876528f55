package exchange

import (
	"errors"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// A segment that rots at the depot is read by nobody. The machine that cannot read it for a day
// says so in the head of its next segment; one that knows it, and cannot read it either, removes
// it. Then it is as one that somebody has taken away: the lines that the depot lacks are sent
// again. One that no machine has read stays, and is named.

// patience is how long a segment may be unreadable, while a program copies it.
const patience = log.Day

// reject notes a segment that cannot be read.
func (x *exchange) reject(name string, err error) {
	if x.rejected[name] {
		return
	}
	x.rejected[name] = true
	x.rep.Rejected = append(x.rep.Rejected, Fault{name, err.Error()})
	if x.SeenFile == "" {
		return // no file keeps since when it cannot be read
	}
	now := log.StampOf(x.Clock())
	// A clock that was ahead, and is right again, would have it wait until then.
	if one, known := x.seen.Unread[name]; !known || one.Since > now {
		x.seen.Unread[name] = places.Unread{Since: now, Why: err.Error()}
	}
}

// isUnread reports whether a segment cannot be read as far as is known.
func (x *exchange) isUnread(name string) bool {
	return x.rejected[name] || x.isUnsettled(name) && !x.read[name]
}

// isUnsettled reports whether lines wait in a segment.
func (x *exchange) isUnsettled(name string) bool { return x.seen.segments[name] == unsettled }

// unread returns the segments that this machine cannot read for a day. The exchange of the user's
// own memory names them for all, but for those in which lines of another one wait, and those that
// it may have sent itself.
func (x *exchange) unread() (names []string) {
	for name, one := range x.seen.Unread {
		wait := patience
		if !x.names(name) {
			wait += patience / 2
		}
		if x.isUnread(name) && log.StampOf(x.Clock()) > one.Since+wait {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// names reports whether this exchange is the one that is to name a segment.
func (x *exchange) names(name string) bool { return x.Scope == User || x.isUnsettled(name) }

// complains reports whether there are segments of unread that the other machines do not know, or
// know for a day: the one that can heal them may have had lines waiting in there.
func (x *exchange) complains() bool {
	isLong := x.at() > x.seen.Own+patience
	return slices.ContainsFunc(x.unread(), func(name string) bool {
		return isLong && x.names(name) || !slices.Contains(x.seen.Told, name)
	})
}

// isRotten reports whether an error is about the bytes of a segment: not about the disk or the
// network, which may be in order tomorrow.
func isRotten(err error) bool {
	_, isOfPlace := errors.AsType[*PlaceError](err)
	return err != nil && (!isOfPlace || errors.Is(err, depot.ErrTorn))
}

// heal removes the segments that another machine cannot read and this one knows and cannot read
// either. A crash after a removal leaves a segment that is gone: the next exchange sends its lines.
func (x *exchange) heal() error {
	for _, name := range slices.Sorted(maps.Keys(x.suspect)) {
		if lines, known := x.seen.segments[name]; !known || lines < 0 {
			continue // lines that wait are nowhere else
		}
		if _, err := x.open(name); !isRotten(err) {
			continue // a program has copied it meanwhile, or nobody can tell
		}
		if err := x.Place.Remove(name); err != nil {
			return &PlaceError{err}
		}
		x.rep.Healed++
	}
	clear(x.suspect)
	maps.DeleteFunc(x.seen.Unread, func(name string, _ places.Unread) bool {
		return !x.more && !x.isUnread(name)
	})
	if x.rep.Healed == 0 {
		return nil
	}
	return x.fetch()
}
