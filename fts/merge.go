package fts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/set-memory/mem/disk"
)

// source gives terms in their order, each with its postings, which stand until the next call. The empty term ends it.
type source interface {
	next() (term string, postings []posting, err error)
}

// spill writes the pending occurrences to a temporary file: for each term its length, the term, the number of its postings, and those as one block.
func (b *Builder) spill() error {
	dir, err := b.root.Sub(Dir, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	name := fmt.Sprintf("%s%016x", disk.TempPrefix, rand.Uint64())
	f, err := dir.Edit(name)
	if err != nil {
		return err
	}
	defer f.Close()
	b.runs = append(b.runs, name)
	out := bufio.NewWriterSize(f, 256<<10)
	if err := writeRun(out, b.batch()); err != nil {
		return err
	}
	b.pending = b.pending[:0]
	b.docs = newCollector()
	return out.Flush()
}

func writeRun(out *bufio.Writer, from *batch) error {
	var buf []byte
	for {
		term, postings, err := from.next()
		if err != nil || term == "" {
			return err
		}
		buf = binary.AppendUvarint(buf[:0], uint64(len(term)))
		buf = append(buf, term...)
		buf = binary.AppendUvarint(buf, uint64(len(postings)))
		last := uint32(0)
		for _, p := range postings {
			buf = appendPosting(buf, p.row-last, p.tf)
			last = p.row
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
}

// run is a source that reads a temporary file.
type run struct {
	in       *bufio.Reader
	term     []byte
	postings []posting
}

var errRun = errors.New("damaged temporary file")

func (r *run) next() (string, []posting, error) {
	n, err := binary.ReadUvarint(r.in)
	if err == io.EOF {
		return "", nil, nil
	}
	if err != nil || n > 1<<16 {
		return "", nil, errors.Join(errRun, err)
	}
	r.term = append(r.term[:0], make([]byte, n)...)
	if _, err := io.ReadFull(r.in, r.term); err != nil {
		return "", nil, err
	}
	count, err := binary.ReadUvarint(r.in)
	if err != nil {
		return "", nil, err
	}
	r.postings = r.postings[:0]
	row := uint32(0)
	for range count {
		delta, tf, err := r.posting()
		if err != nil {
			return "", nil, err
		}
		row += delta
		r.postings = append(r.postings, posting{row, tf})
	}
	return string(r.term), r.postings, nil
}

func (r *run) posting() (delta uint32, tf counts, err error) {
	const most = binary.MaxVarintLen64 + 1 + int(fields)
	b, err := r.in.Peek(most)
	if len(b) == 0 {
		return 0, 0, err
	}
	delta, tf, size := readPosting(b)
	if size == 0 {
		return 0, 0, errRun
	}
	_, err = r.in.Discard(size)
	return delta, tf, err
}

// merged is a source that joins others, whose rows come one after the other.
type merged struct {
	from  []source
	terms []string
	heads [][]posting
	all   []posting
}

func newMerged(from ...source) (*merged, error) {
	m := &merged{from: from, terms: make([]string, len(from)), heads: make([][]posting, len(from))}
	for i := range from {
		if err := m.step(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *merged) step(i int) (err error) {
	m.terms[i], m.heads[i], err = m.from[i].next()
	return err
}

func (m *merged) next() (least string, postings []posting, err error) {
	for _, term := range m.terms {
		if term != "" && (least == "" || term < least) {
			least = term
		}
	}
	m.all = m.all[:0]
	for i, term := range m.terms {
		if term != least || term == "" {
			continue
		}
		m.all = append(m.all, m.heads[i]...)
		if err := m.step(i); err != nil {
			return "", nil, err
		}
	}
	return least, m.all, nil
}
