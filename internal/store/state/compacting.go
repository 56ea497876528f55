package state

import (
	"context"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

// Compacting is the right to compact a store, which one process has at a time. Writers do not wait
// for it. It is a lock on a file in cache/, which says after the holder when the last compaction
// began and ended.
type Compacting struct {
	lock  *log.Lock
	dir   *disk.Dir // cache/
	clock func() time.Time
	began time.Time
}

// CompactingFile is the lock of compactions, with the times of the last one.
const CompactingFile = CacheDir + "/" + compactingName

const compactingName = "compacting"

// atTimes is where the times stand in the file, behind the record of its holder.
const atTimes = 128

// LockCompaction takes the right to compact the store below dir, waiting at most wait for its
// holder. The error is a *log.LockedError, or one of a lock that cannot be taken.
func LockCompaction(ctx context.Context, dir *disk.Dir, clock func() time.Time,
	wait time.Duration) (*Compacting, error) {
	cache, err := dir.Sub(CacheDir, true)
	if err != nil {
		return nil, err
	}
	c := &Compacting{dir: cache, clock: clock, began: clock()}
	c.lock, err = log.NewLockerOf(cache, compactingName).Acquire(ctx, "compact", c.began, wait)
	if err != nil {
		cache.Close()
		return nil, err
	}
	c.began = clock()
	c.write(fmt.Sprintf(`{"began":%q}`, log.StampOf(c.began)))
	return c, nil
}

// Release says how long it took, and lets the next one compact.
func (c *Compacting) Release() error {
	c.write(fmt.Sprintf(`{"began":%q,"ended":%q}`, log.StampOf(c.began), log.StampOf(c.clock())))
	err := c.lock.Unlock()
	c.dir.Close()
	return err
}

// write writes the times. It is best effort: without them a compaction is begun sooner. A crash in
// it leaves a record that cannot be read, which counts as none.
func (c *Compacting) write(times string) {
	if f, err := c.dir.Edit(compactingName); err == nil {
		_, _ = f.WriteAt(fmt.Appendf(nil, "%-127s\n", times), atTimes)
		f.Close()
	}
}

const (
	restFactor   = 10          // a compaction takes at most one part in so many of one core
	restOfKilled = time.Minute // after the beginning of one that has not ended
)

// IsResting reports whether the last compaction was too short a time ago for another one. A last
// one that seems to lie ahead, because the clock was set back, does not count.
func IsResting(dir *disk.Dir, now time.Time) bool {
	text, err := dir.ReadFile(CompactingFile, 4096)
	if err != nil || len(text) < atTimes {
		return false
	}
	var began, ended time.Time
	for name, value := range jsontext.Members(text[atTimes:]) {
		ts, err := log.ParseTime(jsontext.Unquote(value))
		switch {
		case err != nil:
			return false
		case name == "began":
			began = ts.Time()
		case name == "ended":
			ended = ts.Time()
		}
	}
	if ended.IsZero() {
		return now.After(began) && now.Sub(began) < restOfKilled
	}
	return now.After(ended) && now.Sub(ended) < restFactor*ended.Sub(began)
}
