package setup

import (
	"path/filepath"

	"github.com/set-memory/mem/internal/rule/site"
)

// Scope is whose files are meant.
type Scope string

// The two scopes.
const (
	User    Scope = "user"    // the person's own, for every project
	Project Scope = "project" // those of one project, which others may share
)

// Surroundings is where the files of the clients are looked for.
type Surroundings struct {
	Home    string              // the person's home directory
	Project string              // see FindProject
	Getenv  func(string) string // for the variables that move a client's directory
	OS      string              // as runtime.GOOS has it; "" is none that is special
}

// FindProject returns the project of a directory: the nearest directory upward that has a .git,
// else the directory itself. Unlike site.FindRepo it leaves the path as it was given, and passes
// the borders of file systems. An empty .git, as sandboxes leave it, does not count.
func FindProject(dir string) string {
	for at := dir; ; {
		if isRepository(at) {
			return at
		}
		above := filepath.Dir(at)
		if above == at {
			return dir
		}
		at = above
	}
}

// isRepository reports whether a directory has a .git that is a repository, or leads to one.
func isRepository(dir string) bool {
	_, ok, err := site.RepoAt(dir)
	return ok && err == nil
}

// HomeOf returns the directory of a client's files for all projects.
func (p Surroundings) HomeOf(client *Client) string { return p.dir(client.Home) }

// serverHome returns the directory of the file of a client's servers for all projects.
func (p Surroundings) serverHome(client *Client) string {
	if d := client.Server.Home; d != (Dir{}) {
		return p.dir(d)
	}
	return p.HomeOf(client)
}

func (p Surroundings) dir(d Dir) string {
	variable, otherwise := d.Variable, d.Default
	switch {
	case p.OS == "darwin" && d.Mac != "":
		variable, otherwise = "", d.Mac
	case p.OS == "windows" && d.AppData:
		variable, otherwise = "APPDATA", "AppData/Roaming"
	}
	dir := filepath.Join(p.Home, filepath.FromSlash(otherwise))
	if variable != "" {
		if moved := p.Getenv(variable); filepath.IsAbs(moved) {
			dir = moved
		}
	}
	return filepath.Join(dir, filepath.FromSlash(d.Sub))
}

// state returns the directory for what programs keep between their runs.
func (p Surroundings) state() string {
	if p.Getenv != nil {
		if dir := p.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(p.Home, ".local", "state")
}
