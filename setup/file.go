package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// BackupSuffix ends the name of the copy that the first change of a file leaves beside it.
const BackupSuffix = ".mem-backup"

// maxFile bounds what is read: settings are small, and a file that is not may be something else.
const maxFile = 16 << 20

// maxLinks is how many links are followed to a file, as the kernel does.
const maxLinks = 40

// target follows the links of a path to the file that is edited. It need not exist.
func target(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link; what else is wrong, the next call tells
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many links")}
}

// load reads a file; nil for one that is not there.
func load(path string) ([]byte, fs.FileInfo, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", maxFile)}
	}
	return append([]byte{}, text...), fi, err
}

// replace puts new content in a file's place by one rename, with the mode and owner of the old one.
func replace(path string, text []byte, old fs.FileInfo) error {
	if old == nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
	}
	temp, err := draft(path, text, old)
	if err != nil {
		return err
	}
	// A crash before the rename leaves the old file and a hidden temporary one beside it.
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	return syncDir(filepath.Dir(path))
}

// draft writes a synced temporary file beside path.
func draft(path string, text []byte, old fs.FileInfo) (name string, err error) {
	name = filepath.Join(filepath.Dir(path), fmt.Sprintf(".mem-setup-%016x", rand.Uint64()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, bytes.NewReader(text))
	if err == nil && old != nil {
		err = errors.Join(keepOwner(f, old), f.Chmod(old.Mode().Perm()))
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name)
	}
	return name, err
}

// keep puts a copy of what a file holds beside it, unless there is one: the first is the one that a person wants back.
func keep(path string, text []byte, old fs.FileInfo) error {
	if _, err := os.Lstat(path + BackupSuffix); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return replace(path+BackupSuffix, text, old)
}

// original gives what a file held before the first change; nil if there was none, or nobody knows any more.
func original(path string) []byte {
	text, _, err := load(path + BackupSuffix)
	if err != nil {
		return nil
	}
	return text
}
