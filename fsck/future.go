package fsck

import (
	"fmt"

	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A ts that lies ahead of the clock was written by a clock that was ahead, or is looked at by one
// that is behind. Which of the two, only the records themselves can tell: stamps grow with the log,
// so a time is agreed on when a later line is newer by more than the microsecond that mem itself
// adds (the clock has passed it), or when the name of the archive that holds it says so. A clock
// that is behind what is agreed on is wrong, and accuses nobody.

// futureSlack is how far ahead a ts may lie: clocks differ, and time zones get confused.
const futureSlack = log.Stamp(24 * 3600 * 1e6)

// clockStep is by how much a line must be newer than those before it to show that a clock has
// passed these: more than the microseconds by which a batch of many lines is stamped.
const clockStep = log.Stamp(2e6)

// clockJudge looks at the times of one segment.
type clockJudge struct {
	c      *Checker
	limit  log.Stamp
	before log.Stamp // newest ts of the lines before
}

func (j *clockJudge) see(rec log.Record, at Finding) {
	if rec.TS > j.before+clockStep {
		j.c.agree(j.before)
	}
	j.before = max(j.before, rec.TS)
	if rec.TS > j.limit {
		at.Check, at.Name, at.Detail = checkFuture.ID, checkFuture.Name, fmt.Sprintf("ts %s", rec.TS)
		j.c.ahead = append(j.c.ahead, at)
		return
	}
	j.c.newest = max(j.c.newest, rec.TS)
}

func (c *Checker) agree(ts log.Stamp) { c.agreed = max(c.agreed, ts) }

// judgeFuture makes findings of the records that are ahead of the clock (F04), unless the clock is
// behind the store.
func (c *Checker) judgeFuture() {
	if _, behind := c.ClockBehind(); !behind {
		c.findings = append(c.findings, c.ahead...)
		c.ahead = nil
	}
}

// ClockBehind reports whether the clock is behind the store: archives and neighbours agree on a
// newer time, which is returned.
func (c *Checker) ClockBehind() (log.Stamp, bool) {
	return c.agreed, !c.TrustClock && c.agreed > log.StampOf(c.Now)+futureSlack
}

// Ahead returns how many records are ahead of a clock that is behind.
func (c *Checker) Ahead() int { return len(c.ahead) }

// newestOf returns the newest record that log and archives have of a key.
func (c *Checker) newestOf(key keypath.Key) (log.Record, bool, error) {
	rec, known := c.fold[key]
	return rec, known, nil
}
