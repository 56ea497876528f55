package moved

import (
	"crypto/sha256"
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
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

const (
	// MaxFile is the size in bytes of the largest file whose bytes are compared.
	MaxFile = 1 << 20
	// maxName is the length in bytes of the longest path.
	maxName = 300
)

// Tree is the folder whose files memories are about. The zero Tree has none.
type Tree struct {
	folder string // a real path
	shared bool   // the store is for several projects: paths are absolute
}

// NewTree returns the tree of a store, for a caller in a directory; "" for none.
func NewTree(sites *site.Sites, one *site.Site, dir string) Tree {
	if folder := one.Folder(); folder != "" || dir == "" {
		return Tree{folder: folder}
	}
	return Tree{sites.Folder(dir), true}
}

// TreeHere returns the tree of the stores that are read together, for a caller in a directory.
func TreeHere(sites *site.Sites, dir string) Tree {
	if sites.Project != nil {
		return NewTree(sites, sites.Project, dir)
	}
	return NewTree(sites, &site.Site{}, dir)
}

// Absolute returns the absolute path of a recorded one.
func (t Tree) Absolute(path string) string {
	if t.folder == "" || filepath.IsAbs(path) {
		return path
	}
	slash := ""
	if strings.HasSuffix(path, "/") {
		slash = "/"
	}
	return filepath.Join(t.folder, filepath.FromSlash(path)) + slash
}

// Record returns the record of the files that a caller in a directory names: paths, folders with a
// slash at their end, and patterns. Without a directory the caller's files are not here, and only
// names are recorded. The error wraps mem.ErrInput.
func (t Tree) Record(dir string, names []string) (files []content.File, err error) {
	if len(names) > content.MaxFiles {
		return nil, fmt.Errorf("file: %w: %d are named, want at most %d", mem.ErrInput,
			len(names), content.MaxFiles)
	}
	for _, name := range names {
		path, err := t.path(dir, name)
		if err != nil {
			return nil, fmt.Errorf("file %.80q: %w: %w", name, mem.ErrInput, err)
		}
		f := content.File{Path: path}
		if dir != "" {
			_ = t.stamp(&f) // a file that cannot be read has its name alone
		}
		files = append(files, f)
	}
	return files, nil
}

var (
	errName    = fmt.Errorf("want 1 to %d bytes of UTF-8 without control characters", maxName)
	errOutside = errors.New("it is outside of the project: " +
		"name a file inside, or its absolute path")
)

func (t Tree) path(dir, name string) (string, error) {
	if name == "" || len(name) > maxName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, unicode.IsControl) {
		return "", errName
	}
	folder := strings.HasSuffix(filepath.ToSlash(name), "/")
	path, absolute := filepath.Clean(name), filepath.IsAbs(name)
	switch {
	case absolute:
	case dir != "":
		path = filepath.Join(dir, path)
	case !filepath.IsLocal(path):
		return "", errOutside
	}
	folder = folder || dir != "" && isDir(path)
	within, inside := t.relative(path)
	switch {
	case inside && !t.shared:
		path = within
	case !inside && !absolute && dir != "" && t.folder != "":
		return "", errOutside
	}
	if path = filepath.ToSlash(path); folder && path != "/" {
		path += "/"
	}
	return path, nil
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// relative returns an absolute path relative to the folder; ok is false for one outside of it.
func (t Tree) relative(path string) (string, bool) {
	if t.folder == "" || !filepath.IsAbs(path) {
		return "", false
	}
	return site.PathWithin(t.folder, path)
}

// IsOutside reports whether a name is an absolute path that is not in the project here.
func (t Tree) IsOutside(name string) bool {
	_, inside := t.relative(filepath.Clean(name))
	return t.folder != "" && filepath.IsAbs(name) && !inside
}

// stamp sets size, time and sum of a regular file.
func (t Tree) stamp(f *content.File) error {
	return t.open(f.Path, func(fi fs.FileInfo, sum func() (string, error)) (err error) {
		if !fi.Mode().IsRegular() || fi.Size() > MaxFile {
			return nil
		}
		f.Size, f.ModTime = fi.Size(), log.StampOf(fi.ModTime())
		f.Sum, err = sum()
		return err
	})
}

// Now returns the record of a recorded file as that is now. One that cannot be read has its name
// alone.
func (t Tree) Now(f content.File) content.File {
	f = content.File{Path: f.Path}
	_ = t.stamp(&f)
	return f
}

// SumIn returns the sum of a regular file of at most MaxFile bytes in a folder, by its absolute
// path; "" for any other.
func SumIn(folder, path string) string {
	f := content.File{Path: path}
	_ = (Tree{folder: folder}).stamp(&f) // what cannot be read has none
	return f.Sum
}

// open calls fn with the file at a path inside the folder; a link is not followed.
func (t Tree) open(path string, fn func(fi fs.FileInfo, sum func() (string, error)) error) error {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		path, _ = t.relative(path)
	} else if t.shared {
		return errOutside // of which project is not known
	}
	if t.folder == "" || !filepath.IsLocal(path) {
		return errOutside
	}
	root, err := os.OpenRoot(t.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	fi, err := root.Lstat(path)
	if err != nil {
		return err
	}
	return fn(fi, func() (string, error) {
		file, err := root.Open(path)
		if err != nil {
			return "", err
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
		return sumOf(text), err
	})
}

// sumOf returns the SHA-256 of a text, whose line ends count as one newline each.
func sumOf(text []byte) string {
	plain := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text))
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:])
}

// The remarks on a memory whose files are not as they were.
const (
	Changed = "file changed since"
	Gone    = "file is gone"
)

// Remark returns the remark on a memory by its files, Gone before Changed; "" where all are as they
// were, or cannot be looked at.
func (t Tree) Remark(layer string, files []content.File) (remark string) {
	for _, f := range FilesHere(layer, files) {
		switch now := t.look(f); {
		case now == Gone:
			return Gone
		case now != "":
			remark = now
		}
	}
	return remark
}

func (t Tree) look(f content.File) (remark string) {
	if f.Sum == "" {
		return ""
	}
	err := t.open(f.Path, func(fi fs.FileInfo, sum func() (string, error)) error {
		switch {
		case !fi.Mode().IsRegular() || fi.Size() > MaxFile:
			remark = Changed
		case fi.Size() != f.Size || log.StampOf(fi.ModTime()) != f.ModTime:
			if now, err := sum(); err == nil && now != f.Sum {
				remark = Changed
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(t.folder); err == nil {
			return Gone
		}
	}
	return remark
}

// maxLook is how many files of a tree are looked at for one that is gone.
const maxLook = 100_000

// Find returns the path of the one file of the tree that has the recorded bytes of a file which is
// gone; "" where none has, or several.
func (t Tree) Find(gone content.File) (found string) {
	if t.folder == "" || t.shared || gone.Sum == "" {
		return ""
	}
	left := maxLook
	// What cannot be read has no file that is looked for.
	_ = filepath.WalkDir(t.folder, func(path string, d fs.DirEntry, err error) error {
		if left--; left < 0 {
			return fs.SkipAll
		}
		switch {
		case err != nil || d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		fi, err := d.Info()
		if err != nil || fi.Size() != gone.Size || SumIn(t.folder, path) != gone.Sum {
			return nil
		}
		if found != "" {
			found = ""
			return fs.SkipAll
		}
		found, _ = t.relative(path)
		return nil
	})
	return filepath.ToSlash(found)
}

// FilesHere returns those files of a memory of a layer that can be looked for here: in the user's
// layer a relative path is of a project that is not known, as after a move.
func FilesHere(layer string, files []content.File) []content.File {
	if layer != site.User {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f content.File) bool {
		return !path.IsAbs(f.Path)
	})
}
