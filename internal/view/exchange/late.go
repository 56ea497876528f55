package exchange

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// See the package comment for lines from the future.

// maxAhead is how far the clock of a line may be ahead; headLasts is how long the head of a machine
// says how late it is, or one that is gone would say so for ever.
const (
	maxAhead  = log.Day
	headLasts = 7 * log.Day
)

// Late says what becomes of the lines that wait.
type Late int

// An exchange keeps them waiting, takes them in or drops them for good on this machine.
const (
	Keep Late = iota
	Take
	Drop
)

// arrived is a line of a segment that is to be folded in.
type arrived struct {
	log.Envelope
	from places.Machine
	late log.Identity // of the line that waited; zero: it did not
}

// clock returns the time by the machine's own clock.
func (x *exchange) clock() log.Stamp { return log.StampOf(x.Clock()) }

// setLimit sets the time up to which lines are taken: a day after that of the machine's clock, or
// after a later one that a person or two other machines name (see the package comment).
func (x *exchange) setLimit() {
	if x.limit == math.MaxInt64 {
		return
	}
	x.limit = max(x.op.Now(), x.clock()) + maxAhead
	var later []log.Stamp
	for id, m := range x.seen.Machines {
		if m.Heard == 0 || m.Heard > x.clock() { // heard just now, or by a clock set back since
			m.Heard = x.clock()
			x.seen.Machines[id] = m
		}
		if m.At > x.limit && x.clock()-m.Heard <= headLasts {
			later = append(later, m.At)
		}
	}
	x.seen.Behind = 0
	if slices.Sort(later); len(later) > 1 {
		x.seen.Behind = later[len(later)-2]
		x.limit = x.seen.Behind + maxAhead
	}
}

// frees reports whether lines that waited may enter now, so that their segments are read again.
func (x *exchange) frees() bool {
	if x.Late != Keep {
		return len(x.seen.late) > 0
	}
	return x.seen.Behind > 0 &&
		slices.ContainsFunc(slices.Collect(maps.Values(x.seen.late)), func(w waiting) bool {
			return w.ts <= x.limit
		})
}

// admit sorts the lines of the fetched segments into those that enter and those that wait.
func (x *exchange) admit() error {
	x.arrived = nil
	x.endTaken()
	x.noteMarks()
	if err := x.mayTake(); err != nil {
		return err
	}
	met, late := map[log.Identity]bool{}, map[log.Identity]bool{}
	for _, s := range x.fetched {
		from := places.Machine{ID: s.Machine, Name: s.Name}
		for _, e := range s.lines {
			id := e.Identity()
			met[id] = true
			switch x.fateOf(e, id) {
			case fateReplaced:
				x.retire(id)
			case fateSetAside:
				x.retired[id] = true
				delete(x.seen.late, id)
			case fateGone:
				delete(x.seen.late, id)
			case fateWaits:
				x.seen.segments[s.name] = unsettled
				x.wait(e, id, from)
			case fateDropped:
				delete(x.seen.late, id)
				x.future.end(id, true)
				x.rep.Dropped++
			case fateTaken:
				if !late[id] { // else it is in another segment, too
					late[id] = true
					x.arrived = append(x.arrived, arrived{Envelope: e, from: from, late: id})
				}
			case fateEnters:
				if x.local[id] {
					delete(x.seen.late, id)
				}
				x.arrived = append(x.arrived, arrived{Envelope: e, from: from})
			}
		}
	}
	x.redate()
	// All lines that wait were read: one that is gone waits no longer.
	if (x.anew || x.free) && !x.more && !slices.ContainsFunc(
		slices.Collect(maps.Keys(x.rejected)), x.isUnsettled) {
		maps.DeleteFunc(x.seen.late, func(id log.Identity, _ waiting) bool { return !met[id] })
	}
	x.seen.clearUnsettled()
	return nil
}

// wait notes a line that waits.
func (x *exchange) wait(e log.Envelope, id log.Identity, from places.Machine) {
	isPurge := content.IsPurgeMark(log.Record{Envelope: e})
	x.seen.late[id] = waiting{e.TS, cmp.Or(from.ID, "-"), isPurge}
	x.future.wait(id)
	if isPurge {
		held := x.held[e.Key]
		held.Add(content.ReachOf(x.asTaken(e)))
		x.held[e.Key] = held
	}
}

// asTaken returns a line that waits as it would be if a person took it now.
func (x *exchange) asTaken(e log.Envelope) log.Envelope {
	if e.TS > x.limit {
		return content.Redated(e, max(x.op.Now(), x.seen.Behind), x.limit)
	}
	return e
}

// isHeld reports whether a line is one that a purge which waits takes. It is not sent: the machine
// of the purge takes it out of the depot each time. Where that is gone from the depot, with its
// segment, all are read again, and the depot gets the line.
func (x *exchange) isHeld(e log.Envelope) bool {
	reach, ok := x.held[e.Key]
	return ok && reach.Takes(e)
}

// fate is what becomes of a line of a fetched segment.
type fate int

const (
	fateEnters   fate = iota
	fateWaits         // for the clock, or for a person
	fateTaken         // it waited, or would, and a person or a better clock takes it
	fateDropped       // by a person, now; never a purge, or its text would be back
	fateReplaced      // another line has been taken in its place
	fateSetAside      // fsck --repair has put another line in its place
	fateGone          // dropped earlier, or purged
)

// fateOf returns the fate of a line, and changes nothing.
func (x *exchange) fateOf(e log.Envelope, id log.Identity) fate {
	isAhead := e.TS > x.limit
	switch {
	case !x.local[id] && x.taken.Has(id, e.TS):
		return fateReplaced
	case x.future.dropped[id]:
		return fateGone
	case isAhead && x.isSetAside(e, id):
		return fateSetAside
	case x.isPurged(e) && !x.local[id]:
		return fateGone
	case x.local[id], !isAhead && !x.future.waited[id]:
		return fateEnters
	case x.Late == Drop && !content.IsPurgeMark(log.Record{Envelope: e}):
		return fateDropped
	case x.Late == Take, !isAhead && x.seen.Behind > 0:
		return fateTaken
	}
	return fateWaits
}

// noteTaken notes that a line which waited was folded in: under its own time, or with a time of
// now. Then the depot gets that one in its place, or a machine that joins later would take both.
func (x *exchange) noteTaken(a arrived) {
	isRedated := a.Identity() != a.late
	delete(x.seen.late, a.late)
	x.future.end(a.late, isRedated)
	if x.rep.Taken++; isRedated {
		x.retired[a.late] = true
		delete(x.seen.lines, a.Identity())
		x.unsent = append(x.unsent, a.Envelope)
	}
}

// isSetAside reports whether a line is one that fsck --repair has put another line in the place of:
// this copy had it, and quarantine/ has it. It goes from the depot.
func (x *exchange) isSetAside(e log.Envelope, id log.Identity) bool {
	if !x.lost[id] {
		return false
	}
	if x.aside == nil {
		x.aside = readQuarantine(filepath.Join(x.Store.RealPath(), log.QuarantineDir))
	}
	return x.retired[id] || bytes.Contains(x.aside, e.Line())
}

// readQuarantine returns what the files in quarantine/ hold, as far as they can be read.
func readQuarantine(dir string) []byte {
	text := []byte{'\n'}
	names, _ := os.ReadDir(dir) // of a store that has none: nothing
	for _, name := range names {
		if data, err := os.ReadFile(filepath.Join(dir, name.Name())); err == nil {
			text = append(append(text, data...), '\n')
		}
	}
	return text
}

// waiting returns the lines that wait, by machine.
func (x *exchange) waiting() (list []places.Late) {
	by := map[string]*places.Late{}
	for _, w := range x.seen.late {
		one := by[w.machine]
		if one == nil {
			m := x.seen.Machines[w.machine]
			if w.machine == x.Machine.ID {
				m = x.Machine
			}
			m.ID = w.machine
			one = &places.Late{Machine: m}
			by[w.machine] = one
		}
		if one.Lines, one.TS = one.Lines+1, max(one.TS, w.ts); w.isPurge {
			one.Purges++
		}
	}
	for _, one := range by {
		list = append(list, *one)
	}
	slices.SortFunc(list, func(a, b places.Late) int {
		return strings.Compare(a.Machine.ID, b.Machine.ID)
	})
	return list
}
