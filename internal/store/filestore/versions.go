package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Versions returns what archives and log have of a key. It keeps where the lines are, not the
// lines: a key that was written often has more of them than fit into memory.
func (s *Store) Versions(ctx context.Context, key keypath.Key) (backend.Versions, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return backend.Versions{}, err
	}
	warnOfArchives(s, r.Dir)
	w := &versions{ctx: ctx, dir: r.Dir, older: filesOf(s, r).older(), key: key}
	if err = w.settle(); err == nil {
		err = w.order()
	}
	if err != nil || len(w.list) == 0 {
		w.close()
		return backend.Versions{Damaged: w.damaged}, err
	}
	return backend.Versions{Count: len(w.list), Damaged: w.damaged, Rows: w.rows()}, nil
}

// version is where a version of a key is.
type version struct {
	ts log.Stamp
	at log.Pos
}

// versions finds the versions of a key, and reads them.
type versions struct {
	ctx     context.Context // of the one call that it lives for
	dir     *disk.Dir
	older   older
	key     keypath.Key
	list    []version
	damaged []*log.Damage

	seg   *log.Segment          // the live log as it was, whatever is rotated since; nil: none
	files map[string]*disk.File // the archives that have versions, as they were
}

// settle finds the lines, and opens the files that have them: a purge may replace an archive.
func (w *versions) settle() error {
	for try := 0; ; try++ {
		before, _, err := ReadWatermark(w.dir)
		if err != nil {
			return err
		}
		if err = w.collect(); err == nil {
			err = w.hold()
		}
		if err != nil {
			return err
		}
		after, _, err := ReadWatermark(w.dir)
		if err != nil || after.Gen == before.Gen || try == Retries {
			return err
		}
		w.close()
		w.list, w.damaged = nil, nil
	}
}

// hold opens the archives that have versions.
func (w *versions) hold() error {
	w.files = map[string]*disk.File{}
	for _, v := range w.list {
		name := v.at.File
		if name == log.File || w.files[name] != nil {
			continue
		}
		f, err := w.dir.Open(name)
		if err != nil {
			return err
		}
		w.files[name] = f
	}
	return nil
}

// collect finds the lines. The log is opened before the archives are listed, so a rotation
// meanwhile hides nothing.
func (w *versions) collect() (err error) {
	w.seg, err = log.OpenSegment(w.dir)
	if err != nil && !isNotExist(err) {
		return err
	}
	var failed error
	see := func(rec log.Record, err error) bool {
		failed = w.see(rec, err)
		return failed == nil
	}
	scan := only(log.Want(w.key))
	if w.older(w.dir, scan, see) && w.seg != nil {
		scanInto(w.seg.From(0), log.File, scan, see)
	}
	return failed
}

func (w *versions) see(rec log.Record, err error) error {
	var d *log.Damage
	switch {
	case w.ctx.Err() != nil:
		return fmt.Errorf("reading: %w", context.Cause(w.ctx))
	case errors.As(err, &d):
		// A torn tail is a writer at work, or is repaired by the next one.
		if !errors.Is(err, log.ErrTorn) {
			kept := *d
			kept.Raw = nil
			w.damaged = append(w.damaged, &kept)
		}
	case err != nil:
		return err
	case rec.Key == w.key:
		w.list = append(w.list, version{rec.TS, rec.Pos})
	}
	return nil
}

// order sorts the versions, newest first, and leaves each in once. Only lines of the same time are
// compared, as those that are in two files after a crash in a rotation.
func (w *versions) order() error {
	slices.SortStableFunc(w.list, func(a, b version) int {
		switch {
		case a.ts > b.ts:
			return -1
		case a.ts < b.ts:
			return 1
		}
		return 0
	})
	kept := w.list[:0]
	for from := 0; from < len(w.list); {
		to := from + 1
		for to < len(w.list) && w.list[to].ts == w.list[from].ts {
			to++
		}
		group, err := w.distinct(w.list[from:to])
		if err != nil {
			return err
		}
		kept = append(kept, group...)
		from = to
	}
	w.list = kept
	return nil
}

// distinct returns versions of the same time in their order, without those that are the same.
func (w *versions) distinct(group []version) ([]version, error) {
	if len(group) == 1 {
		return group, nil
	}
	var recs []log.Record
	for _, v := range group {
		rec, ok, err := w.read(v)
		if err != nil {
			return nil, err
		}
		if ok {
			recs = append(recs, rec)
		}
	}
	slices.SortStableFunc(recs, log.NewestFirst)
	group = group[:0]
	for i, rec := range recs {
		if i == 0 || !bytes.Equal(rec.Line, recs[i-1].Line) {
			group = append(group, version{rec.TS, rec.Pos})
		}
	}
	return group, nil
}

// rows yields the versions, and closes the files at the end.
func (w *versions) rows() iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		defer w.close()
		for _, v := range w.list {
			if w.ctx.Err() != nil {
				yield(log.Record{}, fmt.Errorf("reading: %w", context.Cause(w.ctx)))
				return
			}
			rec, ok, err := w.read(v)
			if (ok || err != nil) && !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// read reads a version. It is not ok where the line was cut off since: it was never acknowledged.
func (w *versions) read(v version) (log.Record, bool, error) {
	raw := make([]byte, v.at.Len)
	n, err := w.open(v.at.File).ReadAt(raw, v.at.Off)
	if err != nil && !errors.Is(err, io.EOF) {
		return log.Record{}, false, err
	}
	start := log.Start{Off: v.at.Off, Line: v.at.Line - 1}
	for rec, err := range log.Scan(bytes.NewReader(raw[:n]), v.at.File, start) {
		return rec, err == nil && rec.Key == w.key && rec.TS == v.ts, nil
	}
	return log.Record{}, false, nil
}

// open returns the file of a version.
func (w *versions) open(name string) io.ReaderAt {
	if name == log.File {
		return w.seg
	}
	return w.files[name]
}

func (w *versions) close() {
	for _, f := range w.files {
		f.Close()
	}
	if w.seg != nil {
		w.seg.Close()
	}
	w.seg, w.files = nil, nil
}
