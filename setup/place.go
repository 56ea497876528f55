package setup

import (
	"os"
	"path/filepath"
)

// Scope is whose files are meant.
type Scope string

// The two scopes.
const (
	User    Scope = "user"    // the person's own, for every project
	Project Scope = "project" // those of one project, which others may share
)

// Place is where the files of the clients are looked for.
type Place struct {
	Home    string              // the person's home directory
	Project string              // see FindProject
	Getenv  func(string) string // for the directories that a client's own variables move
}

// FindProject gives the project of a directory: the nearest one upward that has a .git, else the directory itself. An empty .git is none, to git too;
// sandboxes leave some behind.
func FindProject(dir string) string {
	for at := dir; ; {
		if isRepository(filepath.Join(at, ".git")) {
			return at
		}
		above := filepath.Dir(at)
		if above == at {
			return dir
		}
		at = above
	}
}

// isRepository reports whether a .git is one, or a file that leads to one.
func isRepository(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(path, "HEAD"))
	return err == nil
}

// moved gives the directory that a variable names, else one below home.
func (p Place) moved(variable, name string) string {
	if dir := p.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(p.Home, filepath.FromSlash(name))
}

// config is the directory for configurations by the XDG rules.
func (p Place) config() string { return p.moved("XDG_CONFIG_HOME", ".config") }
