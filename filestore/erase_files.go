package filestore

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/set-memory/mem/disk"
	"github.com/set-memory/mem/index"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/purge"
	"github.com/set-memory/mem/state"
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
		for _, step := range []func(*Writer) error{x.index, x.drafts, x.journals} {
			if err := step(wr); err != nil {
				return err
			}
		}
		return x.quarantined(wr.Dir, log.QuarantineDir)
	})
}

// index removes the files of the keys that are not live again, and files of no key that show them.
func (x sweeper) index(wr *Writer) error {
	if !wr.Index.Tree.Exists() {
		return nil
	}
	for _, key := range x.plan.Keys {
		newest, live, err := wr.Newest(key)
		if err != nil {
			return err
		}
		if live && !x.plan.Takes(newest, true) {
			continue
		}
		// A crash before this leaves the file, and the plan.
		if err := disk.IgnoreNotExist(wr.Index.Tree.Remove(key)); err != nil {
			return err
		}
	}
	for entry, err := range wr.Index.Tree.Walk() {
		if err != nil {
			return disk.IgnoreNotExist(err)
		}
		if !x.strange(entry) {
			continue
		}
		text, err := wr.Index.Tree.ReadPath(entry.Path)
		if err == nil && entry.Kind != index.KindTemp && !x.shows(entry.Path, text) {
			continue
		}
		// A crash before this leaves the file, and the plan.
		if err := disk.IgnoreNotExist(wr.Index.Tree.RemovePath(entry.Path)); err != nil {
			return err
		}
	}
	return nil
}

// strange reports whether an entry of the index is a file, and not that of a key.
func (x sweeper) strange(e index.Entry) bool {
	return e.Kind == index.KindTemp || e.Kind == index.KindForeign ||
		e.Kind == index.KindFile && e.Key.IsZero()
}

// shows reports whether a file, or its name, has something of what goes.
func (x sweeper) shows(name string, text []byte) bool {
	_, changed := x.plan.Scrub(text, x.values)
	return changed || x.named(path.Base(name))
}

// named reports whether the name of a file tells of one of the keys, or holds a value.
func (x sweeper) named(name string) bool {
	for _, key := range x.plan.Keys {
		p := string(key.Path())
		if strings.Contains(name, log.FlatName(index.DirName+"/"+p)) ||
			strings.Contains(name, path.Base(p)) {
			return true
		}
	}
	return x.values.In(name)
}

// drafts removes temporary files: the lock of compactions is held, and the store's.
func (x sweeper) drafts(wr *Writer) error {
	for _, place := range []string{".", log.ArchiveDir, state.CacheDir, log.QuarantineDir} {
		names, err := wr.Dir.Names(place)
		if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
			continue
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			if !disk.IsTemp(name) {
				continue
			}
			// A crash before this leaves the file, and the plan.
			if err := disk.IgnoreNotExist(wr.Dir.Remove(path.Join(place, name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// journals rewrites the journals without the keys.
func (x sweeper) journals(wr *Writer) error {
	for _, place := range Layout() {
		if !place.Journal {
			continue
		}
		text, err := wr.Dir.ReadFile(place.Name, maxScrub)
		if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
			continue
		}
		if err != nil {
			return err
		}
		kept, changed := x.plan.Journal(text, x.values)
		if !changed {
			continue
		}
		// A crash here leaves the old journal or the new one, and the plan. A line that another
		// process writes meanwhile may be lost: nothing depends on it.
		if err := wr.Dir.WriteFile(place.Name, kept); err != nil {
			return err
		}
	}
	return nil
}

// quarantined goes through quarantine/, whose files may be of any kind.
func (x sweeper) quarantined(dir *disk.Dir, place string) error {
	return eachFile(dir, place, func(name string) error {
		text, err := dir.ReadFile(name, maxScrub)
		if isNotExist(err) || errors.Is(err, disk.ErrIrregular) ||
			errors.Is(err, fs.ErrPermission) {
			return nil // the proof names it
		}
		if err != nil {
			return err
		}
		kept, changed := x.plan.Scrub(text, x.values)
		switch {
		case x.named(path.Base(name)), changed && len(kept) == 0:
			// A crash before this leaves the file, and the plan.
			return disk.IgnoreNotExist(dir.Remove(name))
		case changed:
			// A crash here leaves the old file or the new one, and the plan.
			return dir.WriteFile(name, kept)
		}
		return nil
	})
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

// prove looks for the values in the history and in the state.
func (x *eraser) prove() (*purge.Search, error) {
	search := purge.NewSearch(x.plan, x.values)
	names, err := log.Archives(x.files.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, log.File, state.FileName) {
		err := withFile(x.files.Dir, name, func(f *disk.File, _ int64) error {
			return search.Segment(f, name)
		})
		if ignore(err, fs.ErrNotExist) != nil {
			return nil, err
		}
	}
	return search, nil
}

// lookAround looks at what is no history: whatever scrub would take is a remainder. It returns what
// it did not look into.
func (x sweeper) lookAround(search *purge.Search) (beyond []string, err error) {
	dir := x.files.Dir
	for _, place := range Layout() {
		if !place.Journal {
			continue
		}
		text, err := dir.ReadFile(place.Name, maxScrub)
		if err != nil {
			continue
		}
		if _, changed := x.plan.Journal(text, x.values); changed {
			search.Remain(place.Name)
		}
	}
	err = eachFile(dir, log.QuarantineDir, func(name string) error {
		text, err := dir.ReadFile(name, maxScrub)
		if err != nil {
			beyond = append(beyond, name)
		} else if x.shows(name, text) {
			search.Remain(name)
		}
		return nil
	})
	names, _ := dir.Names(log.ArchiveDir)
	for _, name := range names {
		if !strings.HasSuffix(name, ".jsonl") && !disk.IsTemp(name) {
			beyond = append(beyond, log.ArchiveDir+"/"+name)
		}
	}
	return beyond, err
}
