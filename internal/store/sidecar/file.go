package sidecar

import (
	"encoding/binary"
	"hash/crc32"
	"sync/atomic"

	"github.com/set-memory/mem/internal/base/disk"
)

// File is an open sidecar. It may be used by several goroutines, each within [disk.Guard]: what it
// returns is mapped memory.
type File struct {
	format  *Format
	data    []byte // the whole file, mapped
	sums    []byte
	checked []atomic.Uint32 // a bit for each page whose sum was found right
	ends    []int           // of the sections
	numbers []uint64
	mapping *mapping
}

// mapping is the mapped memory of a file that several use.
type mapping struct {
	unmap func() error
	users atomic.Int32
}

// Open maps the sidecar below a memory root if it is one of the state with this size and SHA-256
// (in hex). The error wraps ErrStale, fs.ErrNotExist or is the file system's.
func Open(root *disk.Dir, format *Format, stateSize int64, stateSum string) (*File, error) {
	data, unmap, err := root.Map(Dir + "/" + format.File)
	if err != nil {
		return nil, err
	}
	f := &File{format: format, data: data, mapping: &mapping{unmap: unmap}}
	f.mapping.users.Store(1)
	parse := func() error { return f.parse(uint64(stateSize), stateSum) }
	if err := disk.Guard(parse); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close unmaps. No byte of the file may be used after it.
func (f *File) Close() error {
	if f.mapping.users.Add(-1) > 0 {
		return nil
	}
	return f.mapping.unmap()
}

// Share returns the file for one more user: the last Close unmaps it. Each user checks the pages
// itself, for the disk may have damaged them since.
func (f *File) Share() *File {
	f.mapping.users.Add(1)
	own := *f
	own.checked = make([]atomic.Uint32, len(f.checked))
	return &own
}

// Number returns one of the footer's numbers that are the format's own.
func (f *File) Number(i int) uint64 { return f.numbers[i] }

// Size returns the number of bytes of a section.
func (f *File) Size(section int) int { return f.ends[section] - f.start(section) }

func (f *File) start(section int) int {
	if section == 0 {
		return 0
	}
	return f.ends[section-1]
}

// Part returns the bytes from..to (not itself) of a section, which stand until Close, and which are
// read within [disk.Guard]. The error wraps ErrStale: they are damaged, or there are no such bytes.
func (f *File) Part(section, from, to int) ([]byte, error) {
	start := f.start(section)
	if from < 0 || to < from || to > f.Size(section) {
		return nil, f.format.stale("leads out of bounds")
	}
	from, to = start+from, start+to
	size := f.format.PageSize
	for page := from / size; page*size < to; page++ {
		if err := f.check(page); err != nil {
			return nil, err
		}
	}
	return f.data[from:to:to], nil
}

// check is where a page of the sections is touched for the first time: it must have its sum.
func (f *File) check(page int) error {
	if f.checked[page/32].Load()&(1<<(page%32)) != 0 {
		return nil
	}
	size := f.format.PageSize
	data := f.data[page*size : min((page+1)*size, f.ends[len(f.ends)-1])]
	if crc32.Checksum(data, castagnoli()) != binary.LittleEndian.Uint32(f.sums[4*page:]) {
		return f.format.stale("damaged")
	}
	f.checked[page/32].Or(1 << (page % 32))
	return nil
}

// parse believes the footer if it is one of this state, and fits the file.
func (f *File) parse(stateSize uint64, stateSum string) error {
	format, le := f.format, binary.LittleEndian
	if len(f.data) < format.footerSize() {
		return format.stale("cut short")
	}
	foot := f.data[len(f.data)-format.footerSize():]
	sum, err := parseSum(stateSum)
	switch {
	case string(foot[format.atMagic():]) != format.Magic:
		return format.stale("not a sidecar of this version")
	case crc32.Checksum(foot[:format.atSum()], castagnoli()) != le.Uint32(foot[format.atSum():]):
		return format.stale("damaged")
	case err != nil || le.Uint64(foot[format.atStateSize():]) != stateSize,
		string(foot[format.atStateSum():format.atPageSum()]) != string(sum):
		return format.stale("written for another state")
	}
	for i := range format.Numbers {
		f.numbers = append(f.numbers, le.Uint64(foot[8*i:]))
	}
	return f.parseSections(foot)
}

// parseSections takes the ends of the sections, and the sums behind them.
func (f *File) parseSections(foot []byte) error {
	format, le := f.format, binary.LittleEndian
	body, last := uint64(len(f.data)-len(foot)), uint64(0)
	for i := range format.Sections {
		end := le.Uint64(foot[format.atEnds()+8*i:])
		if end < last || end > body {
			return format.stale("cut short")
		}
		f.ends, last = append(f.ends, int(end)), end
	}
	size := uint64(format.PageSize)
	pages := (last + size - 1) / size
	if body-last != 4*pages {
		return format.stale("cut short")
	}
	f.sums = f.data[last:body]
	if crc32.Checksum(f.sums, castagnoli()) != le.Uint32(foot[format.atPageSum():]) {
		return format.stale("damaged")
	}
	f.checked = make([]atomic.Uint32, (pages+31)/32)
	return nil
}
