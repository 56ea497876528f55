package filestore

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// folded is the result of folding a part of a segment.
type folded struct {
	fold    state.Fold
	maxTS   log.Stamp
	lines   int           // number of the last line that is not blank
	damaged []*log.Damage // what could not be read and was left out
	passed  bool          // a record shows an external modification, see horizon
	err     error         // the file system's
}

// minPart is how many bytes are worth a goroutine.
const minPart = 512 << 10

// fold folds what a scan yields of the bytes from start.Off to end of a segment, a long range in as
// many parts as there are processors.
func (s scan) fold(r io.ReaderAt, file string, start log.Start, end int64, known horizon) folded {
	parts, err := split(r, part{start.Off, end},
		min(runtime.GOMAXPROCS(0), int((end-start.Off)/minPart)))
	if err != nil {
		return folded{err: err}
	}
	results := make([]folded, len(parts))
	var all sync.WaitGroup
	for i, p := range parts[1:] {
		all.Go(func() { results[i+1] = s.foldPart(r, file, p, 0, known) })
	}
	results[0] = s.foldPart(r, file, parts[0], start.Line, known)
	all.Wait()
	return join(r, start.Line, parts, results)
}

// split divides a range at line ends into about n parts, at least one.
func split(r io.ReaderAt, whole part, n int) (parts []part, err error) {
	for ; n > 1; n-- {
		at, err := AfterNewline(r, whole.from+(whole.to-whole.from)/int64(n), whole.to)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{whole.from, at})
		whole.from = at
	}
	return append(parts, whole), nil
}

// AfterNewline returns the offset after the first newline at or after off, or end.
func AfterNewline(r io.ReaderAt, off, end int64) (int64, error) {
	buf := make([]byte, 4096)
	for off < end {
		chunk := buf[:min(int64(len(buf)), end-off)]
		if n, err := r.ReadAt(chunk, off); err == io.EOF {
			chunk, end = chunk[:n], off+int64(n) // a failed append was cut off meanwhile
		} else if err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
			return off + int64(i) + 1, nil
		}
		off += int64(len(chunk))
	}
	return end, nil
}

func (s scan) foldPart(r io.ReaderAt, file string, p part, line int, known horizon) folded {
	f := folded{fold: state.Fold{}, maxTS: log.MinStamp, lines: line}
	for rec, err := range s(io.NewSectionReader(r, p.from, p.to-p.from), file,
		log.Start{Off: p.from, Line: line}) {
		var damage *log.Damage
		switch {
		case errors.As(err, &damage):
			f.lines = damage.Pos.Line
			f.damaged = WithDamage(f.damaged, damage)
			continue
		case err != nil:
			f.err = err
			return f
		case known.passed(rec):
			f.passed = true
			return f
		}
		f.fold.Add(rec)
		f.maxTS = max(f.maxTS, rec.TS)
		f.lines = rec.Pos.Line
	}
	return f
}

// WithDamage adds a damaged line to a list, without its bytes unless they show a tombstone. A torn
// tail is no damage to a reader: a writer is at work, or the next one cuts it off.
func WithDamage(list []*log.Damage, d *log.Damage) []*log.Damage {
	if errors.Is(d, log.ErrTorn) {
		return list
	}
	kept := &log.Damage{Pos: d.Pos, Reason: d.Reason}
	if len(ShownTombstones(d.Raw, d.Pos)) > 0 {
		kept.Raw = bytes.Clone(d.Raw)
	}
	return append(list, kept)
}

// join puts the parts together. Only the first knew its line numbers.
func join(r io.ReaderAt, line int, parts []part, results []folded) folded {
	whole := results[0]
	for i, f := range results[1:] {
		if whole.err != nil || whole.passed {
			return whole
		}
		if f.err != nil || f.passed {
			return f
		}
		before, err := countLines(io.NewSectionReader(r, parts[0].from,
			parts[i+1].from-parts[0].from))
		if err != nil {
			return folded{err: err}
		}
		before += line
		for _, d := range f.damaged {
			d.Pos.Line += before
		}
		whole.damaged = append(whole.damaged, f.damaged...)
		whole.lines = before + f.lines
		whole.maxTS = max(whole.maxTS, f.maxTS)
		whole.fold.Merge(f.fold)
	}
	return whole
}

// part is a range of bytes of a file.
type part struct{ from, to int64 }

// countLines counts newlines.
func countLines(r io.Reader) (n int, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		chunk, err := in.Peek(1)
		if len(chunk) == 0 {
			if err == io.EOF {
				err = nil
			}
			return n, err
		}
		chunk, _ = in.Peek(in.Buffered())
		n += bytes.Count(chunk, []byte{'\n'})
		in.Discard(len(chunk))
	}
}
