package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// edit is how one file is changed.
type edit interface {
	// add returns the text with our part in it, as the request wants it.
	add(text []byte, r Request) ([]byte, error)
	// strip undoes add. original is what the file held before the first change, nil for no file.
	strip(text, original []byte) ([]byte, error)
	// command returns the program and the arguments that our part runs.
	command(text []byte) []string
	// custom returns where a person has put our part together with something else. It stays.
	custom(text []byte) []Clash
	// edited reports whether our part is not, to the byte, what add would write for what it runs.
	edited(text []byte, r Request) bool
}

type file struct {
	path string
	edit edit
}

// Scopes returns the scopes in which a client has files; the first one is the default.
func Scopes(client *Client) []Scope {
	switch {
	case !client.hasHome():
		return []Scope{Project}
	case !client.hasProject():
		return []Scope{User}
	case client.User == Files{} && client.Project != Files{}:
		return []Scope{Project, User} // most of it is in a project
	}
	return []Scope{User, Project}
}

// files returns the files of the requested client in the requested scope. The first one, that of
// its hooks if it has any, decides the status of the client.
func (r Request) files() (list []file) {
	dir, names := r.Place.Project, r.Client.Project
	if r.Scope == User {
		if !r.Client.hasHome() {
			return nil
		}
		dir, names = r.Place.HomeOf(r.Client), r.Client.User
	}
	server := r.serverFile()
	if names.Hooks != "" {
		path := filepath.Join(dir, filepath.FromSlash(names.Hooks))
		if path == server.path {
			server, list = file{}, append(list, file{path, pair{r.hooksEdit(), server.edit}})
		} else {
			list = append(list, file{path, r.hooksEdit()})
		}
	}
	if names.Guidance != "" {
		path := filepath.Join(dir, filepath.FromSlash(names.Guidance))
		list = append(list, file{path, guidance(r.Client.FrontMatter, path)})
	}
	if names.Skill != "" {
		path := filepath.Join(dir, filepath.FromSlash(names.Skill))
		list = append(list, file{path, more(path)})
	}
	if server.edit != nil {
		list = append(list, server)
	}
	return list
}

// serverFile returns the file that names the client's servers; the zero file for none.
func (r Request) serverFile() file {
	s, dir := r.Client.Server, r.Place.Project
	name := s.Project
	if r.Scope == User {
		name, dir = s.User, r.Place.serverHome(r.Client)
	}
	if name == "" {
		return file{}
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if s.Form == tomlServers {
		return file{path, newTable()}
	}
	return file{path, servers{s}}
}

// hooksEdit returns the edit of the file that holds the client's hooks.
func (r Request) hooksEdit() edit {
	if r.Client.Hooks.Form == PluginHooks {
		return plugin()
	}
	return hooks{r.Client.Hooks}
}

// MainFile returns the path of the file that decides the status of the client; "" for none.
func (r Request) MainFile() string {
	if files := r.files(); len(files) > 0 {
		return files[0].path
	}
	return ""
}

// found reports whether the client's directory or its program exists.
func (r Request) found() bool {
	if r.Client.hasHome() {
		if fi, err := os.Stat(r.Place.HomeOf(r.Client)); err == nil && fi.IsDir() {
			return true
		}
	}
	if r.Client.Program == "" {
		return false
	}
	_, err := exec.LookPath(r.Client.Program)
	return err == nil
}

// quoteAll returns the elements of a list in TOML.
func quoteAll(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = quote(text)
	}
	return strings.Join(quoted, ", ")
}

// NextSteps returns what the person still has to do.
func NextSteps(r Request) (steps []string) {
	advice := r.Client.AfterSetup
	if r.Client.Hooks.Approvals != "" && len(UnapprovedEvents(r)) == 0 {
		advice.Always = nil
	}
	for _, step := range advice.Always {
		// The permission must match the command that the guidance names.
		steps = append(steps, strings.ReplaceAll(step, "Bash(mem *)", "Bash("+r.Program+" *)"))
	}
	if config, open, closed := r.sandboxRoots(); len(closed) > 0 {
		steps = append(steps, "to let mem write from inside Codex's sandbox, have in "+config+
			":\n    [sandbox_workspace_write]\n    writable_roots = ["+
			quoteAll(append(open, closed...))+"]")
	}
	if r.Scope != Project {
		return steps
	}
	steps = append(steps, advice.InProject...)
	if filepath.IsAbs(r.Program) {
		steps = append(steps, "the files name "+r.Program+", which other people in the project "+
			"may not have: put mem into the PATH and run this again")
	}
	return steps
}
