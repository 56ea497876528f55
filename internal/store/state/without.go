package state

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Without writes the state without some records to a synced temporary file: those of keys that
// takes accepts. The rest keeps its bytes, and the checkpoint what it says of the history. There
// are no sidecars: the next compaction makes them. It returns nil where there is nothing to leave
// out. The error wraps ErrCheckpoint for a state that cannot be read.
func Without(dir *disk.Dir, keys []keypath.Key, takes func(log.Record) bool) (*Draft, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	spans, err := f.linesOf(keys, takes)
	if err != nil || len(spans) == 0 {
		return nil, err
	}
	d := &Draft{Checkpoint: f.Checkpoint, dir: dir}
	d.Size, d.Keys = 0, f.Keys-len(spans)
	sum := sha256.New()
	// A crash within this leaves a temporary file, which fsck removes.
	d.temp, err = dir.TempFileSync(func(w io.Writer) error {
		out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
		if d.Size, err = f.copyWithout(out, spans); err != nil {
			return err
		}
		return out.Flush()
	})
	d.Sum = hex.EncodeToString(sum.Sum(nil))
	return d, err
}

// linesOf returns where the lines of keys are that takes accepts, in their order.
func (f *File) linesOf(keys []keypath.Key, takes func(log.Record) bool) (spans []span, err error) {
	for _, key := range slices.SortedFunc(slices.Values(keys), keypath.Key.Compare) {
		at, err := lowerBound(f.f, 0, f.Size, key.String())
		if err != nil {
			return nil, damagedState(err)
		}
		if at == f.Size {
			break
		}
		line, from, to, err := lineAround(f.f, at, f.Size)
		if err != nil {
			return nil, damagedState(err)
		}
		e, err := log.Decode(line)
		if err != nil {
			return nil, damagedState(errors.Join(errDamaged, err))
		}
		if e.Key == key && takes(log.Record{Envelope: e, Line: line}) {
			spans = append(spans, span{from, min(to, f.Size)})
		}
	}
	return spans, nil
}

// damagedState makes an error of a damaged file one that wraps ErrCheckpoint.
func damagedState(err error) error {
	if errors.Is(err, errDamaged) {
		return errors.Join(ErrCheckpoint, err)
	}
	return err
}

// copyWithout copies the file but for some spans, and returns how many bytes it wrote.
func (f *File) copyWithout(w io.Writer, spans []span) (size int64, err error) {
	at := int64(0)
	for _, s := range append(slices.Clip(spans), span{f.Size, f.Size}) {
		n, err := io.Copy(w, io.NewSectionReader(f.f, at, s.from-at))
		if size += n; err != nil {
			return size, err
		}
		at = s.to
	}
	return size, nil
}

// IsBare reports whether there is a state, and cache/ holds nothing besides keep: answers are the
// same without sidecars, and slower.
func IsBare(dir *disk.Dir, keep string) bool {
	if _, err := ReadCheckpoint(dir); err != nil {
		return false
	}
	names, err := dir.Names(CacheDir)
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return name != keep && !disk.IsTemp(name)
	})
}

// RemoveSidecars removes what cache/ holds besides keep: it is made anew by the next compaction.
func RemoveSidecars(dir *disk.Dir, keep string) error {
	names, err := dir.Names(CacheDir)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	for _, name := range names {
		if name == keep {
			continue
		}
		// A crash before this leaves a sidecar of a state that is no more: nobody uses it.
		if err := disk.IgnoreNotExist(dir.Remove(CacheDir + "/" + name)); err != nil {
			return err
		}
	}
	return nil
}
