package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
)

// A program in node_modules goes with its version of node. So setup copies both programs to
// $XDG_DATA_HOME/mem-programs, and clients start the copies.
const copiesDir = "mem-programs"

// program is what clients start: mem by its name, if the PATH leads to this program, else its path.
// located is its path in any case, as the PATH has it: the file behind a link may move.
func (a *app) program(home string) (name, located string, err error) {
	self, err := ownMem()
	if err != nil {
		return "", "", err
	}
	if ofNode(self) {
		copied := filepath.Join(a.copies(home), filepath.Base(self))
		return copied, copied, nil
	}
	found, err := exec.LookPath("mem")
	if err != nil || !isSameFile(self, found) {
		return self, self, nil
	}
	located, err = filepath.Abs(found)
	return "mem", located, err
}

func (a *app) copies(home string) string {
	return filepath.Join(site.DataHome(home, a.getenv), copiesDir)
}

// ofNode reports whether npm has installed a program.
func ofNode(path string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "node_modules")
}

// byNode reports whether a program is of npm, its wrapper, or a copy.
func byNode(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return ofNode(path) || filepath.Base(filepath.Dir(path)) == copiesDir
}

// usersDir is the directory beside the copies with a file for each file of a client that names
// them: its name is a hash, its content the path.
const usersDir = "users"

func userName(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// copyPrograms copies mem and memd to where the hooks of a request find them, if npm has installed
// them.
func copyPrograms(ask setup.Request) error {
	self, err := ownMem()
	if err != nil || !ofNode(self) {
		return err
	}
	d, err := disk.Create(filepath.Dir(ask.Program))
	if err != nil {
		return err
	}
	defer d.Close()
	users, err := d.Sub(usersDir, true)
	if err != nil {
		return err
	}
	defer users.Close()
	if err := users.WriteFile(userName(ask.MainFile()), []byte(ask.MainFile())); err != nil {
		return err
	}
	ending := filepath.Ext(self)
	for _, name := range []string{"memd" + ending, "mem" + ending} { // mem comes when all is there
		if err := copyProgram(d, filepath.Join(filepath.Dir(self), name)); err != nil {
			return err
		}
	}
	return nil
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

// removePrograms removes the copies of this user where no other file of a client names them. What a
// file says decides only that they stay.
func (a *app) removePrograms(ask setup.Request) error {
	d, err := disk.Open(a.copies(ask.Place.Home))
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
	err = users.Remove(userName(ask.MainFile()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if left, err := users.Names("."); err != nil || len(left) > 0 && slices.ContainsFunc(left,
		func(name string) bool { return namesCopies(users, name) }) {
		return err
	}
	ending := ""
	if runtime.GOOS == "windows" {
		ending = ".exe"
	}
	for _, name := range []string{"mem" + ending, "memd" + ending} {
		// A crash on the way leaves programs that no file names, until the next removal.
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.RemoveAll(d.Join(usersDir)); err != nil {
		return err
	}
	_ = os.Remove(d.Path()) // what else is there keeps it
	return nil
}

// namesCopies reports whether a file of a client names the copies; also where that is not known, or
// the file has moved with its project.
func namesCopies(users *disk.Dir, name string) bool {
	path, err := users.ReadFile(name, maxSettings)
	if err != nil {
		return true
	}
	fi, err := os.Lstat(string(path))
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSettings {
		return true
	}
	text, err := os.ReadFile(string(path))
	return err != nil || bytes.Contains(text, []byte(copiesDir))
}

// maxSettings is the size in bytes of the largest file of a client that is searched for copies.
const maxSettings = 16 << 20
