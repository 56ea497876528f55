package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/log"
)

// clean replaces the segments that hold lines which were purged, or retired. Where a mark is new
// all are looked at, else those that were fetched: another machine may have sent such a line before
// it met the mark.
func (x *exchange) clean() error {
	if len(x.marks)+len(x.retired) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(x.seen.segments))
	if !x.fresh && len(x.retired) == 0 {
		names = slices.Sorted(maps.Keys(x.read))
	}
	for _, name := range names {
		if x.seen.segments[name] == elsewhere {
			continue
		}
		s, err := x.open(name)
		switch {
		case errors.Is(err, depot.ErrNoServer):
			return err
		case err != nil:
			continue // another machine replaced it, or it was reported when it was fetched
		case !slices.ContainsFunc(s.lines, x.goes):
			continue
		}
		if err := x.replace([]*segment{s}); err != nil {
			return err
		}
		x.rep.Cleaned++
	}
	return nil
}

// goes reports whether a line goes from the depot. One whose purge is ahead of the clock, and not
// sent, goes once: machines that do not know of it give the line back each time.
func (x *exchange) goes(e log.Envelope) bool {
	id := e.Identity()
	return x.isPurged(e) && (x.marks[e.Key].known || x.had[id]) || x.retired[id]
}

// replace writes the lines of some segments anew, without the purged ones, and removes the old
// ones: a crash between leaves lines in two segments, which is as one.
func (x *exchange) replace(old []*segment) error {
	lines := map[log.Identity]log.Envelope{}
	for _, s := range old {
		for _, e := range s.lines {
			id := e.Identity()
			if !x.goes(e) {
				lines[id] = e
				continue
			}
			if err := x.removeFileOf(e); err != nil {
				return err
			}
			delete(x.seen.lines, id)
			delete(x.seen.late, id)
			for _, mark := range x.unreadMarks(e) {
				lines[mark.Identity()] = mark
			}
		}
	}
	if len(lines) > 0 {
		list := slices.SortedFunc(maps.Values(lines), inTime)
		if err := x.put(list); err != nil {
			return err
		}
	}
	for _, s := range old {
		if err := x.Place.Remove(s.name); err != nil {
			return &PlaceError{err}
		}
		delete(x.seen.segments, s.name)
	}
	return nil
}

// unreadMarks returns the marks that take a line which came to the depot though that had them: its
// machine cannot read their segment, and would send it again.
func (x *exchange) unreadMarks(e log.Envelope) []log.Envelope {
	if x.fresh || !x.isPurged(e) {
		return nil
	}
	return x.marks[e.Key].marks
}

// inTime compares lines by their times: the same ones make the same segment.
func inTime(a, b log.Envelope) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), bytes.Compare(a.Line(), b.Line()))
}

// Where there are maxSmall segments of fewer than smallLines, they are merged into one.
const (
	maxSmall   = 100
	smallLines = 100
)

// mergeSmall merges many small segments, so that a new machine does not open thousands.
func (x *exchange) mergeSmall() error {
	var small []*segment
	for _, name := range slices.Sorted(maps.Keys(x.seen.segments)) {
		if lines := x.seen.segments[name]; lines >= 0 && lines < smallLines {
			small = append(small, &segment{name: name})
		}
	}
	if len(small) < maxSmall {
		return nil
	}
	whole, lines, size := small[:0], 0, 0
	for _, s := range small {
		s, err := x.open(s.name)
		switch {
		case errors.Is(err, depot.ErrNoServer):
			return err
		case err != nil:
			continue
		}
		for _, e := range s.lines {
			size += sizeOf(e)
		}
		if lines += len(s.lines); lines > maxLines || size > maxBytes {
			break
		}
		whole = append(whole, s)
	}
	if len(whole) < 2 {
		return nil
	}
	return x.replace(whole)
}
