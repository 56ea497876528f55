package site

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

var (
	// ErrIndex is wrapped where an index is damaged, or of a version or format that is not known.
	ErrIndex = errors.New("not a git index")
	// ErrOutside is wrapped by Tracks for a path that is not below the work tree.
	ErrOutside = errors.New("not below the work tree")
	// ErrDisowned is returned by Tracks where the .git leads to a repository that does not know of
	// the work tree: its index is another's.
	ErrDisowned = errors.New("its .git names a repository that does not know this work tree")
)

// Tracks reports whether the index has a path, or anything below it. path is absolute and without
// symbolic links, as WorkTree is. After an error the answer is unknown, and a careful caller takes
// the path for tracked.
func (r Repo) Tracks(path string) (bool, error) {
	return r.inIndex(path, false)
}

// TracksAlone reports whether the index has a file, and no other one with its last element. It is
// false where some of the index is elsewhere. path and the error are as those of Tracks.
func (r Repo) TracksAlone(path string) (bool, error) { return r.inIndex(path, true) }

func (r Repo) inIndex(path string, alone bool) (bool, error) {
	rel, err := filepath.Rel(r.WorkTree, path)
	if err != nil || !filepath.IsAbs(path) || !filepath.IsLocal(rel) {
		return false, fmt.Errorf("%s: %w %s", path, ErrOutside, r.WorkTree)
	}
	if fi, err := os.Lstat(r.GitDir); err != nil || !fi.IsDir() {
		return false, cmp.Or(err, ErrDisowned)
	}
	dir, err := disk.Open(r.GitDir)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	names, err := dir.Names(".")
	if err != nil {
		return false, err
	}
	if !slices.Contains(names, "index") {
		return false, nil
	}
	s := searchFor(filepath.ToSlash(rel))
	if s.idLen, err = idLen(r.Common); err != nil {
		return false, err
	}
	s.whole = slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "sharedindex.")
	})
	if alone {
		return s.alone(dir)
	}
	return s.file(dir, "index")
}

// alone searches an index to its end for the name, and for others with its last element.
func (s search) alone(dir *disk.Dir) (found bool, err error) {
	f, err := dir.Open("index")
	if err != nil || s.whole {
		return false, err
	}
	defer f.Close()
	r := &indexReader{in: bufio.NewReaderSize(f, maxName), search: s}
	n, err := r.header()
	base := []byte("/" + path.Base(s.name))
	for ; n > 0 && err == nil; n-- {
		mode, failed := r.entry()
		err = failed
		switch {
		case string(r.last) == s.name:
			found = true
		case mode == modeTree, string(r.last) == string(base[1:]), bytes.HasSuffix(r.last, base):
			return false, err
		}
	}
	return found && err == nil, err
}

// idLen returns how many bytes the ids of a repository's objects have.
func idLen(git string) (int, error) {
	switch conf, err := readConfig(git); {
	case err != nil:
		return 0, err
	case conf.format == "" || conf.format == "sha1":
		return 20, nil
	case conf.format == "sha256":
		return 32, nil
	default:
		return 0, fmt.Errorf("%w: ids of format %q", ErrIndex, conf.format)
	}
}

// search looks for one name in an index.
type search struct {
	name  string // "" for any
	below []byte // how the names below it begin
	idLen int
	whole bool // the index may continue in a shared one
}

// searchFor returns the search for a slash-separated name; "." stands for all.
func searchFor(name string) search {
	if name == "." {
		name = ""
	}
	return search{name: name, below: []byte(name + "/")}
}

func (s search) file(dir *disk.Dir, name string) (bool, error) {
	f, err := dir.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return false, err
	}
	found, shared, err := s.scanIndex(f, fi.Size())
	switch {
	case err != nil:
		return false, &fs.PathError{Op: "read", Path: f.Path(), Err: err}
	case found || shared == "":
		return found, nil
	}
	s.whole = false // a shared index names no other
	return s.file(dir, "sharedindex."+shared)
}

// scanIndex searches the bytes of an index. shared is the id of the index that this one continues
// scanIndex.
func (s search) scanIndex(in io.Reader, size int64) (found bool, shared string, err error) {
	r := &indexReader{in: bufio.NewReaderSize(in, maxName), search: s}
	found, err = r.entries()
	if err == nil && !found && s.whole {
		shared, err = r.link(size)
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it is cut short", ErrIndex)
	}
	return found, shared, err
}

// maxName is what a name in an index may have in bytes, its end included.
const maxName = 64 << 10

// indexReader reads an index from its beginning to its end.
type indexReader struct {
	search
	in      *bufio.Reader
	pos     int64
	version uint32
	last    []byte // the name of the entry before
	spare   []byte // for the next name
}

// take returns the next n bytes, valid until the next call.
func (r *indexReader) take(n int) ([]byte, error) {
	b, err := r.in.Peek(n)
	if err != nil {
		return nil, err
	}
	r.pos += int64(n)
	_, err = r.in.Discard(n)
	return b, err
}

// entries reports whether the name is among the entries. They are sorted, so it ends early unless
// the whole index is to be read.
func (r *indexReader) entries() (found bool, err error) {
	n, err := r.header()
	if err != nil {
		return false, err
	}
	for ; n > 0; n-- {
		mode, err := r.entry()
		if err != nil {
			return false, err
		}
		if found, behind := r.compare(r.last, mode); found || behind && !r.whole {
			return found, nil
		}
	}
	return false, nil
}

// header reads the beginning of an index, and returns how many entries it has.
func (r *indexReader) header() (n uint32, err error) {
	head, err := r.take(12)
	if err != nil {
		return 0, err
	}
	r.version = binary.BigEndian.Uint32(head[4:])
	if string(head[:4]) != "DIRC" || r.version < 2 || r.version > 4 {
		return 0, fmt.Errorf("%w: it begins with %q", ErrIndex, head[:8])
	}
	return binary.BigEndian.Uint32(head[8:]), nil
}

// modeTree is the mode of a directory of a sparse index. Its name ends in a slash.
const modeTree = 0o040000

// compare reports whether an entry has the name, is below it, or is a directory whose entries
// are not listed and may be; and whether it sorts behind all of these. One without a name stands
// for an entry of the shared index.
func (s search) compare(entry []byte, mode uint32) (found, behind bool) {
	switch {
	case s.name == "" || string(entry) == s.name || bytes.HasPrefix(entry, s.below):
		return true, false
	case mode == modeTree && strings.HasPrefix(s.name, string(entry)):
		return true, false
	}
	return false, bytes.Compare(entry, s.below) > 0
}

func (r *indexReader) entry() (mode uint32, err error) {
	const extended, lengthBits = 0x4000, 0xfff
	start := r.pos
	head, err := r.take(40 + r.idLen + 2)
	if err != nil {
		return 0, err
	}
	mode = binary.BigEndian.Uint32(head[24:])
	flags := binary.BigEndian.Uint16(head[40+r.idLen:])
	if flags&extended != 0 {
		if _, err := r.take(2); err != nil {
			return 0, err
		}
	}
	kept := 0
	if r.version == 4 {
		cut, err := r.varint()
		if err != nil || cut > len(r.last) {
			return 0, cmpDamage(err, "a name is cut by too much")
		}
		kept = len(r.last) - cut
	}
	name, err := r.nameFrom(kept)
	if err != nil {
		return 0, err
	}
	length := int(flags & lengthBits)
	if length != min(len(name), lengthBits) || bytes.Compare(name, r.last) < 0 {
		return 0, fmt.Errorf("%w: damaged near %.80q", ErrIndex, name)
	}
	r.last, r.spare = name, r.last
	if r.version != 4 {
		// One NUL, which was read with the name, or as many as fill eight bytes.
		_, err = r.take(int(-(r.pos - start) & 7))
	}
	return mode, err
}

// cmpDamage returns the error, or one that describes the damage of the index.
func cmpDamage(err error, what string) error {
	if err == nil {
		err = fmt.Errorf("%w: %s", ErrIndex, what)
	}
	return err
}

// nameFrom reads to the next NUL and returns the name: the beginning of the last one, and this.
func (r *indexReader) nameFrom(kept int) ([]byte, error) {
	tail, err := r.in.ReadSlice(0)
	r.pos += int64(len(tail))
	if errors.Is(err, bufio.ErrBufferFull) || kept+len(tail) > maxName {
		return nil, cmpDamage(nil, "a name is too long")
	}
	if err != nil {
		return nil, err
	}
	return append(append(r.spare[:0], r.last[:kept]...), tail[:len(tail)-1]...), nil
}

// varint reads a number as version 4 has it: seven bits in each byte, the first ones first, and one
// is added for each that follows.
func (r *indexReader) varint() (int, error) {
	n := 0
	for {
		b, err := r.take(1)
		if err != nil {
			return 0, err
		}
		n |= int(b[0] & 0x7f)
		if b[0] < 0x80 || n > maxName {
			return n, nil
		}
		n = (n + 1) << 7
	}
}

// link goes through the extensions, up to the checksum that ends an index of this size, and returns
// the id in the one that names a shared index; "" if there is none.
func (r *indexReader) link(size int64) (shared string, err error) {
	for r.pos+int64(r.idLen) < size {
		head, err := r.take(8)
		if err != nil {
			return "", err
		}
		name, length := string(head[:4]), binary.BigEndian.Uint32(head[4:])
		switch {
		case name == "link":
			id, err := r.take(r.idLen)
			if err != nil || len(bytes.Trim(id, "\x00")) == 0 {
				return "", err
			}
			return hex.EncodeToString(id), nil
		case name != "sdir" && (name[0] < 'A' || 'Z' < name[0]):
			return "", fmt.Errorf("%w: extension %q", ErrIndex, name)
		}
		if _, err := io.CopyN(io.Discard, r.in, int64(length)); err != nil {
			return "", err
		}
		r.pos += int64(length)
	}
	return "", nil
}
