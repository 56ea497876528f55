package fts

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/sidecar"
)

// source yields terms in their order. The empty term ends it.
type source interface {
	next() (termList, error)
}

// termList is a term of a source, with postings that stand until the next call.
type termList struct {
	term     string
	records  int       // that have it; below 0 where a part has only seen forms go
	postings []posting // of each of these, but none of a form
}

// spill writes the lists in memory to a temporary file: for each term its length, the term, the
// number of records that have it, the length of its postings, and they as the arena has them.
func (p *part) spill() error {
	dir, err := p.root.Sub(sidecar.Dir, true)
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
	p.runs = append(p.runs, name)
	out := bufio.NewWriterSize(f, 256<<10)
	if err := writeRun(out, p.sorted()); err != nil {
		return err
	}
	p.docs, p.lists, p.arena.buf = newCollector(), p.lists[:0], p.arena.buf[:0]
	return out.Flush()
}

func writeRun(out *bufio.Writer, from *held) error {
	var head []byte
	for {
		term, count, raw := from.nextRaw()
		if term == "" {
			return nil
		}
		head = binary.AppendUvarint(head[:0], uint64(len(term)))
		head = append(head, term...)
		head = binary.AppendVarint(head, int64(count))
		head = binary.AppendUvarint(head, uint64(len(raw)))
		out.Write(head)
		if _, err := out.Write(raw); err != nil {
			return err
		}
	}
}

// run is a source that reads a temporary file.
type run struct {
	in        *bufio.Reader
	term, raw []byte
	postings  []posting
}

var errRun = errors.New("damaged temporary file")

func (r *run) next() (t termList, err error) {
	if r.term, err = r.bytes(r.term); err != nil {
		if err == io.EOF {
			err = nil
		}
		return t, err
	}
	count, err := binary.ReadVarint(r.in)
	if err == nil {
		r.raw, err = r.bytes(r.raw)
	}
	if err == nil {
		r.postings, err = unpack(r.postings[:0], r.raw)
	}
	if err != nil {
		return t, fmt.Errorf("%w: %w", errRun, err)
	}
	return termList{string(r.term), int(count), r.postings}, nil
}

// bytes reads some bytes behind their number.
func (r *run) bytes(buf []byte) ([]byte, error) {
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return nil, err
	}
	if n > 1<<31 {
		return nil, errRun
	}
	buf = append(buf[:0], make([]byte, n)...)
	_, err = io.ReadFull(r.in, buf)
	return buf, err
}

// merged is a source that joins others, each of other rows.
type merged struct {
	from  []source
	heads []termList
	given []int // heads whose term was returned last: their postings may be the caller's till next
	all   []posting
	spare []posting
}

func newMerged(from ...source) (*merged, error) {
	m := &merged{from: from, heads: make([]termList, len(from)), given: make([]int, len(from))}
	for i := range m.given {
		m.given[i] = i
	}
	return m, m.step()
}

// step goes on behind the heads that were given.
func (m *merged) step() (err error) {
	for _, i := range m.given {
		if m.heads[i], err = m.from[i].next(); err != nil {
			return err
		}
	}
	m.given = m.given[:0]
	return nil
}

func (m *merged) next() (least termList, err error) {
	if err := m.step(); err != nil {
		return termList{}, err
	}
	for i := range m.heads {
		switch t := &m.heads[i]; {
		case t.term == "" || len(m.given) > 0 && least.term < t.term:
		case len(m.given) > 0 && least.term == t.term:
			m.given = append(m.given, i)
		default:
			least, m.given = *t, append(m.given[:0], i)
		}
	}
	if len(m.given) < 2 {
		return least, nil
	}
	m.all = append(m.all[:0], least.postings...)
	for _, i := range m.given[1:] {
		least.records += m.heads[i].records
		m.add(m.heads[i].postings)
	}
	least.postings = m.all
	return least, nil
}

// add puts postings among those that are there, in the order of their rows.
func (m *merged) add(more []posting) {
	n := len(m.all)
	if n == 0 || len(more) == 0 || m.all[n-1].row < more[0].row {
		m.all = append(m.all, more...)
		return
	}
	both, have := m.spare[:0], m.all
	for len(have) > 0 && len(more) > 0 {
		if have[0].row < more[0].row {
			both, have = append(both, have[0]), have[1:]
		} else {
			both, more = append(both, more[0]), more[1:]
		}
	}
	both = append(append(both, have...), more...)
	m.all, m.spare = both, m.all
}
