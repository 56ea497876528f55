package fts

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"sync"

	"github.com/set-memory/mem/disk"
)

const (
	magic     = "memfts1\n"
	pageSize  = 1024 // as little as a search that jumps about has to check
	sumSize   = 32
	dictBlock = 32 // terms whose first is written whole
)

// section is a part of the file. They follow each other in this order.
type section int

const (
	secPostings   section = iota // lists
	secTerms                     // the dictionary
	secTermBlocks                // where its blocks begin, and their lists
	secKeys
	secKeyBlocks // where their blocks begin, and the words before
	secLengths   // a byte for each row
	secAsks      // a bit for each row that ends in a question
	secFolders   // the folder of each row, uint32
	secStamps    // ts of each row, int64
	secPaths     // the folders: row uint32, rows uint32, words uint64
	sections
)

// The footer: magic, analyzer, zero (uint32 each), rows, terms, words of all rows, the ends of the sections, the state's size (uint64 each), the
// state's sum, the sum of the page sums, its own.
const (
	atAnalyzer  = len(magic)
	atRows      = atAnalyzer + 8
	atTerms     = atRows + 8
	atWords     = atTerms + 8
	atEnds      = atWords + 8
	atStateSize = atEnds + 8*int(sections)
	atStateSum  = atStateSize + 8
	atPageSum   = atStateSum + sumSize
	atSum       = atPageSum + 4
	footerSize  = atSum + 4
)

// castagnoli makes its table at the first use: most processes of mem search nothing.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// Draft is a sidecar under a temporary name. It is not synced: what a power cut leaves of it is refused by its sums.
type Draft struct {
	dir  *disk.Dir
	temp string
}

// Draft writes the sidecar, for a state of this size and SHA-256 (in hex). Either Install or Discard ends it.
func (b *Builder) Draft(stateSize int64, stateSum string) (*Draft, error) {
	defer b.Discard()
	sum, err := hex.DecodeString(stateSum)
	if err == nil && len(sum) != sumSize {
		err = hex.ErrLength
	}
	if err = errors.Join(b.err, err); err != nil {
		return nil, err
	}
	dir, err := b.root.Sub(Dir, true)
	if err != nil {
		return nil, err
	}
	temp, err := dir.TempFile(func(w io.Writer) error {
		out := &sealer{w: bufio.NewWriterSize(w, 256<<10)}
		if err := b.fill(out, dir); err != nil {
			return err
		}
		return out.close(uint64(b.rows.len()), b.rows.total, uint64(stateSize), sum)
	})
	if err != nil {
		dir.Close()
		return nil, err
	}
	return &Draft{dir: dir, temp: temp}, nil
}

// Write is Draft and Install in one.
func (b *Builder) Write(stateSize int64, stateSum string) error {
	d, err := b.Draft(stateSize, stateSum)
	if err != nil {
		return err
	}
	return d.Install()
}

// Install puts the sidecar in place.
func (d *Draft) Install() error {
	defer d.dir.Close()
	return d.dir.Commit(d.temp, File)
}

// Discard removes it.
func (d *Draft) Discard() {
	_ = d.dir.Remove(d.temp)
	d.dir.Close()
}

// fill writes the sections.
func (b *Builder) fill(out *sealer, dir *disk.Dir) error {
	sources := make([]source, 0, len(b.runs)+1)
	for _, name := range b.runs {
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		sources = append(sources, &run{in: bufio.NewReaderSize(f, 128<<10)})
	}
	all, err := newMerged(append(sources, b.batch())...)
	if err != nil {
		return err
	}
	var d dictWriter
	if err := d.write(out, all); err != nil {
		return err
	}
	out.terms = d.count
	out.section(d.terms)
	out.section(d.blocks)
	b.rows.write(out)
	return out.err
}

func (w *rowWriter) write(out *sealer) {
	out.section(w.keys)
	out.section(w.blocks)
	out.section(w.lengths)
	out.section(w.asks)
	renumber := w.paths.order()
	for _, id := range w.folders {
		out.uint32(renumber[id])
	}
	out.end()
	for _, ts := range w.stamps {
		out.uint64(uint64(ts))
	}
	out.end()
	for _, f := range w.paths.all {
		out.uint32(f.row)
		out.uint32(f.rows)
		out.uint64(f.words)
	}
	out.end()
}

// dictWriter makes the dictionary while the lists are written.
type dictWriter struct {
	terms, blocks []byte
	count         uint64
	last          string
}

func (d *dictWriter) write(out *sealer, from source) error {
	var l listWriter
	for {
		term, postings, err := from.next()
		if err != nil || term == "" {
			out.end()
			return err
		}
		if out.offset > math.MaxInt64/2 {
			return errList
		}
		at := out.offset
		for _, p := range postings {
			l.add(p)
		}
		table, blocks := l.parts()
		out.Write(table)
		out.Write(blocks)
		d.add(term, at, len(postings), len(table)+len(blocks))
	}
}

// add writes a term: what it shares with the one before, the number of its postings, the bytes of their list.
func (d *dictWriter) add(term string, at uint64, postings, size int) {
	if d.count%dictBlock == 0 {
		d.blocks = binary.LittleEndian.AppendUint64(d.blocks, uint64(len(d.terms)))
		d.blocks = binary.LittleEndian.AppendUint64(d.blocks, at)
		d.last = ""
	}
	d.terms = appendShared(d.terms, d.last, term)
	d.terms = binary.AppendUvarint(d.terms, uint64(postings))
	d.terms = binary.AppendUvarint(d.terms, uint64(size))
	d.last = term
	d.count++
}

// sealer writes the file, and keeps a sum of every page. The first error stays.
type sealer struct {
	w      *bufio.Writer
	offset uint64
	page   uint32 // CRC-32C of the page so far
	sums   []byte
	ends   []byte
	terms  uint64
	err    error
}

// Write is that of io.Writer.
func (s *sealer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && s.err == nil; {
		n := min(len(rest), int(pageSize-s.offset%pageSize))
		s.page = crc32.Update(s.page, castagnoli(), rest[:n])
		_, s.err = s.w.Write(rest[:n])
		if s.offset += uint64(n); s.offset%pageSize == 0 {
			s.endPage()
		}
		rest = rest[n:]
	}
	return len(p), s.err
}

func (s *sealer) endPage() {
	s.sums = binary.LittleEndian.AppendUint32(s.sums, s.page)
	s.page = 0
}

func (s *sealer) uint32(v uint32) {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	s.Write(b[:])
}

func (s *sealer) uint64(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	s.Write(b[:])
}

// section writes one as a whole.
func (s *sealer) section(data []byte) {
	s.Write(data)
	s.end()
}

// end notes that a section ends here.
func (s *sealer) end() { s.ends = binary.LittleEndian.AppendUint64(s.ends, s.offset) }

// close writes the sums and the footer.
func (s *sealer) close(rows, words, stateSize uint64, stateSum []byte) error {
	if s.offset%pageSize > 0 {
		s.endPage()
	}
	le := binary.LittleEndian
	foot := append(make([]byte, 0, footerSize), magic...)
	foot = le.AppendUint32(foot, AnalyzerVersion)
	foot = le.AppendUint32(foot, 0)
	for _, n := range [...]uint64{rows, s.terms, words} {
		foot = le.AppendUint64(foot, n)
	}
	foot = append(foot, s.ends...)
	foot = le.AppendUint64(foot, stateSize)
	foot = append(foot, stateSum...)
	foot = le.AppendUint32(foot, crc32.Checksum(s.sums, castagnoli()))
	foot = le.AppendUint32(foot, crc32.Checksum(foot, castagnoli()))
	s.w.Write(s.sums)
	s.w.Write(foot)
	return errors.Join(s.err, s.w.Flush())
}
