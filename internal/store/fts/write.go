package fts

import (
	"bufio"
	"encoding/binary"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/internal/store/sidecar"
)

// Draft writes the sidecar, for a state of this size and SHA-256 (in hex). Either Install or
// Discard ends it. The error wraps ErrStale or disk.ErrFault where the index that Reuse has given
// was no help: then a Builder without it may be.
func (b *Builder) Draft(stateSize int64, stateSum string) (*sidecar.Draft, error) {
	defer b.Discard()
	if err := b.end(); err != nil {
		return nil, err
	}
	return sidecar.Create(b.root, format, stateSize, stateSum, func(out *sidecar.Writer) error {
		return disk.Guard(func() error { return b.fill(out) })
	})
}

func (b *Builder) fill(out *sidecar.Writer) error {
	var parts []source
	for _, p := range b.parts {
		if p == nil {
			continue
		}
		all, err := p.open()
		if err != nil {
			return err
		}
		defer all.close()
		parts = append(parts, all)
	}
	if b.old != nil {
		if err := b.old.check(); err != nil {
			return err
		}
		parts = append(parts, b.old.lists())
	}
	all, err := newMerged(parts...)
	if err != nil {
		return err
	}
	var d dictWriter
	if err := d.write(out, all); err != nil {
		return err
	}
	out.Section(d.terms)
	out.Section(d.blocks)
	b.rows.write(out)
	out.SetNumbers(analyzer.Version, uint64(b.rows.len()), d.count, b.rows.total)
	return out.Err()
}

// partLists is all that a part has: its runs, whose rows come one after the other, and what it
// holds.
type partLists struct {
	*merged
	files []*disk.File
}

func (p *part) open() (*partLists, error) {
	o := &partLists{}
	sources := make([]source, 0, len(p.runs)+1)
	for _, name := range p.runs {
		f, err := p.root.Open(sidecar.Dir + "/" + name)
		if err != nil {
			o.close()
			return nil, err
		}
		o.files = append(o.files, f)
		sources = append(sources, &run{in: bufio.NewReaderSize(f, 128<<10)})
	}
	var err error
	if o.merged, err = newMerged(append(sources, p.sorted())...); err != nil {
		o.close()
	}
	return o, err
}

func (o *partLists) close() {
	for _, f := range o.files {
		f.Close() // it was only read
	}
}

func (w *rowWriter) write(out *sidecar.Writer) {
	out.Section(w.keys)
	out.Section(w.blocks)
	out.Section(w.lengths)
	marks := make([]byte, 0, 2*len(w.marks))
	for _, m := range w.marks {
		marks = binary.LittleEndian.AppendUint16(marks, uint16(m))
	}
	out.Section(marks)
	renumber := w.folders.sortByName()
	for _, id := range w.folderIDs {
		out.Uint32(renumber[id])
	}
	out.EndSection()
	order := w.sortRows(renumber)
	places := make([]uint32, len(order))
	for place, row := range order {
		out.Uint32(row)
		places[row] = uint32(place)
	}
	out.EndSection()
	for _, place := range places {
		out.Uint32(place)
	}
	out.EndSection()
	for _, ts := range w.stamps {
		out.Uint64(uint64(ts))
	}
	out.EndSection()
	for _, f := range w.folders.all {
		out.Uint32(f.first)
		out.Uint32(f.rows)
		out.Uint64(f.words)
	}
	out.EndSection()
	for _, r := range w.closed {
		out.Uint32(r.from)
		out.Uint32(r.to)
		out.Uint32(r.code())
	}
	out.EndSection()
}

type dictWriter struct {
	terms, blocks []byte
	count         uint64
	last          string
}

func (d *dictWriter) write(out *sidecar.Writer, from source) error {
	var l listWriter
	for {
		t, err := from.next()
		if err == nil && t.records < 0 {
			err = stale("forms that no record had")
		}
		if err != nil || t.term == "" {
			out.EndSection()
			return err
		}
		if t.records == 0 {
			continue // all that had it are gone
		}
		at := out.Offset()
		for _, p := range t.postings {
			l.add(p)
		}
		table, blocks := l.finish()
		_, _ = out.Write(table) // the writer keeps the error
		_, _ = out.Write(blocks)
		d.add(t.term, at, t.records, len(table)+len(blocks))
	}
}

// add writes a term: what it shares with the one before, the number of records that have it, the
// bytes of the list of its postings.
func (d *dictWriter) add(term string, at uint64, records, size int) {
	if d.count%dictBlock == 0 {
		d.blocks = binary.LittleEndian.AppendUint64(d.blocks, uint64(len(d.terms)))
		d.blocks = binary.LittleEndian.AppendUint64(d.blocks, at)
		d.last = ""
	}
	d.terms = appendShared(d.terms, d.last, term)
	d.terms = binary.AppendUvarint(d.terms, uint64(records))
	d.terms = binary.AppendUvarint(d.terms, uint64(size))
	d.last = term
	d.count++
}
