package setup

import (
	"os"
	"path/filepath"

	"github.com/set-memory/mem/agents"
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
	Getenv  func(string) string // for the variables that move a client's directory
}

// FindProject returns the project of a directory: the nearest directory upward that has a .git,
// else the directory itself. An empty .git does not count, as it does not for git; sandboxes leave
// some behind.
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

// isRepository reports whether a .git is a repository, or a file that leads to one.
func isRepository(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !fi.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(path, "HEAD"))
	return err == nil
}

// home returns the directory of a client's files for all projects.
func (p Place) home(client *agents.Agent) string {
	d := client.Home
	dir := filepath.Join(p.Home, filepath.FromSlash(d.Default))
	if d.Variable != "" {
		if moved := p.Getenv(d.Variable); filepath.IsAbs(moved) {
			dir = moved
		}
	}
	return filepath.Join(dir, filepath.FromSlash(d.Sub))
}

// state returns the directory for what programs keep between their runs.
func (p Place) state() string {
	if p.Getenv != nil {
		if dir := p.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(p.Home, ".local", "state")
}
