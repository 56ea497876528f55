package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/site"
)

// copiesDir is the directory of the copies of mem and memd, below that for data: a program in
// node_modules goes with its version of node, so clients start copies.
const copiesDir = "mem-programs"

// Copies returns the directory of the copies; "" without a home.
func (p Surroundings) Copies() string {
	data := site.DataHome(p.Home, p.Getenv)
	if data == "" {
		return ""
	}
	return filepath.Join(data, copiesDir)
}

// OfNode reports whether npm has installed a program.
func OfNode(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}

// ByNode reports whether a program is of npm, its wrapper, or a copy.
func ByNode(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return OfNode(path) || filepath.Base(filepath.Dir(path)) == copiesDir
}

// usersDir is the directory beside the copies with a file for each file of a client that names
// them: its name is a hash, its content the path.
const usersDir = "users"

func userName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// CopyPrograms copies mem and memd, of which the first is given, to where the hooks of a request
// find them, if npm has installed them.
func CopyPrograms(r Request, mem string) error {
	if !OfNode(mem) {
		return nil
	}
	d, err := disk.Create(filepath.Dir(r.Program))
	if err != nil {
		return err
	}
	defer d.Close()
	users, err := d.Sub(usersDir, true)
	if err != nil {
		return err
	}
	defer users.Close()
	if err := users.WriteFile(userName(r.MainFile()), []byte(r.MainFile())); err != nil {
		return err
	}
	for _, name := range programNames(mem) {
		if err := copyProgram(d, filepath.Join(filepath.Dir(mem), name)); err != nil {
			return err
		}
	}
	return nil
}

// OutdatedCopy returns the path of the first copy that differs from the program of npm that it was
// made of, as after an update of the package; "" if there is none, or mem is not of npm.
func (r Request) OutdatedCopy(mem string) string {
	if !OfNode(mem) {
		return ""
	}
	for _, name := range programNames(mem) {
		copied := filepath.Join(filepath.Dir(r.Program), name)
		if !sameBytes(copied, filepath.Join(filepath.Dir(mem), name)) {
			return copied
		}
	}
	return ""
}

// programNames returns the names of memd and mem, in the order in which they are copied.
func programNames(mem string) []string {
	ending := filepath.Ext(mem)
	return []string{"memd" + ending, "mem" + ending} // mem comes when all is there
}

func sameBytes(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	if err1 != nil || err2 != nil || one.Size() != other.Size() {
		return false
	}
	text, err1 := os.ReadFile(a)
	want, err2 := os.ReadFile(b)
	return err1 == nil && err2 == nil && bytes.Equal(text, want)
}

func copyProgram(d *disk.Dir, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	temp, err := d.TempFileSync(func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
	if err != nil {
		return err
	}
	if err := d.Chmod(temp, 0o755); err != nil {
		return err
	}
	// A crash before this leaves the former program, which a hook may be running.
	return d.CommitSync(temp, filepath.Base(path))
}

// RemovePrograms removes the copies of this user where no other file of a client names them. The
// text of a file decides only that they stay.
func RemovePrograms(r Request) error {
	dir := r.Place.Copies()
	if dir == "" {
		return nil
	}
	d, err := disk.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	users, err := d.Sub(usersDir, false)
	if err != nil {
		return nil // this is no directory of copies
	}
	defer users.Close()
	// A crash before this keeps the copies until the next removal.
	err = users.Remove(userName(r.MainFile()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	left, err := users.Names(".")
	if err != nil || slices.ContainsFunc(left, func(name string) bool {
		return namesCopies(users, name)
	}) {
		return err
	}
	for _, name := range []string{"mem", "memd", "mem.exe", "memd.exe"} {
		// A crash on the way leaves programs that no file names, until the next removal.
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, name := range left {
		// A crash before this leaves entries of files that name nothing.
		if err := users.Remove(name); err != nil {
			return err
		}
	}
	if removeDir(filepath.Join(dir, usersDir)) {
		removeDir(dir) // any other file keeps it
	}
	return nil
}

// namesCopies reports whether a file of a client names the copies; also where that is not known, or
// the file has moved with its project.
func namesCopies(users *disk.Dir, name string) bool {
	path, err := users.ReadFile(name, maxFile)
	if err != nil {
		return true
	}
	fi, err := os.Stat(string(path))
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxFile {
		return true
	}
	text, err := os.ReadFile(string(path))
	return err != nil || bytes.Contains(text, []byte(copiesDir))
}
