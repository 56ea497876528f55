package inject

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/log"
)

// Rename is a file or folder that a command of an agent has renamed: absolute paths. In the record
// there is one for each memory that names the file, with its key: a purge removes it.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
	Key  string `json:"key,omitempty"`
}

// former returns the path that a file had before this.
func (r Rename) former(file string) (former string, ok bool) {
	rest, ok := strings.CutPrefix(file, r.To)
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", false
	}
	return r.From + rest, true
}

// maxRenames is how often a file that a memory names may have been renamed since.
const maxRenames = 4

// formerly returns the memories that name a file by a path that it had before agents renamed it, as
// long as the record has that and no file is at that path again.
func (ch *choice) formerly(e edited) (hits []naming, err error) {
	if ch.options.Away {
		return nil, nil
	}
	file := filepath.FromSlash(e.absolute)
	list := slices.Concat(ch.renames(), ch.options.Renamed)
	var now []Rename
	for n := 0; n < maxRenames && len(hits) == 0; n++ {
		r, former := lastRename(list, file)
		if former == "" || isThere(former) {
			return nil, nil
		}
		was := newEdited(ch.options.Root, former)
		records, err := ch.store.Reader(ch.caller).FindNaming(ch.ctx, maxNaming, was.paths()...)
		if err != nil {
			return nil, err
		}
		others := was.otherPaths(records)
		for _, rec := range records {
			f := content.ParseNaming(rec.Content)
			f.Files = moved.FilesHere(rec.Layer, f.Files)
			if was.named(&f, others) >= namesEnd {
				hits = append(hits, naming{rec, namesFormer})
			}
		}
		if slices.Contains(ch.options.Renamed, r) {
			now = append(now, r)
		}
		file = former
	}
	for _, r := range now {
		for _, hit := range hits[:min(len(hits), MaxEdited)] {
			r.Key = hit.Key.String()
			ch.renamed = append(ch.renamed, r)
		}
	}
	return hits, nil
}

// recorded returns the memories that have recorded the bytes of a file under a path that is gone.
// The record keeps that as it keeps a rename by an agent, for the edit will change the bytes.
func (ch *choice) recorded(e edited) (hits []naming, err error) {
	if ch.options.Away || e.inProject == "" {
		return nil, nil
	}
	file := filepath.FromSlash(e.absolute)
	fi, err := os.Lstat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() == 0 {
		return nil, nil // a file that is new, or has no bytes to know it by
	}
	records, err := ch.store.Reader(ch.caller).FindRecorded(ch.ctx, maxNaming, fi.Size())
	sum := sync.OnceValue(func() string { return moved.SumIn(ch.options.Root, file) })
	for _, rec := range records {
		if former := ch.gone(rec, fi.Size(), sum); former != "" && len(hits) < MaxEdited {
			hits = append(hits, naming{rec, namesFormer})
			ch.renamed = append(ch.renamed, Rename{former, file, rec.Key.String()})
		}
	}
	return hits, err
}

// gone returns the path of a file that is gone and whose size and sum a memory has recorded; "" for
// none. The sum is asked for, which reads a file, where the rest fits.
func (ch *choice) gone(rec log.Record, size int64, sum func() string) string {
	f := content.ParseNaming(rec.Content)
	for _, was := range moved.FilesHere(rec.Layer, f.Files) {
		former := filepath.FromSlash(was.Path)
		if !filepath.IsAbs(former) {
			former = filepath.Join(ch.options.Root, former)
		}
		if was.Sum != "" && was.Size == size && !isThere(former) && was.Sum == sum() {
			return former
		}
	}
	return ""
}

// lastRename returns the last of some renames that brought a file to its path, and its path before.
func lastRename(list []Rename, file string) (last Rename, former string) {
	for _, r := range slices.Backward(list) {
		if former, ok := r.former(file); ok && former != file {
			return r, former
		}
	}
	return last, ""
}

// renames returns those in the record, the oldest first.
func (ch *choice) renames() (list []Rename) {
	_ = eachRecord(ch.store, []byte(`"renamed":[`), func(in Injection) { // it is best effort
		list = append(list, in.Renamed...)
	})
	return list
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}
