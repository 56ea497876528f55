package filestore

import (
	"errors"
	"path"
	"strings"
	"time"

	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// maxScrub is the greatest file outside the history that is looked into, in bytes.
const maxScrub = 256 << 20

// sweeper takes the keys out of all that is no history.
type sweeper struct{ *eraser }

// scrub removes the keys from journals and quarantine, and what killed processes left. A journal
// that is being cut stays long: its draft goes too.
func (x sweeper) scrub() error {
	if err := x.drafts(); err != nil {
		return err
	}
	return x.traces(func(name string, kept []byte, changed bool, err error) error {
		switch {
		case err != nil && !disk.Failed(err):
			return nil // the proof names it
		case err != nil || !changed:
			return err
		case len(kept) == 0:
			// A crash before this leaves the file, and the plan.
			return disk.IgnoreNotExist(x.wr.Dir.Remove(name))
		}
		// A crash here leaves the old file or the new one, and the plan. A line that another
		// process writes to a journal meanwhile may be lost: nothing depends on it.
		return x.wr.Dir.WriteBytesSync(name, kept)
	})
}

// traces calls fn with each journal and each file of quarantine/: with what of it stays, and
// whether that is less than it has. The error says that it cannot be looked into.
func (x sweeper) traces(fn func(name string, kept []byte, changed bool, err error) error) error {
	look := func(name string, scrub func([]byte, *purge.Values) ([]byte, bool)) error {
		text, err := x.wr.Dir.ReadFile(name, maxScrub)
		if disk.IsNotExist(err) {
			return nil
		}
		kept, changed := scrub(text, x.values)
		return fn(name, kept, changed, err)
	}
	for _, place := range Layout() {
		if !place.Journal {
			continue
		}
		if err := look(place.Name, x.plan.Journal); err != nil {
			return err
		}
	}
	return eachFile(x.wr.Dir, log.QuarantineDir, func(name string) error {
		if x.named(path.Base(name)) {
			return fn(name, nil, true, nil)
		}
		return look(name, x.plan.Scrub)
	})
}

// hasTraces reports whether quarantine/ or a journal has something of what goes.
func (x sweeper) hasTraces() (found bool, err error) {
	err = x.traces(func(_ string, _ []byte, changed bool, err error) error {
		if found = found || changed; disk.Failed(err) {
			return err
		}
		return nil // a file that nobody can look into is no trace
	})
	return found, err
}

// look walks index/ while the history still holds the values to look for. Of files at a key's place
// only those that have changed since a compaction last compared them are read.
func (x sweeper) look() error {
	tree, compared, wrong := x.wr.Index.Tree, ComparedAt(x.wr.Dir), x.plan.Keys
	for entry, err := range tree.Walk() {
		switch {
		case err != nil:
			return disk.IgnoreNotExist(err)
		case entry.Kind == index.KindIrregular, entry.Kind == index.KindEmptyDir:
			continue
		case entry.Kind == index.KindFile && !entry.Key.IsZero():
			fi, err := tree.Lstat(entry.Path)
			if err == nil && disk.Changed(fi) <= compared {
				continue
			}
		}
		text, err := tree.ReadPath(entry.Path)
		switch {
		case disk.IsNotExist(err), !entry.Key.IsZero() && !x.isOther(entry.Key, text) && err == nil:
			continue
		case entry.Kind == index.KindTemp:
		case disk.Failed(err):
			return err
		case err != nil: // too large to be looked into
			x.beyond = append(x.beyond, index.DirName+"/"+entry.Path)
			continue
		case !entry.Key.IsZero():
			wrong = append(wrong, entry.Key)
			continue
		case !x.shows(entry.Path, text):
			continue
		}
		// A crash before this leaves the file, and the plan.
		if err := tree.RemovePath(entry.Path); err != nil {
			return err
		}
	}
	return x.mirror(wrong)
}

// isOther reports whether the text of the file of a key shows another key, one of the plan's.
func (x sweeper) isOther(key keypath.Key, text []byte) bool {
	wanted := x.plan.Wanted()
	return wanted.Has(log.ShownKey(text)) && !wanted.Has(key)
}

// mirror puts the files of keys right. That of a key of the plan which is live again is its own.
func (x sweeper) mirror(keys []keypath.Key) error {
	tree := x.wr.Index.Tree
	if !tree.Exists() {
		return nil
	}
	found, err := newestIn(x.wr, keys...) // in one pass, however many they are
	if err != nil {
		return err
	}
	for _, key := range keys {
		newest, known := found[key]
		// A crash before this leaves the file, and the plan.
		switch live := known && newest.Valid() && !x.plan.Takes(newest); {
		case !live || !key.Class().Mirrored():
			err = tree.Remove(key)
		case !x.plan.Wanted().Has(key):
			err = tree.Put(key, newest.Line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shows reports whether a file, or its name, has something of what goes.
func (x sweeper) shows(name string, text []byte) bool {
	_, changed := x.plan.Scrub(text, x.values)
	return changed || x.named(path.Base(name))
}

// named reports whether the name of a file is made from one of the keys: a name in quarantine/ has
// the path that the file had.
func (x sweeper) named(name string) bool {
	if stamp, rest, ok := strings.Cut(name, "-"); ok && len(stamp) == len("20060102T150405Z") {
		name = rest
	}
	for _, key := range x.plan.Keys {
		file := string(key.Path())
		bare := log.FlatName(index.DirName + "/" + file[:strings.LastIndexByte(file, '@')])
		rest, has := strings.CutPrefix(name, bare)
		if has && (rest == "" || rest[0] == '@' || isNumber(rest)) ||
			strings.HasPrefix(name, log.FlatName(index.DirName+"/"+file)) ||
			name == path.Base(file) {
			return true
		}
	}
	return x.blobs.named(name)
}

// isNumber reports whether the end of a name is a dash and digits, which make a name unique.
func isNumber(end string) bool {
	return len(end) > 1 && end[0] == '-' && strings.Trim(end[1:], "0123456789") == ""
}

// drafts removes temporary files. The store's lock is held, and no compaction folds while there is
// a plan: nobody else has one, but for blobs, of which the proof names the drafts that are young.
func (x sweeper) drafts() error {
	for _, place := range []string{".", log.ArchiveDir, state.CacheDir, log.QuarantineDir} {
		if err := RemoveDrafts(x.wr.Dir, place, time.Time{}); err != nil {
			return err
		}
	}
	return RemoveDrafts(x.wr.Dir, ArtifactsDir, x.wr.now)
}

// DraftAge is how old a temporary file must be to count as left behind where nobody can tell
// whether its writer lives: a younger one may still be in use.
const DraftAge = 10 * time.Minute

// RemoveDrafts removes what killed processes left in a directory under temporary names. The caller
// has the locks under which such names are made; where there are none, only files that are old by
// now go, else now is zero.
func RemoveDrafts(dir *disk.Dir, place string, now time.Time) error {
	names, err := dir.Names(place)
	if disk.IsNotExist(err) || errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, base := range names {
		name := path.Join(place, base)
		if !disk.IsTemp(base) {
			continue
		}
		if !now.IsZero() {
			if fi, err := dir.Lstat(name); err != nil || now.Sub(fi.ModTime()) <= DraftAge {
				continue
			}
		}
		// A crash before this leaves the file to the next call.
		if err := disk.IgnoreNotExist(dir.Remove(name)); err != nil {
			return err
		}
	}
	return nil
}

// sync makes removals durable: a removed file must not come back with a power cut.
func (x sweeper) sync() error {
	for _, place := range []string{log.ArchiveDir, state.CacheDir, log.QuarantineDir,
		ArtifactsDir} {
		sub, err := x.wr.Dir.Sub(place, false)
		if disk.IsNotExist(err) || errors.Is(err, disk.ErrIrregular) {
			continue
		}
		if err != nil {
			return err
		}
		// A crash before this may bring back removed files; the plan is there still.
		err = sub.Sync()
		sub.Close()
		if err != nil {
			return err
		}
	}
	return x.wr.Dir.SyncTree()
}

// eachFile calls fn with each plain file below a directory, however deep.
func eachFile(dir *disk.Dir, place string, fn func(name string) error) error {
	entries, err := dir.ReadDir(place)
	if disk.IsNotExist(err) || errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(place, e.Name())
		switch {
		case e.IsDir():
			err = eachFile(dir, name, fn)
		case e.Type().IsRegular():
			err = fn(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
