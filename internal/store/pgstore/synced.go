package pgstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/log"
)

// When a copy was last brought up to the server stands beside it, for those who are answered from
// it alone.

// syncedName is the file that says so.
const syncedName = "synced"

// syncedEvery is how old the file may be while a process reads on: its time is never too new.
const syncedEvery = time.Second

// synced is what the file has: at that time, the copy had all that the server had.
type synced struct {
	Copy string    `json:"copy"` // its id
	Seq  int64     `json:"seq"`  // the newest envelope by then: a crash may have taken it away
	At   log.Stamp `json:"at"`
}

// noteSynced notes that the copy on the disk has what a view has, which the server was asked for
// then. It is best effort, as the copy is. The right to ask is held.
func (f *follower) noteSynced(sh *shared, asked time.Time) {
	c := f.copy
	now := synced{c.pos.Copy, sh.last.seq, log.StampOf(asked)}
	if c.stale || len(c.unsaved) > 0 || f.noted.Copy == now.Copy &&
		now.At.Time().Sub(f.noted.At.Time()).Abs() < syncedEvery {
		return
	}
	text, _ := json.Marshal(now) // it cannot fail
	if err := c.dir.WriteFile(syncedName, append(text, '\n')); err != nil {
		f.store.o.Debug("when the copy was synced is not noted: " + err.Error())
		return
	}
	f.noted = now
}

// syncedAt returns when a copy had all that the server had; ok is false where nobody can tell.
func syncedAt(c *localCopy, sh *shared) (s synced, ok bool) {
	text, err := c.dir.ReadFile(syncedName, maxHeader)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err == nil && s.Copy == c.pos.Copy && s.Seq <= sh.last.seq
}

// asOf says of when a copy is.
func asOf(c *localCopy, sh *shared) string {
	if s, ok := syncedAt(c, sh); ok {
		return fmt.Sprintf("answered from this machine's copy, which is as of %s", s.At)
	}
	return fmt.Sprintf("answered from this machine's copy; as of when nobody can tell, its newest "+
		"memory is of %s", sh.head.high)
}

// ofCopy returns an error of what a copy alone cannot do.
func (s *database) ofCopy(why string) error {
	return &Error{errors.New(s.place.Space + ": " + why), "input",
		advice.Shell("leave --from-copy out, or from_copy out of the URL, to ask the server")}
}

// online returns an error where the server is not to be asked: a copy has what is live.
func (s *database) online() error {
	if !s.place.FromCopy {
		return nil
	}
	return s.ofCopy("this machine's copy has what is live, and neither history nor journals nor " +
		"files of artifacts")
}

// writable returns an error where answers come from the copy alone.
func (s *database) writable() error {
	if !s.place.FromCopy {
		return nil
	}
	return s.ofCopy("nothing is written where the copy alone answers")
}
