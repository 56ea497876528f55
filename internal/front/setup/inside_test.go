package setup

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// The links of a project are followed inside of it, and never out of it.
func TestLinksOfAProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for _, client := range []string{"claude-code", "codex", "gemini", "opencode", "cursor",
		"vscode", "zed", "agents-md"} {
		f := newFixture(t)
		r := f.request(client, Project)
		r.Server = r.Client.Server.Project != ""
		project, theirs := r.Place.Project, filepath.Join(f.home, "theirs")
		for _, dir := range []string{project, theirs} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for i, change := range f.plan(r) {
			path := change.Path
			// Beyond the project by a link to a file, by one to none, and by a directory.
			write(t, filepath.Join(theirs, "file"), "{}\n")
			for _, to := range []string{"file", "nothing", "."} {
				at := path
				if to == "." {
					if at = filepath.Dir(path); at == project {
						continue
					}
				}
				f.relink(at, filepath.Join(theirs, to))
				before := f.contents(theirs)
				if err := apply(Install, r); !errors.Is(err, ErrOutside) {
					t.Errorf("%s, file %d, a link to %s: %v", client, i, to, err)
				}
				if err := apply(Uninstall, r); err == nil && to != "nothing" {
					t.Errorf("%s, file %d, a link to %s: removed", client, i, to)
				}
				if after := f.contents(theirs); after != before {
					t.Errorf("%s: wrote %s, was %s", client, after, before)
				}
				if err := os.Remove(at); err != nil {
					t.Fatal(err)
				}
			}
			// Inside of it, by a relative and by a whole path.
			inside := filepath.Join(project, "inside")
			for _, to := range []string{inside, f.relative(path, inside)} {
				f.relink(path, to)
				if err := apply(Install, r); err != nil {
					t.Errorf("%s, a link to %s: %v", client, to, err)
				}
				if fi, err := os.Stat(inside); err != nil || fi.Size() == 0 {
					t.Errorf("%s, a link to %s: nothing is in it, %v", client, to, err)
				}
				if _, err := os.Readlink(path); err != nil {
					t.Errorf("%s: the link is gone: %v", client, err)
				}
				f.uninstall(r)
				os.Remove(inside)
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// relink makes a link, and the directory that it is in.
func (f *fixture) relink(path, to string) {
	f.t.Helper()
	os.RemoveAll(path)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(to, path))
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) relative(from, to string) string {
	f.t.Helper()
	name, err := filepath.Rel(filepath.Dir(from), to)
	if err != nil {
		f.t.Fatal(err)
	}
	return name
}

// contents returns the names and the contents of the files in a directory.
func (f *fixture) contents(dir string) (all string) {
	f.t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range list {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		all += e.Name() + ": " + string(text)
	}
	return all
}
