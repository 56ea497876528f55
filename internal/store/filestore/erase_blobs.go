package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// erasedBlobs is what an erasure does about artifacts/.
type erasedBlobs struct {
	sums map[string]bool // that the versions which go are about
	gone map[string]bool // of these, those whose files are removed
	kept []string        // the others, in order
}

// add adds the blob of a version that goes; "" for none.
func (b *erasedBlobs) add(sum string) {
	if sum == "" {
		return
	}
	if b.sums == nil {
		b.sums = map[string]bool{}
	}
	b.sums[sum] = true
}

// complete makes the plan and b name the same blobs: once lines of the keys are gone, only the plan
// still knows theirs.
func (b *erasedBlobs) complete(plan *purge.Plan) {
	for _, sum := range plan.Blobs {
		if content.IsBlobSum(sum) {
			b.add(sum)
		}
	}
	plan.Blobs = slices.Sorted(maps.Keys(b.sums))
}

// named reports whether a name in quarantine/, without its time, is that of a file which was
// removed from artifacts/, or of a damaged one that had its place.
func (b *erasedBlobs) named(name string) bool {
	rest, is := strings.CutPrefix(name, log.FlatName(ArtifactsDir+"/"))
	sum, number, _ := strings.Cut(rest, "-")
	return is && b.gone[sum] && (len(rest) == len(sum) || isNumber("-"+number))
}

// removeBlobs removes the files of the artifacts that go, but for those that a live artifact is
// about too. It comes first and under the lock: who writes such an artifact looks, under the lock
// as well, whether its file is there.
func (x replacer) removeBlobs() error {
	if len(x.blobs.sums) == 0 {
		return nil
	}
	return x.locked(func(wr *Writer) error {
		used, err := x.usedBlobs(wr)
		if err != nil {
			return err
		}
		x.blobs.gone, x.blobs.kept = map[string]bool{}, nil
		for _, sum := range x.plan.Blobs {
			if used[sum] {
				x.blobs.kept = append(x.blobs.kept, sum)
				continue
			}
			x.blobs.gone[sum] = true
			if err := x.removeBlob(wr.Dir, sum); err != nil {
				return err
			}
		}
		return nil
	})
}

// removeBlob removes a file from artifacts/. What is no plain file holds nothing of a blob: fsck
// finds it.
func (x replacer) removeBlob(dir *disk.Dir, sum string) error {
	sub, err := dir.Sub(ArtifactsDir, false)
	if errors.Is(err, disk.ErrIrregular) {
		return nil
	}
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer sub.Close()
	fi, err := sub.Lstat(sum)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	if !fi.Mode().IsRegular() {
		x.beyond = append(x.beyond, ArtifactsDir+"/"+sum)
		return nil
	}
	// A crash before this leaves the file, and the plan, which has its name. The directory is
	// synced before the plan is removed.
	return disk.IgnoreNotExist(sub.Remove(sum))
}

// usedBlobs returns which blobs of the plan live artifacts are about, now that the tombstones are
// written. A line that the view had to leave out counts if it names one: a repair may find its
// sound copy.
func (x replacer) usedBlobs(wr *Writer) (map[string]bool, error) {
	v, err := wr.Load()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	used := map[string]bool{}
	for rec, err := range liveArtifacts(v) {
		if err != nil {
			return nil, err
		}
		used[content.BlobOf(rec.Key, rec.Content)] = true
	}
	for _, d := range v.Damaged {
		raw, err := BytesAt(wr.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
		if err != nil {
			return nil, err
		}
		for _, sum := range x.plan.Blobs {
			used[sum] = used[sum] || bytes.Contains(raw, []byte(sum)) &&
				!x.plan.Wanted().Has(log.ShownKey(raw))
		}
	}
	return used, nil
}

// liveArtifacts yields the live records of artifacts, those that wait in quarantine too. An error
// is the last.
func liveArtifacts(v *View) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for _, space := range []string{keypath.Artifacts, keypath.Untrusted + keypath.Artifacts} {
			prefix, err := keypath.ParsePrefix(space)
			if err != nil {
				yield(log.Record{}, err)
				return
			}
			for rec, err := range v.Below(context.Background(), prefix) {
				if !yield(rec, err) || err != nil {
					return
				}
			}
		}
	}
}

// maxSearchedBlob is how large a blob may be to be searched for what goes: as large as a memory,
// which would be searched if it held the text itself. To search all that tools ever printed would
// take minutes.
const maxSearchedBlob = 1 << 20

// searchBlobs looks for the values in what is kept for other artifacts.
func (x *eraser) searchBlobs(search *purge.Search) error {
	names, err := x.files.Dir.Names(ArtifactsDir)
	if isNotExist(err) {
		return nil
	}
	if errors.Is(err, disk.ErrIrregular) {
		x.beyond = append(x.beyond, ArtifactsDir)
		return nil
	}
	if err != nil {
		return err
	}
	owners, err := x.blobOwners()
	if err != nil {
		return err
	}
	large := 0
	for _, base := range names {
		name := ArtifactsDir + "/" + base
		if disk.IsTemp(base) { // its writer lives, or was killed a moment ago
			x.beyond = append(x.beyond, name)
		}
		if !content.IsBlobSum(base) {
			continue
		}
		switch err := searchBlob(search, x.files.Dir, name, owners[base]); {
		case errors.Is(err, disk.ErrLarger):
			large++
		case disk.IgnoreNotExist(err) != nil:
			x.beyond = append(x.beyond, name)
		}
	}
	if large > 0 {
		x.beyond = append(x.beyond, fmt.Sprintf("%s/ (%d of more than 1 MiB)", ArtifactsDir, large))
	}
	return nil
}

// searchBlob searches one blob. What it has is its owners'; where no live artifact is about it, it
// is looked at as any file that shows no key.
func searchBlob(search *purge.Search, dir *disk.Dir, name string, owners []string) error {
	text, err := dir.ReadFile(name, maxSearchedBlob)
	if err != nil {
		return err
	}
	for _, key := range owners {
		search.Owned(text, name, key)
	}
	if len(owners) == 0 {
		return search.Segment(bytes.NewReader(text), name)
	}
	return nil
}

// blobOwners returns the keys of the live artifacts by what they are about.
func (x *eraser) blobOwners() (map[string][]string, error) {
	v, err := x.files.Load()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	owners := map[string][]string{}
	for rec, err := range liveArtifacts(v) {
		if err != nil {
			return nil, err
		}
		if sum := content.BlobOf(rec.Key, rec.Content); sum != "" {
			owners[sum] = append(owners[sum], rec.Key.String())
		}
	}
	return owners, nil
}
