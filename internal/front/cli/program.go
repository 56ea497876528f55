package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
	ending := filepath.Ext(self)
	for _, name := range []string{"memd" + ending, "mem" + ending} { // mem comes when all is there
		from, err := os.Open(filepath.Join(filepath.Dir(self), name))
		if err != nil {
			return err
		}
		temp, err := d.TempFileSync(func(w io.Writer) error {
			_, err := io.Copy(w, from)
			return err
		})
		from.Close()
		if err == nil {
			err = d.Chmod(temp, 0o755)
		}
		if err == nil {
			// A crash before this leaves the former program, which a hook may be running.
			err = d.CommitSync(temp, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removePrograms removes the copies where no client is left that starts them.
func (a *app) removePrograms(ask setup.Request) error {
	dir := a.copies(ask.Place.Home)
	_, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(setup.List(ask), setup.Status.Installed) {
		return nil
	}
	// A crash on the way leaves a part of a directory to which no hook refers any more.
	return os.RemoveAll(dir)
}
