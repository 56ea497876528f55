package fsck

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/set-memory/mem/log"
)

// A ts that lies ahead of the clock was written by a clock that was ahead, or is looked at by one
// that is behind. The records tell which: stamps grow with the log, so a time is agreed on when a
// later line is newer by more than clockStep (mem itself adds only microseconds), so that a clock
// has passed it, or when the name of the archive that holds it says so. A clock that is behind what
// is agreed on is wrong, and accuses nobody; nor does one where nothing is agreed on. But no clock
// is behind by a century, and Checker.TrustClock overrules all of this.

// futureSlack is how far ahead a ts may lie: clocks differ, and time zones get confused.
const futureSlack = log.Day

// clockStep is by how much a line must be newer than those before it to show that a clock has
// passed these: more than the microseconds by which a batch of many lines is stamped.
const clockStep = log.Stamp(2e6) // 2 s

// clock is what the records of a store say about the clock of now.
type clock struct {
	limit   log.Stamp // newer records are ahead of the clock
	near    log.Stamp // newest time that is not ahead of it, or follows such a one directly
	agreed  log.Stamp // newest time that archives and neighbours agree on
	ahead   []ahead   // records that are ahead of the clock
	trusted bool      // it is right, whatever the records say
}

// ahead is a record that is ahead of the clock.
type ahead struct {
	Finding
	ts log.Stamp
}

// see looks at the time of a record, and the newest time in the lines before it. It reports whether
// the record is ahead of the clock.
func (k *clock) see(rec log.Record, before log.Stamp, at Finding) bool {
	if rec.TS > before+clockStep {
		k.agree(before)
	}
	if rec.TS <= k.limit {
		k.near = max(k.near, rec.TS)
		return false
	}
	at.Check, at.Name, at.Detail = checkFuture.ID, checkFuture.Name, fmt.Sprintf("ts %s", rec.TS)
	k.ahead = append(k.ahead, ahead{at, rec.TS})
	return true
}

func (k *clock) agree(ts log.Stamp) { k.agreed = max(k.agreed, ts) }

// future returns the records that are ahead of the clock, as findings (F04); none where the clock
// is behind the store, nor for records stamped directly after one that is not ahead, because the
// clock had gone back.
func (k *clock) future() (found []Finding) {
	if k.isBehind() {
		return k.absurd()
	}
	if !k.trusted {
		k.near = max(k.near, k.agreed)
	}
	byTime := slices.SortedFunc(slices.Values(k.ahead),
		func(x, y ahead) int { return cmp.Compare(x.ts, y.ts) })
	for _, a := range byTime {
		if a.ts <= k.near+clockStep {
			k.near = a.ts
		}
	}
	for _, a := range k.ahead {
		if a.ts > k.near {
			found = append(found, a.Finding)
		}
	}
	k.ahead = nil
	return found
}

// absurd returns the records that no clock which is merely behind would see ahead of it.
func (k *clock) absurd() (found []Finding) {
	const century = 100 * 365 * log.Day
	left := k.ahead[:0]
	for _, a := range k.ahead {
		if a.ts > k.limit+century {
			found = append(found, a.Finding)
		} else {
			left = append(left, a)
		}
	}
	k.ahead = left
	return found
}

// isBehind reports whether the clock may be wrong: the records agree on a newer time, or all of
// them were written within so short a time that they agree on none.
func (k *clock) isBehind() bool {
	return !k.trusted && (k.agreed > k.limit || k.agreed == log.MinStamp)
}

// ClockBehind returns how many records are ahead of a clock that may be behind, and the newest of
// their times.
func (c *Checker) ClockBehind() (records int, newest log.Stamp) {
	for _, a := range c.clock.ahead {
		newest = max(newest, a.ts)
	}
	return len(c.clock.ahead), newest
}
