package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folders is the file that lists the folders which setup has made, a line each: when they are empty
// again they go, and no folder of a person's does.
type folders string

func (p Surroundings) folders() folders {
	return folders(filepath.Join(p.state(), "mem", "setup", "folders"))
}

func (f folders) list() []string {
	fi, err := os.Lstat(string(f))
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxFile {
		return nil // then the folders stay
	}
	text, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// write replaces the list. What cannot be written is not listed, and stays. A crash before the
// rename leaves the old list and a temporary file.
func (f folders) write(list []string) {
	if len(list) > 0 {
		_ = os.MkdirAll(filepath.Dir(string(f)), 0o700)
		_ = writeFile("", string(f), []byte(strings.Join(list, "\n")+"\n"), nil)
		_ = os.Chmod(string(f), 0o600) // a crash before this leaves the mode to the umask
		return
	}
	_ = os.Remove(string(f)) // a crash before this leaves a list of folders that are gone
	f.tidy()
}

// tidy removes the two directories of the list, if they are empty: no other file of mem is there.
func (f folders) tidy() {
	own := filepath.Dir(string(f))
	if removeDir(own) {
		removeDir(filepath.Dir(own))
	}
}

// add lists a folder and those above it that are not there yet.
func (f folders) add(dir string) {
	var list []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		list = append(list, dir)
	}
	if len(list) > 0 {
		f.write(append(f.list(), list...))
	}
}

// remove removes the listed folders from one upward, as far as they are empty. A crash on the way
// leaves empty folders.
func (f folders) remove(dir string) {
	list, n := f.list(), 0
	for ; slices.Contains(list, dir) && removeDir(dir); n++ {
		list = slices.DeleteFunc(list, func(name string) bool { return name == dir })
		dir = filepath.Dir(dir)
	}
	if n > 0 {
		f.write(list)
	}
}

// forget takes a folder and those above it from the list.
func (f folders) forget(dir string) {
	list := f.list()
	kept := slices.DeleteFunc(slices.Clone(list), func(name string) bool {
		rest, err := filepath.Rel(name, dir)
		return err == nil && filepath.IsLocal(rest)
	})
	if len(kept) < len(list) {
		f.write(kept)
	}
}

// removeDir removes a directory that is empty and no link. A crash before it leaves the directory.
func removeDir(dir string) bool {
	fi, err := os.Lstat(dir)
	return err == nil && fi.IsDir() && os.Remove(dir) == nil
}
