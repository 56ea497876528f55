package setup

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrSettings is wrapped when a file is not what it should be, and nothing was changed.
var ErrSettings error = inputError{"cannot be edited",
	"nothing was changed; mend that place, then try again"}

// ErrScope is returned when a client has no files of that scope.
var ErrScope error = inputError{"no such files", ""}

// Ask says what is to be wired, and how.
type Ask struct {
	Client   *Client
	Scope    Scope
	Place    Place
	Program  string   // what starts mem
	Flags    []string // given to the hook besides the client
	Guidance string   // what the agent is told; "" for hooks only
	Store    string   // the root, for what is said of it
	Windows  bool     // how a shell takes quotes
}

// words is the command of the hook.
func (a Ask) words() []string {
	return slices.Concat([]string{a.Program, "hook", a.Client.Name}, a.Flags)
}

// State is how a file stands to what it should be.
type State string

// The states.
const (
	Wired   State = "wired"
	Missing State = "missing" // nothing of ours is in it
	Stale   State = "stale"   // what is in it is not what would be written now
)

// Change is one file before and after.
type Change struct {
	Path   string // as the client names it
	State  State  // before
	Before []byte // nil: there is none
	After  []byte // nil: it goes

	real     string // behind the links
	info     os.FileInfo
	spare    bool // a copy is to be put aside
	restored bool // all is as it was before the first change
}

// Changes reports whether anything is different.
func (c Change) Changes() bool {
	return (c.Before == nil) != (c.After == nil) || !bytes.Equal(c.Before, c.After)
}

// Diff shows the change in the unified form; "" for none.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if c.Before == nil {
		from = os.DevNull
	}
	if c.After == nil {
		to = os.DevNull
	}
	return unified(from, to, string(c.Before), string(c.After))
}

// Wire plans what puts a client's hooks and guidance in place. Nothing is written yet: see [Apply].
func Wire(a Ask) ([]Change, error) {
	return plan(a, func(f file, c *Change) (err error) {
		if c.After, err = f.edit.add(c.Before, a); err != nil || c.Before == nil {
			return err
		}
		theirs, err := f.edit.strip(c.Before, nil)
		c.spare = theirs != nil
		return err
	})
}

// Unwire plans what takes them out again. Guidance that another client of the scope needs stays.
func Unwire(a Ask) ([]Change, error) {
	return plan(a, func(f file, c *Change) (err error) {
		if c.After = c.Before; c.Before == nil || shared(a, f) {
			return nil
		}
		first := original(c.real)
		c.After, err = f.edit.strip(c.Before, first)
		c.restored = first != nil && bytes.Equal(c.After, first)
		return err
	})
}

func plan(a Ask, fill func(file, *Change) error) ([]Change, error) {
	var changes []Change
	files := a.Client.files(a.Scope, a.Place)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w: it has none of the %s scope", a.Client.Name, ErrScope, a.Scope)
	}
	for _, f := range files {
		c := Change{Path: f.name}
		var err error
		if c.real, err = target(f.name); err == nil {
			c.Before, c.info, err = load(c.real)
		}
		if err != nil {
			return nil, err
		}
		if c.State, err = stateOf(f, c, a); err == nil {
			err = fill(f, &c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.name, ErrSettings, err)
		}
		if c.Changes() && c.info != nil && c.info.Mode().Perm()&0o200 == 0 {
			// A rename would get past it, but somebody meant it.
			return nil, &fs.PathError{Op: "open", Path: c.real, Err: fs.ErrPermission}
		}
		if wants(f, a) {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no hooks", a.Client.Name, ErrScope)
	}
	return changes, nil
}

// wants reports whether a file matters to what was asked.
func wants(f file, a Ask) bool {
	b, ok := f.edit.(block)
	return !ok || b.text(a) != ""
}

// stateOf holds a file against what would be written into it.
func stateOf(f file, c Change, a Ask) (State, error) {
	after, err := f.edit.add(c.Before, a)
	if err != nil {
		return "", err
	}
	if bytes.Equal(after, c.Before) {
		return Wired, nil
	}
	bare, err := f.edit.strip(c.Before, nil)
	if err != nil {
		return "", err
	}
	if bytes.Equal(bare, c.Before) {
		return Missing, nil
	}
	return Stale, nil
}

// shared reports whether a file that is not the client's first is also read by another client, whose hooks of the same scope are wired.
func shared(a Ask, f file) bool {
	if own := a.Client.files(a.Scope, a.Place); own[0].name == f.name {
		return false
	}
	for _, other := range Clients {
		files := other.files(a.Scope, a.Place)
		if other == a.Client || len(files) < 2 || files[1].name != f.name {
			continue
		}
		text, _, err := load(files[0].name)
		if err != nil || text == nil {
			continue
		}
		if bare, err := files[0].edit.strip(text, nil); err == nil && !bytes.Equal(bare, text) {
			return true
		}
	}
	return false
}

// Apply writes what was planned, each file by one rename, after a copy of it was put aside. A crash leaves each file as it was or as it
// should be; the same call again does the rest.
func Apply(changes []Change) error {
	for _, c := range changes {
		if err := c.apply(); err != nil {
			return err
		}
	}
	return nil
}

func (c Change) apply() error {
	switch {
	case !c.Changes():
		return nil
	case c.moved():
		return fmt.Errorf("%s: %w: somebody else changed it just now; try again", c.Path, ErrSettings)
	case c.After == nil && c.real == c.Path:
		if err := os.Remove(c.real); err != nil {
			return err
		}
		return syncDir(filepath.Dir(c.real))
	case c.spare:
		if err := keep(c.real, c.Before, c.info); err != nil {
			return err
		}
	}
	if err := replace(c.real, c.After, c.info); err != nil || !c.restored {
		return err
	}
	return os.Remove(c.real + BackupSuffix) // it has served
}

// moved reports whether the file is no longer the one that the change was worked out from: a client that runs may write its settings too.
func (c Change) moved() bool {
	text, _, err := load(c.real)
	return err == nil && !bytes.Equal(text, c.Before)
}

// Left tells what the person still has to do.
func Left(a Ask) []string {
	var left []string
	if a.Client.left != nil {
		left = a.Client.left(a)
	}
	if a.Scope == Project && filepath.IsAbs(a.Program) {
		left = append(left, "the files name "+a.Program+", which others who share the project may not have: put mem into the PATH and run this again")
	}
	return left
}
