package setup

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
)

// BackupSuffix ends the name of the copy that the first change of a file leaves. A number after it
// is that of a copy made because something was changed that a person had changed before.
const BackupSuffix = ".mem-backup"

// maxFile is the size of the largest file that is read.
const maxFile = 16 << 20

// maxLinks is how many links are followed to a file, as the kernel does.
const maxLinks = 40

// followLinks returns the path of the file that a path leads to. The file need not exist.
func followLinks(path string) (string, error) {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link; any other error will come back from the next call
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many links")}
}

// insideProject returns the real path of a file of a project, which need not exist. The error wraps
// ErrOutside if a link leads out of the project: a repository that was cloned may hold any.
func insideProject(project, path string) (string, error) {
	target, err := followLinks(path)
	if err != nil {
		return "", err
	}
	dir, rest := filepath.Dir(target), filepath.Base(target)
	real, err := filepath.EvalSymlinks(dir)
	for errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			// A directory is not made behind a link.
			return "", fmt.Errorf("%s: %w: %s leads to nothing", path, ErrOutside, dir)
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
		real, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	real = filepath.Join(real, rest)
	if name, err := filepath.Rel(project, real); err != nil || !filepath.IsLocal(name) {
		return "", fmt.Errorf("%s: %w: it leads to %s", path, ErrOutside, real)
	}
	return real, nil
}

// isSameFile reports whether two paths are of one file, as where CLAUDE.md is a link to AGENTS.md.
func isSameFile(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// readFile returns the content of a file, nil if it does not exist.
func readFile(path string) ([]byte, fs.FileInfo, error) {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if !fi.Mode().IsRegular() {
		err := errors.New("not a regular file")
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("larger than %d bytes", maxFile)
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return append([]byte{}, text...), fi, err
}

// writeFile replaces a file by one rename, and keeps the mode and owner of the old one. Nothing
// outside of the directory within is written, whatever links are made meanwhile; "": the path is
// this user's own.
func writeFile(within, path string, text []byte, old fs.FileInfo) error {
	if within == "" {
		if within = filepath.Dir(path); old == nil {
			if err := os.MkdirAll(within, 0o755); err != nil {
				return err
			}
		}
	}
	return inDirectory(within, path, func(root *os.Root, name string) error {
		if old == nil {
			if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		temp, err := writeTemp(root, name, text, old)
		if err != nil {
			return forFile(path, err)
		}
		// A crash before the rename leaves the old file and a hidden temporary one beside it.
		if err := root.Rename(temp, name); err != nil {
			root.Remove(temp)
			return err
		}
		return syncDir(filepath.Dir(path))
	})
}

// forFile returns an error of a temporary file with the name of the file that it is for.
func forFile(path string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return &fs.PathError{Op: of.Op, Path: path, Err: of.Err}
	}
	return err
}

// removeFile removes a file, and nothing outside of a directory.
func removeFile(within, path string) error {
	if within == "" {
		within = filepath.Dir(path)
	}
	return inDirectory(within, path, func(root *os.Root, name string) error {
		// A crash before this leaves the file as it was, after it the file may come back whole.
		if err := root.Remove(name); err != nil {
			return err
		}
		return syncDir(filepath.Dir(path))
	})
}

func inDirectory(dir, path string, fn func(root *os.Root, name string) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	return fn(root, name)
}

// tempPrefix begins the name of a temporary file, before 16 hex digits.
const tempPrefix = ".mem-setup-"

// sweep removes the temporary files of this user's from a directory, which a killed setup has left:
// no other one runs. A crash leaves some of them for the next setup.
func sweep(dir string) {
	d, err := disk.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Names(".")
	for _, name := range names {
		digits, isTemp := strings.CutPrefix(name, tempPrefix)
		if _, err := strconv.ParseUint(digits, 16, 64); !isTemp || err != nil || len(digits) != 16 {
			continue
		}
		fi, err := d.Lstat(name)
		if err != nil || !fi.Mode().IsRegular() {
			continue
		}
		if owner, known := disk.Owner(fi); !known || owner == os.Geteuid() {
			_ = d.Remove(name)
		}
	}
}

// writeTemp writes and syncs a temporary file beside another one, and returns its name.
func writeTemp(root *os.Root, beside string, text []byte, old fs.FileInfo) (
	name string, err error) {
	temp := fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64())
	name = filepath.Join(filepath.Dir(beside), temp)
	f, err := createDraft(root, name, old)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, bytes.NewReader(text))
	if err == nil && old != nil {
		err = errors.Join(keepOwner(f, old), f.Chmod(old.Mode().Perm()))
	}
	if err == nil {
		// A crash before the rename leaves a hidden file that no more people can read than the
		// final one.
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		root.Remove(name) // a crash before this leaves the hidden file
	}
	return name, err
}

// createDraft creates the temporary file for what replaces a file, readable by this user alone
// until it is whole: there may be keys in it. A new file has the mode that the umask leaves.
func createDraft(root *os.Root, name string, old fs.FileInfo) (*os.File, error) {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = 0o600
	}
	return root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// copyPath returns the path of the copy of a file; see the package comment. One that an older mem
// left beside the file counts wherever that is.
func (r Request) copyPath(target string) string {
	beside := target + BackupSuffix
	dir := FindProject(filepath.Dir(target))
	if r.Scope != Project && !isRepository(dir) {
		return beside
	}
	if _, err := os.Lstat(beside); err == nil {
		return beside
	}
	sum := sha256.Sum256([]byte(target))
	name := fmt.Sprintf("%x-%s%s", sum[:8], filepath.Base(target), BackupSuffix)
	return filepath.Join(r.Place.state(), "mem", "setup", name)
}

// writeBackup makes the copy of a file, unless there is one: the first one counts.
func writeBackup(path string, text []byte, old fs.FileInfo) (made bool, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	return true, writeFile("", path, text, old)
}

// writeNumbered makes one more copy of a file, unless the newest one is the same.
func writeNumbered(path string, text []byte, old fs.FileInfo) error {
	for n, last := 1, []byte(nil); ; n++ {
		name := fmt.Sprintf("%s-%d", path, n)
		was, _, err := readFile(name)
		switch {
		case err != nil:
			return err
		case was != nil:
			last = was
			continue
		case last != nil && bytes.Equal(last, text):
			return nil
		}
		_, err = writeBackup(name, text, old)
		return err
	}
}

// readBackup returns what a file held before the first change, nil for none.
func readBackup(path string) []byte {
	text, _, err := readFile(path)
	if err != nil {
		return nil
	}
	return text
}
