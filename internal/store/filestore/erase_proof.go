package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// prove looks for the values in history and state, and in all that lies around.
func (x *eraser) prove() (*purge.Search, error) {
	search, err := x.searchHistory()
	if err == nil {
		err = sweeper{x}.lookAround(search)
	}
	if err == nil {
		err = sweeper{x}.lookAgain(search)
	}
	if err == nil {
		search.ResolveUnkeyed()
	}
	return search, err
}

// searchHistory looks for the values in the history and in the state.
func (x *eraser) searchHistory() (*purge.Search, error) {
	search := purge.NewSearch(x.plan, x.values)
	names, err := log.Archives(x.wr.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, log.File, state.FileName) {
		err := withFile(x.wr.Dir, name, func(f *disk.File, _ int64) error {
			return search.Segment(f, name)
		})
		if disk.IgnoreNotExist(err) != nil {
			return nil, err
		}
	}
	return search, nil
}

// common returns the values that the lines of other keys hold, too.
func (x *eraser) common() ([]int, error) {
	search, err := x.searchHistory()
	if err != nil {
		return nil, err
	}
	return search.Common(), nil
}

// lookAgain looks at what scrub has gone through: whatever it would take is a remainder. Without a
// look into the journals nothing is proved.
func (x sweeper) lookAgain(search *purge.Search) error {
	return x.traces(func(name string, _ []byte, changed bool, err error) error {
		if err != nil && path.Dir(name) == "." {
			return err
		}
		if err != nil {
			x.beyond = append(x.beyond, name)
		} else if changed {
			search.Remain(name)
		}
		return nil
	})
}

// lookAround searches the blobs of other artifacts, and files below the root that are not mem's, as
// a person's copy of the log: only their owner removes those.
func (x sweeper) lookAround(search *purge.Search) error {
	owners, large := sync.OnceValues(x.blobOwners), 0
	for _, place := range []string{".", log.ArchiveDir, ArtifactsDir, state.CacheDir} {
		entries, err := x.wr.Dir.ReadDir(place)
		if errors.Is(err, disk.ErrIrregular) {
			x.beyond = append(x.beyond, place)
		} else if disk.IgnoreNotExist(err) != nil {
			return err
		}
		for _, e := range entries {
			name := path.Join(place, e.Name())
			switch err := x.lookInto(search, name, e, owners); {
			case errors.Is(err, disk.ErrLarger):
				large++
			case e.IsDir() && err != nil:
				x.beyond = append(x.beyond, name+"/")
			case disk.IgnoreNotExist(err) != nil:
				x.beyond = append(x.beyond, name)
			}
		}
	}
	if large > 0 {
		x.beyond = append(x.beyond, fmt.Sprintf("%s/ (%d of more than 1 MiB)", ArtifactsDir, large))
	}
	return nil
}

// errNotLookedInto is returned for a file that is not looked into.
var errNotLookedInto = errors.New("not looked into")

// lookInto looks into one file that is no history. The error says that it cannot be looked into.
func (x sweeper) lookInto(search *purge.Search, name string, e fs.DirEntry,
	owners func() (map[string][]string, error)) error {
	_, ours := PlaceOf(name)
	blob := path.Dir(name) == ArtifactsDir
	switch {
	case blob && ours:
		return x.searchBlob(search, name, owners)
	case disk.IsTemp(e.Name()) && !blob, ours && !isForeign(name):
		return nil
	case disk.IsTemp(e.Name()), !e.Type().IsRegular(), isCompressed(name):
		return errNotLookedInto // the writer of a blob lives, or was killed a moment ago
	}
	return withFile(x.wr.Dir, name, func(f *disk.File, _ int64) error {
		return search.Segment(f, name)
	})
}

// isForeign reports whether a file in archive/ is no archive, which is looked into already.
func isForeign(name string) bool {
	return path.Dir(name) == log.ArchiveDir && !strings.HasSuffix(name, ".jsonl")
}

func isCompressed(name string) bool {
	return slices.Contains([]string{".gz", ".zst", ".xz", ".bz2", ".zip"}, path.Ext(name))
}
