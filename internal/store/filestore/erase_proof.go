package filestore

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// prove looks for the values in history, state and artifacts.
func (x *eraser) prove() (*purge.Search, error) {
	search, err := x.searchHistory()
	if err == nil {
		err = x.searchBlobs(search)
	}
	return search, err
}

// searchHistory looks for the values in the history and in the state.
func (x *eraser) searchHistory() (*purge.Search, error) {
	search := purge.NewSearch(x.plan, x.values)
	names, err := log.Archives(x.files.Dir)
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, log.File, state.FileName) {
		err := withFile(x.files.Dir, name, func(f *disk.File, size int64) error {
			return searchParts(search, f, size, name)
		})
		if ignore(err, fs.ErrNotExist) != nil {
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

// searchParts searches a long file in as many parts as there are processors.
func searchParts(search *purge.Search, f *disk.File, size int64, name string) error {
	parts, err := split(f, part{0, size}, min(runtime.GOMAXPROCS(0), int(size/minPart)))
	if err != nil {
		return err
	}
	results := make([]*purge.Search, len(parts))
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for i, p := range parts {
		results[i] = search.Fork()
		all.Go(func() {
			errs[i] = results[i].Segment(io.NewSectionReader(f, p.from, p.to-p.from), name)
		})
	}
	all.Wait()
	for _, part := range results {
		search.Merge(part)
	}
	return cmp.Or(errs...)
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
	if err != nil {
		return nil, err
	}
	more, err := x.unknown(search)
	return append(beyond, more...), err
}

// unknown looks into files below the root that are not mem's, as somebody's copy of the log: what
// they hold is for their owner to remove. It returns those that cannot be looked into.
func (x sweeper) unknown(search *purge.Search) (beyond []string, err error) {
	dir := x.files.Dir
	for _, place := range []string{".", log.ArchiveDir, ArtifactsDir, state.CacheDir} {
		entries, err := dir.ReadDir(place)
		if isNotExist(err) || errors.Is(err, disk.ErrIrregular) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(place, e.Name())
			switch _, ours := PlaceOf(name); {
			case ours && !isForeign(name), disk.IsTemp(e.Name()):
			case e.IsDir():
				beyond = append(beyond, name+"/")
			case !e.Type().IsRegular() || isCompressed(name):
				beyond = append(beyond, name)
			case searchFile(search, dir, name) != nil:
				beyond = append(beyond, name)
			}
		}
	}
	return beyond, nil
}

// isForeign reports whether a file in archive/ is no archive, which is looked into already.
func isForeign(name string) bool {
	return path.Dir(name) == log.ArchiveDir && !strings.HasSuffix(name, ".jsonl")
}

func isCompressed(name string) bool {
	return slices.Contains([]string{".gz", ".zst", ".xz", ".bz2", ".zip"}, path.Ext(name))
}

func searchFile(search *purge.Search, dir *disk.Dir, name string) error {
	return withFile(dir, name, func(f *disk.File, _ int64) error {
		return search.Segment(f, name)
	})
}
