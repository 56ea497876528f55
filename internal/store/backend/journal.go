package backend

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
)

// AppendLine adds a line to a journal in a directory, and makes it where it is missing.
func AppendLine(dir *disk.Dir, name string, line []byte, limit int64) error {
	f, err := dir.Append(name)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if size, last := fi.Size(), []byte{'\n'}; size > 0 {
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...) // the line before was cut
		}
	}
	// A crash, or a full disk, may leave a part of the line, which readers skip.
	if _, err := f.Write(line); err != nil {
		return err
	}
	if size := fi.Size() + int64(len(line)); size > limit {
		err = trim(dir, name, f, size, limit)
	}
	return err
}

// trim keeps the newer half, from the beginning of a line on. A line that another process writes
// meanwhile may be lost: at worst a memory is injected twice.
func trim(dir *disk.Dir, name string, f *disk.File, size, limit int64) error {
	half := make([]byte, limit/2)
	if _, err := f.ReadAt(half, size-int64(len(half))); err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(half, []byte{'\n'})
	// A crash here leaves the old journal or the new one, and perhaps a temporary file.
	return dir.WriteFile(name, rest)
}

// ReadLines returns the newest lines of such a journal, at most limit bytes.
func ReadLines(dir *disk.Dir, name string, limit int64) ([]byte, error) {
	f, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// One read of a known size: every hook does this twice.
	text := make([]byte, min(fi.Size(), limit))
	n, err := f.ReadAt(text, fi.Size()-int64(len(text)))
	if text = text[:n]; err == io.EOF {
		err = nil // it was cut meanwhile
	}
	if fi.Size() > limit {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text, err
}
