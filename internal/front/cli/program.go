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

// usersFile lists in the directory of the copies the files of clients that name them.
const usersFile = "users"

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
	if users := usersOf(d); !slices.Contains(users, ask.MainFile()) {
		users = append(users, ask.MainFile())
		if err := d.WriteFile(usersFile, []byte(strings.Join(users, "\n"))); err != nil {
			return err
		}
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

func usersOf(d *disk.Dir) []string {
	text, err := d.ReadFile(usersFile, 1<<20)
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(string(text), "\n")
}

// removePrograms removes the copies that a client was started from, where no other file names them.
func removePrograms(program, mainFile string) error {
	if filepath.Base(filepath.Dir(program)) != copiesDir {
		return nil
	}
	d, err := disk.Open(filepath.Dir(program))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	others := slices.DeleteFunc(usersOf(d), func(path string) bool {
		text, err := os.ReadFile(path)
		return path == mainFile || err != nil || !strings.Contains(string(text), copiesDir)
	})
	if len(others) > 0 {
		return d.WriteFile(usersFile, []byte(strings.Join(others, "\n")))
	}
	ending := filepath.Ext(program)
	for _, name := range []string{"mem" + ending, "memd" + ending, usersFile} {
		// A crash on the way leaves programs that no file names.
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(filepath.Dir(program)) // what else is there keeps it
	return nil
}
