package fsck

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/log"
)

// blobCheck is the checks of artifacts/ (F19 to F21). Every byte is read: damage of a file that
// nobody opens is found while a backup still has it, and 1 GiB takes about a second.
type blobCheck struct{ *Checker }

// run holds the files against the artifacts that are live, and against their own names.
func (c blobCheck) run() error {
	dir, err := c.Dir.Sub(filestore.ArtifactsDir, false)
	if errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if disk.IgnoreNotExist(err) != nil {
		return err
	}
	var names []string
	if dir != nil {
		defer dir.Close()
		if names, err = dir.Names("."); err != nil {
			return err
		}
	}
	named, present := c.named(), map[string]bool{}
	c.begin(filestore.ArtifactsDir, len(names))
	for _, sum := range names {
		if !content.IsBlobSum(sum) {
			continue
		}
		c.tick()
		present[sum] = true // also where it is no plain file, which F15 says
		if err := c.file(dir, sum, named); err != nil {
			return err
		}
	}
	for _, sum := range slices.Sorted(maps.Keys(named)) {
		if !present[sum] {
			c.missing(sum, named[sum])
		}
	}
	return nil
}

func (c blobCheck) named() map[string][]log.Record {
	named := map[string][]log.Record{}
	for key, rec := range c.fold {
		if sum := content.BlobOf(key, rec.Content); sum != "" && rec.Valid() {
			named[sum] = append(named[sum], rec)
		}
	}
	for _, recs := range named {
		slices.SortFunc(recs, func(a, b log.Record) int { return a.Key.Compare(b.Key) })
	}
	return named
}

// missing reports the artifacts that are about a file which is not there. Git takes none along.
func (c blobCheck) missing(sum string, recs []log.Record) {
	for _, rec := range recs {
		if !c.Shared && !indexCheck(c).mayBeGone(rec) {
			c.find(checkAbsent, Finding{File: blobName(sum), Key: rec.Key.String()},
				"%s needs it, and it is missing", rec.Key)
		}
	}
}

func (c blobCheck) file(dir *disk.Dir, sum string, named map[string][]log.Record) error {
	at := Finding{File: blobName(sum)}
	if len(named[sum]) > 0 {
		at.Key = named[sum][0].Key.String()
	}
	switch right, err := c.verify(dir, sum); {
	case err != nil:
		return ignoreAbsent(err)
	case !right:
		c.find(checkAltered, at, "its bytes do not match its name")
	case at.Key == "" && c.isLeft(dir, sum):
		c.find(checkUnnamed, at, "no live artifact needs it")
	}
	return nil
}

// verify is filestore.IsBlob, which is not asked again about a file that has not changed since the
// last run: a repair runs the checks three times, twice under the lock.
func (c blobCheck) verify(dir *disk.Dir, sum string) (bool, error) {
	fi, err := dir.Lstat(sum)
	if err != nil {
		return false, err
	}
	is := blobID{disk.Ino(fi), fi.Size(), disk.Changed(fi)}
	if c.verified[sum] == is {
		return true, nil
	}
	right, err := filestore.IsBlob(dir, sum)
	if right {
		if c.verified == nil {
			c.verified = map[string]blobID{}
		}
		c.verified[sum] = is
	}
	return right, err
}

// blobID identifies one version of a file: a changed or replaced file has another.
type blobID struct {
	ino     uint64
	size    int64
	changed int64 // by the file system's clock
}

// isLeft reports whether a file that no artifact names was left behind: it is so old that nobody is
// about to name it, and the whole history is there to say so. Git may have taken the line away.
func (c blobCheck) isLeft(dir *disk.Dir, sum string) bool {
	unsure := selectFindings(c.findings, checkTorn, checkLine, checkChecksum, checkIrregular,
		checkState, checkCheckpoint, checkArchive)
	if c.Shared || len(unsure) > 0 {
		return false
	}
	fi, err := dir.Lstat(sum)
	return err == nil && c.Now.Sub(fi.ModTime()) > filestore.DraftAge
}

// recheck checks suspects again, under the lock: a purge may have been at work.
func (c blobCheck) recheck(suspects []Finding) error {
	if len(suspects) == 0 {
		return nil
	}
	dir, err := c.Dir.Sub(filestore.ArtifactsDir, false)
	if ignoreAbsent(err) != nil {
		return err
	}
	if dir != nil {
		defer dir.Close()
	}
	named := c.named()
	for _, f := range suspects {
		if err := c.suspect(dir, f, named); err != nil {
			return err
		}
	}
	return nil
}

// suspect checks one again. dir is artifacts/; nil where that is not there.
func (c blobCheck) suspect(dir *disk.Dir, was Finding, named map[string][]log.Record) error {
	sum, err := strings.TrimPrefix(was.File, filestore.ArtifactsDir+"/"), fs.ErrNotExist
	if dir != nil {
		_, err = dir.Lstat(sum)
	}
	switch absent := was.Check == checkAbsent.ID; {
	case err == nil && !absent:
		return c.file(dir, sum, named)
	case disk.IsNotExist(err) && absent:
		for _, rec := range named[sum] {
			if rec.Key.String() == was.Key {
				c.missing(sum, []log.Record{rec})
			}
		}
	}
	return disk.IgnoreNotExist(err)
}

var blobChecks = []Check{checkAbsent, checkAltered, checkUnnamed}

func blobName(sum string) string { return filestore.ArtifactsDir + "/" + sum }

// blobs moves wrong and unnamed files of artifacts/ into quarantine/. No writer names one
// meanwhile: the holder of the lock checks first that the blob is there.
func (x *Repairer) blobs() error { return x.quarantineFiles(checkAltered, checkUnnamed) }
