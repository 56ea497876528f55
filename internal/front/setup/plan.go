package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
)

// The errors of this package.
var (
	// ErrSettings is wrapped if a file is not what it should be. Nothing was changed then.
	ErrSettings error = &fault.Fault{Code: "input", Why: "cannot be edited",
		Later: func() advice.List {
			return advice.Say("nothing was changed; mend that place, then try again")
		}}
	// ErrScope is wrapped if a client has no files of the scope.
	ErrScope error = &fault.Fault{Code: "input", Why: "no such files"}
	// ErrOutside is wrapped if a link in a project leads out of it. Nothing was changed then.
	ErrOutside error = &fault.Fault{Code: "input", Why: "a link leads out of the project",
		Later: func() advice.List {
			return advice.Say("nothing was changed; put a file in the place of the link, " +
				"or give --user")
		}}
)

// Request says in which client mem is to be installed, and how.
type Request struct {
	Client  *Client
	Scope   Scope
	Place   Surroundings
	Program string   // what starts mem
	Flags   []string // for the hook, besides the client: of hookFlags with a value, and switches
	// Guidance returns the instructions for the agents that read a file; nil for hooks only.
	Guidance func(readers []*Client, program string) string
	// More returns what such an agent looks up, for its skill; nil for hooks only.
	More func(program string) string
	// Private returns further instructions for an agent that the hooks name; nil: none.
	Private func(agent string) string
	Stores  []string // where mem writes, for the next steps
	Windows bool     // quote command lines for cmd, not for a POSIX shell

	// Server is set if the client gets mem's server, too, which some always do. One
	// that it knows is kept up to date in any case.
	Server  bool
	Located string // the whole path of what starts mem, for clients whose PATH may not lead there
}

// words returns the command of the hook.
func (r Request) words() []string {
	return slices.Concat([]string{r.Program, "hook", r.Client.Name}, r.Flags)
}

// serverWords returns the command of the server. A file of a project is shared with others, so it
// names no path of this machine unless it has to.
func (r Request) serverWords() []string {
	program := r.Program
	if r.Client.Server.Desktop && r.Scope == User && r.Located != "" {
		program = r.Located
	}
	words := slices.Concat([]string{program, "mcp"}, r.Flags)
	return slices.DeleteFunc(words, func(w string) bool { return slices.Contains(switches[:], w) })
}

// State is how a file compares with what would be written now.
type State string

// The states.
const (
	Wired   State = "wired"
	Missing State = "missing" // nothing of ours is in it
	Stale   State = "stale"   // its content differs from the one that setup would write now
	Custom  State = "custom"  // mem's hook runs among words of a person's, which stay
)

// Change is one file before and after.
type Change struct {
	Path   string  // as the client names it
	State  State   // before
	Before []byte  // nil if there is no file
	After  []byte  // nil if the file is removed
	Custom []Clash // what stays, though it stands where ours would

	folders  folders
	target   string // the file behind the links
	within   string // the directory that may be written; "": wherever the target is
	info     os.FileInfo
	copy     string // the path of the copy that the first change makes
	backup   bool   // that copy is to be made first
	edited   bool   // a person changed mem's part of the file: another copy is made
	restored bool   // the file is again what it was before the first change
}

// Clash is what setup leaves alone: a handler that runs mem's hook among other words, or another
// server that is called as ours is.
type Clash struct {
	Where  string
	Server bool
}

// Changed reports whether anything is different.
func (c Change) Changed() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Diff returns the change in the unified form, "" for none.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if c.Before == nil {
		from = os.DevNull
	}
	if c.After == nil {
		to = os.DevNull
	}
	return unified(from, to, c.Before, c.After)
}

// Install returns the changes that put a client's hooks and guidance in place. Nothing is written
// before [Apply].
func Install(r Request) ([]Change, error) {
	return plan(r, func(f file, c *Change) (err error) {
		if c.After, err = f.edit.add(c.Before, r); err != nil || c.Before == nil {
			return err
		}
		theirs, err := f.edit.strip(c.Before, nil)
		c.backup = theirs != nil
		return err
	})
}

// Uninstall returns the changes that remove them again. Guidance that another client of the scope
// needs stays.
func Uninstall(r Request) ([]Change, error) {
	return plan(r, func(f file, c *Change) (err error) {
		if c.After = c.Before; c.Before == nil {
			return nil
		}
		if r.isShared(f, c.Before) {
			if at := indexLine(c.Before, 0, keptMark); at >= 0 && r.Client.Name == agentsMD {
				end := len(keptMark) + len(newline(c.Before))
				c.After = splice(c.Before, at, end, "")
			}
			return nil
		}
		original := readBackup(c.copy)
		c.After, err = f.edit.strip(c.Before, original)
		c.restored = original != nil && bytes.Equal(c.After, original)
		return err
	})
}

// plan returns the changes of a client's files, with After as fill sets it.
func plan(r Request, fill func(file, *Change) error) ([]Change, error) {
	files := r.files()
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w: it has none of the %s scope",
			r.Client.Name, ErrScope, r.Scope)
	}
	var changes []Change
	for _, f := range files {
		c, err := r.planFile(f, fill)
		if err != nil {
			return nil, err
		}
		if r.concerns(f, c.Before) {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no hooks", r.Client.Name, ErrScope)
	}
	return changes, nil
}

func (r Request) planFile(f file, fill func(file, *Change) error) (c Change, err error) {
	c.Path = f.path
	if c.target, c.within, err = r.resolve(f.path); err == nil {
		c.Before, c.info, err = readFile(c.target)
	}
	if err != nil {
		return c, err
	}
	c.copy, c.Custom = r.copyPath(c.target), f.edit.custom(c.Before)
	c.folders = r.Place.folders()
	c.edited = f.edit.edited(c.Before, r)
	if c.State, err = r.stateOf(f, c.Before); err == nil {
		err = fill(f, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w: %w", f.path, ErrSettings, err)
	}
	return c, nil
}

// resolve returns the file that a path leads to, and the directory that bounds it.
func (r Request) resolve(path string) (target, within string, err error) {
	if r.Scope == Project {
		within, _ = filepath.EvalSymlinks(r.Place.Project)
	}
	if within == "" { // the files of a person may be anywhere; a project that is gone has no links
		target, err = followLinks(path)
		return target, "", err
	}
	target, err = insideProject(within, path)
	return target, within, err
}

// concerns reports whether the request is about the file: one of guidance is left out if the
// request has none, and one of servers if it asks for none and none of ours is there.
func (r Request) concerns(f file, text []byte) bool {
	switch e := f.edit.(type) {
	case block:
		return e.text(r) != ""
	case servers:
		return r.Server || e.present(text)
	case table:
		return r.Server || e.present(text)
	}
	return true
}

// stateOf compares the text of a file with what would be written into it.
func (r Request) stateOf(f file, text []byte) (State, error) {
	stripped, err := f.edit.strip(text, nil)
	if err != nil {
		return "", err
	}
	after, err := f.edit.add(text, r)
	switch {
	case len(f.edit.custom(text)) > 0:
		return Custom, nil
	case err == nil && bytes.Equal(after, text):
		return Wired, nil
	case bytes.Equal(stripped, text), r.Client.Name == agentsMD && !isKept(text):
		return Missing, nil
	}
	return Stale, err
}

// Apply makes planned changes, each file by one rename, after a copy of it was made. A crash leaves
// each file as it was or as it should be; the same call again does the rest.
func Apply(changes []Change) error {
	if err := CheckAccess(changes); err != nil {
		return err
	}
	for _, c := range changes {
		for _, path := range [...]string{c.target, c.copy, string(c.folders)} {
			sweep(filepath.Dir(path))
		}
		if err := c.apply(); err != nil {
			return err
		}
	}
	return nil
}

func (c Change) apply() error {
	switch {
	case !c.Changed():
		return nil
	case c.outdated():
		return fmt.Errorf("%s: %w: another program changed it just now; try again",
			c.Path, ErrSettings)
	}
	if err := c.keep(); err != nil {
		return err
	}
	if c.After == nil { // behind a link, too: it led to nothing before
		defer c.folders.remove(filepath.Dir(c.target))
		return removeFile(c.within, c.target)
	}
	if c.info == nil {
		c.folders.add(filepath.Dir(c.target))
	}
	if err := writeFile(c.within, c.target, c.After, c.info); err != nil || !c.restored {
		return err
	}
	defer c.folders.tidy()
	return os.Remove(c.copy) // the file is the original again; a crash before leaves both
}

// keep makes the copies of the file that are due before it is changed.
func (c Change) keep() error {
	if c.backup {
		made, err := writeBackup(c.copy, c.Before, c.info)
		if made || err != nil {
			return err
		}
	}
	if c.edited {
		return writeNumbered(c.copy, c.Before, c.info)
	}
	return nil
}

// outdated reports whether the file is no longer what the change was planned for: a client that
// runs may write its settings too.
func (c Change) outdated() bool {
	text, _, err := readFile(c.target)
	return err == nil && !bytes.Equal(text, c.Before)
}
