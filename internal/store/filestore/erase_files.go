package filestore

import (
	"errors"
	"io"
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

// scrub removes the keys from all that is no history: index, what killed processes left, journals,
// quarantine. The lock is held: nobody else has a temporary file below the root, but a journal that
// is being cut, which then stays long.
func (x sweeper) scrub() error {
	return x.locked(func(wr *Writer) error {
		if err := x.mirror(wr, x.plan.Keys...); err != nil {
			return err
		}
		if err := x.drafts(wr); err != nil {
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
				return disk.IgnoreNotExist(wr.Dir.Remove(name))
			}
			// A crash here leaves the old file or the new one, and the plan. A line that another
			// process writes to a journal meanwhile may be lost: nothing depends on it.
			return wr.Dir.WriteFileSync(name, func(w io.Writer) error {
				_, err := w.Write(kept)
				return err
			})
		})
	})
}

// traces calls fn with each journal, the marks of imported lines, and each file of quarantine/,
// which may be of any kind: with what of it stays, and whether that is less than it has. The error
// says that it cannot be looked into.
func (x sweeper) traces(fn func(name string, kept []byte, changed bool, err error) error) error {
	look := func(name string, scrub func([]byte, *purge.Values) ([]byte, bool)) error {
		text, err := x.files.Dir.ReadFile(name, maxScrub)
		if isNotExist(err) {
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
	marks := func(text []byte, v *purge.Values) ([]byte, bool) { return v.Marks(text) }
	if err := look(MarksFile, marks); err != nil {
		return err
	}
	return eachFile(x.files.Dir, log.QuarantineDir, func(name string) error {
		if x.named(path.Base(name)) {
			return fn(name, nil, true, nil)
		}
		return look(name, x.plan.Scrub)
	})
}

// look walks index/ once, while the history still holds the values to look for. There may be a
// million files: only those at no key's place, and those that have changed since a compaction last
// compared them, are looked at under the lock.
func (x sweeper) look() error {
	tree, err := index.Open(x.files.Dir, false)
	if err != nil {
		return ignore(err, disk.ErrIrregular)
	}
	defer tree.Close()
	compared := ComparedAt(x.files.Dir)
	var list []index.Entry
	for entry, err := range tree.Walk() {
		if err != nil {
			return disk.IgnoreNotExist(err)
		}
		switch entry.Kind {
		case index.KindIrregular, index.KindEmptyDir:
			continue
		case index.KindFile:
			if !entry.Key.IsZero() && !x.isCopy(tree, entry, compared) {
				continue
			}
		}
		list = append(list, entry)
	}
	if len(list) == 0 {
		return nil
	}
	return x.locked(func(wr *Writer) error { return x.strangers(wr, list) })
}

// isCopy reports whether the file of a key shows another key, one of the plan's. What has not
// changed since a compaction compared it is what the log has.
func (x sweeper) isCopy(tree *index.Tree, entry index.Entry, compared int64) bool {
	fi, err := tree.Lstat(entry.Path)
	if err != nil || disk.Changed(fi) <= compared {
		return err != nil && !isNotExist(err) // looked at again, for the error
	}
	text, err := tree.ReadPath(entry.Path)
	if err != nil {
		return !isNotExist(err)
	}
	return x.isOther(entry.Key, text)
}

// isOther reports whether the text of the file of a key shows another key, one of the plan's.
func (x sweeper) isOther(key keypath.Key, text []byte) bool {
	wanted := x.plan.Wanted()
	return wanted.Has(log.ShownKey(text)) && !wanted.Has(key)
}

// strangers removes files of index/ that are at no key's place, if they show something of the keys,
// and temporary ones; and puts right the file of another key that is a copy of one of these.
func (x sweeper) strangers(wr *Writer, list []index.Entry) error {
	var copies []keypath.Key
	for _, entry := range list {
		text, err := wr.Index.Tree.ReadPath(entry.Path)
		switch {
		case isNotExist(err):
			continue
		case entry.Kind == index.KindTemp:
		case disk.Failed(err):
			return err
		case err != nil: // too large to be looked into
			x.beyond = append(x.beyond, index.DirName+"/"+entry.Path)
			continue
		case !entry.Key.IsZero():
			if x.isOther(entry.Key, text) {
				copies = append(copies, entry.Key)
			}
			continue
		case !x.shows(entry.Path, text):
			continue
		}
		// A crash before this leaves the file, and the plan.
		if err := wr.Index.Tree.RemovePath(entry.Path); err != nil {
			return err
		}
	}
	return x.mirror(wr, copies...)
}

// mirror puts the files of keys right. That of a key of the plan which is live again is its own.
func (x sweeper) mirror(wr *Writer, keys ...keypath.Key) error {
	if len(keys) == 0 || !wr.Index.Tree.Exists() {
		return nil
	}
	found, err := newestIn(wr, keys...) // in one pass, however many they are
	if err != nil {
		return err
	}
	for _, key := range keys {
		newest, known := found[key]
		// A crash before this leaves the file, and the plan.
		switch live := known && newest.Valid() && !x.plan.Takes(newest, true); {
		case !live || !key.Class().Mirrored():
			err = wr.Index.Tree.Remove(key)
		case !x.plan.Wanted().Has(key):
			err = wr.Index.Tree.Put(key, newest.Line)
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

// drafts removes temporary files: the lock of compactions is held, and the store's.
func (x sweeper) drafts(wr *Writer) error {
	for _, place := range []string{".", log.ArchiveDir, state.CacheDir, log.QuarantineDir} {
		if err := RemoveDrafts(wr.Dir, place, time.Time{}); err != nil {
			return err
		}
	}
	// Blobs are written without a lock; the proof names the drafts that are young.
	return RemoveDrafts(wr.Dir, ArtifactsDir, wr.now)
}

// DraftAge is how old a temporary file must be to count as left behind where nobody can tell
// whether its writer lives: a younger one may still be in use.
const DraftAge = 10 * time.Minute

// RemoveDrafts removes what killed processes left in a directory under temporary names. The caller
// has the locks under which such names are made; where there are none, only files that are old by
// now go, else now is zero.
func RemoveDrafts(dir *disk.Dir, place string, now time.Time) error {
	names, err := dir.Names(place)
	if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
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
func (x sweeper) sync(wr *Writer) error {
	for _, place := range []string{log.ArchiveDir, state.CacheDir, log.QuarantineDir,
		ArtifactsDir} {
		sub, err := wr.Dir.Sub(place, false)
		if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
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
	return wr.Dir.SyncTree()
}

// eachFile calls fn with each plain file below a directory, however deep.
func eachFile(dir *disk.Dir, place string, fn func(name string) error) error {
	entries, err := dir.ReadDir(place)
	if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
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
