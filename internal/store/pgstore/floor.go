package pgstore

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// A replica lags. The floor is what its answers must have: how far the space had come when somebody
// on this machine last wrote to it, or was last told something new of it. It is in memory for one
// process, and in a file beside the copy for the next one.

// isBehind reports whether a head lacks something that another one has.
func (h head) isBehind(o head) bool { return h.gen < o.gen || h.seq < o.seq }

// raised returns a head that is behind neither of two.
func (h head) raised(o head) head {
	return head{max(h.seq, o.seq), max(h.high, o.high), max(h.gen, o.gen)}
}

// floor is that of one process.
type floor struct {
	mu   sync.Mutex
	head head
	// Something was done of which nobody knows the head: the primary has to be asked, until an
	// answer comes for which it was asked later.
	doubts, settled int
}

func (f *floor) raise(h head) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head = f.head.raised(h)
}

// doubt notes that the primary may have come further than anybody knows.
func (f *floor) doubt() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.doubts++
}

// get returns the floor and the doubts so far. Unless it is sure the primary has to be asked.
func (f *floor) get() (h head, doubts int, sure bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head, f.doubts, f.doubts == f.settled
}

// settle takes the answer of a primary that was asked when there were so many doubts. Where it has
// less than the floor was by then it has lost something, and the floor with it.
func (f *floor) settle(was, now head, doubts int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settled = max(f.settled, doubts)
	if f.head == was && now.isBehind(was) {
		f.head = now
	}
	f.head = f.head.raised(now)
}

// floorName is the file of the floor of a machine, and floorLock the flock of who raises it.
const (
	floorName = "floor"
	floorLock = "floor.lock"
)

// floorFile is what the file has.
type floorFile struct {
	Gen int64 `json:"gen"`
	Seq int64 `json:"seq"`
}

// floorWait is how long it is waited for another process that raises the floor.
const floorWait = time.Second

// readFloor returns the floor of a machine; ok is false where there is none.
func readFloor(dir *disk.Dir) (h head, ok bool) {
	text, err := dir.ReadFile(floorName, maxHeader)
	var f floorFile
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	return head{seq: f.Seq, gen: f.Gen}, err == nil
}

// writeFloor changes the floor of a machine, unless change returns what is there. A process that
// dies in it leaves the old one.
func writeFloor(s *database, change func(there head) head) error {
	dir, err := s.dir()
	if err != nil {
		return err
	}
	defer dir.Close()
	// Without the lock a slower process might put a lower one in place of a higher.
	lock, err := log.NewLockerOf(dir, floorLock).Acquire(context.Background(), "floor", s.o.Now(),
		floorWait)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the end of the process unlocks it, too
	there, ok := readFloor(dir)
	next := change(there)
	if ok && next.gen == there.gen && next.seq == there.seq {
		return nil
	}
	text, _ := json.Marshal(floorFile{next.gen, next.seq}) // it cannot fail
	return dir.WriteFile(floorName, append(text, '\n'))
}
