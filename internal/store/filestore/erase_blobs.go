package filestore

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// erasedBlobs lists the files of artifacts/ that an erasure removed and kept.
type erasedBlobs struct {
	gone map[string]bool // sums whose files are removed
	kept []string        // those of the others, in order
}

// named reports whether a name in quarantine/, without its time, is that of a file which was
// removed from artifacts/, or of a damaged one that had its place.
func (b *erasedBlobs) named(name string) bool {
	rest, is := strings.CutPrefix(name, log.FlatName(ArtifactsDir+"/"))
	sum, number, _ := strings.Cut(rest, "-")
	return is && b.gone[sum] && (len(rest) == len(sum) || isNumber("-"+number))
}

// removeBlobs removes the files of the artifacts that go, but for those that a live artifact is
// about too. A writer of such an artifact checks, under the lock as well, that its file is there.
func (x *eraser) removeBlobs() error {
	x.plan.AddBlobs(x.values.Blobs())
	if len(x.plan.Blobs) == 0 {
		return nil
	}
	used, err := x.usedBlobs()
	if err != nil {
		return err
	}
	x.blobs.gone = map[string]bool{}
	for _, sum := range x.plan.Blobs {
		if used[sum] {
			x.blobs.kept = append(x.blobs.kept, sum)
			continue
		}
		x.blobs.gone[sum] = true
		if err := x.removeBlob(sum); err != nil {
			return err
		}
	}
	return nil
}

// removeBlob removes a file from artifacts/. An entry that is not a plain file holds nothing of a
// blob: fsck reports it.
func (x *eraser) removeBlob(sum string) error {
	sub, err := x.wr.Dir.Sub(ArtifactsDir, false)
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
func (x *eraser) usedBlobs() (map[string]bool, error) {
	v, err := x.wr.Load()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	used := map[string]bool{}
	owners, err := ownersIn(v)
	if err != nil {
		return nil, err
	}
	for sum := range owners {
		used[sum] = true
	}
	for _, d := range v.Damaged {
		raw, err := BytesAt(x.wr.Dir, d.Pos.File, d.Pos.Off, d.Pos.Len)
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

// ownersIn returns the keys of the live artifacts of a view by what they are about.
func ownersIn(v *View) (map[string][]string, error) {
	owners := map[string][]string{}
	for _, space := range []string{keypath.Artifacts, keypath.Untrusted + keypath.Artifacts} {
		prefix := keypath.MustPrefix(space)
		for rec, err := range v.ScanBelow(context.Background(), prefix) {
			if err != nil {
				return nil, err
			}
			if sum := content.BlobOf(rec.Key, rec.Content); sum != "" {
				owners[sum] = append(owners[sum], rec.Key.String())
			}
		}
	}
	return owners, nil
}

// blobOwners is ownersIn for the store as it is.
func (x *eraser) blobOwners() (map[string][]string, error) {
	v, err := x.wr.Load()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	return ownersIn(v)
}

// maxSearchedBlob is how large a blob may be to be searched for what goes: as large as a memory.
const maxSearchedBlob = 1 << 20

// searchBlob searches one blob. What it has is its owners'; where no live artifact needs it, it
// is looked at as any file that shows no key.
func (x *eraser) searchBlob(search *purge.Search, name string,
	owners func() (map[string][]string, error)) error {
	text, err := x.wr.Dir.ReadFile(name, maxSearchedBlob)
	if err != nil {
		return err
	}
	all, err := owners()
	if err != nil {
		return err
	}
	keys := all[path.Base(name)]
	for _, key := range keys {
		search.Owned(text, name, key)
	}
	if len(keys) == 0 {
		return search.Segment(bytes.NewReader(text), name)
	}
	return nil
}
