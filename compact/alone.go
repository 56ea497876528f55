package compact

import (
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// alone takes the lock of compactions. Where it cannot be taken nothing is compacted.
func (j *Job) alone() (release func(), err error) {
	if j.Exclude == nil || j.DryRun {
		return func() {}, nil
	}
	unlock, err := j.Exclude()
	if err != nil {
		return nil, err
	}
	j.sweep = true
	return unlock, nil
}

// removeDrafts removes the temporary files of killed processes. Both locks are held, so no other
// compaction and no writer of a state or an archive is running. Only journals are shortened without
// a lock: a journal whose draft is removed meanwhile stays long until its next line. A new store
// writes its README first; while the README is missing, nothing in the root is removed. Drafts in
// artifacts/ are made without a lock, so only old ones are removed.
func removeDrafts(dir *disk.Dir, now time.Time) {
	places := []string{log.ArchiveDir, state.CacheDir}
	if _, err := dir.Lstat(filestore.ReadmeFile); err == nil {
		places = append(places, ".")
	}
	for _, place := range places {
		// The next compaction retries a removal that failed.
		_ = filestore.RemoveDrafts(dir, place, time.Time{})
	}
	_ = filestore.RemoveDrafts(dir, filestore.ArtifactsDir, now) // likewise
}
