package compact

import (
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// removedAtOnce is how many expired keys are removed from the index before writers get the lock.
const removedAtOnce = 50

// prepareCommit does what takes time before the lock of the commit.
func (j *Job) prepareCommit(c *commit) error {
	if err := j.removeExpired(c.draft.Expired, c.point); err != nil {
		return err
	}
	// What this and writers have not synced is synced before the lock is taken. A crash here leaves
	// temporary files.
	return j.Dir.SyncTree()
}

// removeExpired removes expired keys from the index, some at a time, each time under the lock. It
// ends early where another compaction came first: the commit will not happen then.
func (j *Job) removeExpired(list []log.Record, point snapshotPoint) error {
	for late := false; len(list) > 0 && !late; {
		n := min(removedAtOnce, len(list))
		err := j.locked(func(wr *filestore.Writer) error {
			if err := wr.IndexError(); err != nil {
				return err
			}
			if late = !point.holds(wr); late {
				return nil
			}
			return removeFiles(wr, list[:n])
		})
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// removeFiles removes the index files of expired records, where a writer has not replaced them
// since.
func removeFiles(wr *filestore.Writer, list []log.Record) error {
	for _, rec := range list {
		have, err := wr.Index.Tree.Get(rec.Key)
		if err != nil || have.TS != rec.TS {
			continue
		}
		// A crash after this leaves the key in the old state, where it has expired too.
		if err := wr.Index.Tree.Remove(rec.Key); err != nil {
			return err
		}
	}
	return nil
}
