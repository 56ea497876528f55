package compact

import (
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// alone takes the lock of compactions. Where it cannot be taken nothing is compacted: there may be
// another one.
func (j *Job) alone() (release func(), err error) {
	if j.Exclude == nil || j.DryRun {
		return func() {}, nil
	}
	unlock, err := j.Exclude()
	if err != nil {
		return nil, err
	}
	j.sweep, j.sole = true, true
	return unlock, nil
}

// removeDrafts removes what killed processes left under temporary names. Both locks are held: no
// other compaction lives, and nobody who writes a state or an archive under the store's lock. What
// is left are the journals, which are cut down without a lock: one whose draft is removed under its
// hands stays long until the next line. The draft of the README is the first of all; while there is
// none, nothing in the root is removed. Those of artifacts/ are made without a lock: only old ones
// go.
func removeDrafts(dir *disk.Dir, now time.Time) {
	places := []string{log.ArchiveDir, state.CacheDir}
	if _, err := dir.Lstat(filestore.ReadmeFile); err == nil {
		places = append(places, ".")
	}
	for _, place := range places {
		// What cannot be removed is the next one's.
		_ = filestore.RemoveDrafts(dir, place, time.Time{})
	}
	_ = filestore.RemoveDrafts(dir, filestore.ArtifactsDir, now) // likewise
}
