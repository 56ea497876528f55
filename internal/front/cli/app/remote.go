package app

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// A store on a server is memd's to open: mem, which links no driver, hands the command line over.

// ServerRoot returns the URL of a server that --root or MEM_ROOT names; "" where neither does.
func (a *App) ServerRoot() string {
	if root := a.NamedRoot(); site.IsRemote(root) {
		return root
	}
	return ""
}

// NamedRoot returns the root that --root names, or else MEM_ROOT; "" for none.
func (a *App) NamedRoot() string { return cmp.Or(a.Root, a.Getenv("MEM_ROOT")) }

// OutsideRoot is Getenv without MEM_ROOT, as another terminal has it.
func (a *App) OutsideRoot(name string) string {
	if name == "MEM_ROOT" {
		return ""
	}
	return a.Getenv(name)
}

// ServedAt is a memory behind a server.
type ServedAt struct {
	URL string // "": there is none
	// Project and Root are the name and the .mem of the project here that it is of; "" for one that
	// is named.
	Project, Root string
}

// ServedRoot returns the memory behind a server that a verb is for: the one that is named, or that
// of the project here. A .mem that nobody let in has none.
func (a *App) ServedRoot() (at ServedAt) {
	if root := a.NamedRoot(); root != "" || a.Layer == site.User {
		if site.IsServed(root) {
			at.URL = root
		}
		return at.spelt()
	}
	sites, _ := site.Find("", "", a.Getenv) // its error is that of the verb, too
	return ServedIn(&sites)
}

// HasRemote reports whether the memories of the project here are on a server that was let in.
func (a *App) HasRemote() bool {
	sites, err := site.Find("", "", a.Getenv)
	return err != nil || sites.Served != nil || sites.Project != nil && sites.Project.Remote != ""
}

// ServedIn is ServedRoot of some sites.
func ServedIn(sites *site.Sites) (at ServedAt) {
	switch {
	case sites.One != nil && site.IsServed(sites.One.Address()):
		at.URL = sites.One.Address()
	case sites.Served != nil:
		at = ServedAt{sites.Served.Remote, sites.Served.Name(), sites.Served.Root}
	}
	return at.spelt()
}

// spelt returns the memory with the one spelling of its URL.
func (at ServedAt) spelt() ServedAt {
	if address, err := site.ParseAddress(at.URL); err == nil {
		at.URL = address.URL()
	}
	return at
}

// Starts returns the copies of the starts of conversations that servers gave. They expire by the
// system's clock, whatever --now says.
func (a *App) Starts() hook.Starts {
	home, _ := os.UserHomeDir() // without one there are none
	return hook.StartsIn(site.OpenBook(a.Getenv, home).Dir(), SystemClock())
}

// OneVersion is what to do about a server that answers as no memd of this version does.
const OneVersion = "mem and the memd there must be of one version: mem version prints that of mem"

// StatServed returns the figures of a memory behind a server, which is asked.
func (a *App) StatServed(ctx context.Context, at ServedAt) (st mem.Stat, err error) {
	text, err := a.Build.Ask(ctx, a, at, "stat", "--json")
	if err == nil && json.Unmarshal(text, &st) != nil {
		err = BadInput(at.URL, "its answer is not that of a memd", OneVersion)
	}
	return st, err
}

// IsOfUser reports whether a verb is about a memory of the user's layer, or about all stores of
// this machine: those never leave it for a project's server.
func (a *App) IsOfUser(cmd *cobra.Command) bool {
	if a.Layer == site.Project {
		return false
	}
	if all := cmd.Flags().Lookup("all"); all != nil && all.Changed && isOfMachine(all) {
		return true
	}
	if scope := cmd.Flags().Lookup("scope"); scope != nil && cmd.Name() == policy.Note.String() &&
		scope.Value.String() == site.User {
		return true
	}
	if format := cmd.Flags().Lookup("format"); format != nil && cmd.Name() == "read" &&
		format.Value.String() == "private" {
		return true // the journal and the core of an agent
	}
	args := cmd.Flags().Args()
	if cmd.Name() == policy.Set.String() {
		args = args[:min(len(args), 1)] // then comes the content
	}
	return slices.Contains(takeKeys, cmd.Name()) && slices.ContainsFunc(args, isOfUser)
}

// takeKeys are the verbs whose arguments are names of memories, or keys that they lie below.
var takeKeys = []string{"set", "get", "ls", "edit", "forget", "rm", "history", "undo", "diff",
	"merge", "mv", "touch", "pin", "supersede", "approve", "reject"}

// isOfUser reports whether a name is that of a memory of the user's layer.
func isOfUser(name string) bool {
	if strings.HasPrefix(name, "u-") && note.IsID(name) {
		return true
	}
	key, err := keypath.ParseName(name)
	return err == nil && policy.CheckTeam(key) != nil
}

// RemoteFlag is the flag of init that names a server, which memd alone can ask.
const RemoteFlag = "remote"

// Surroundings returns where the files of clients are on this machine; the caller adds the project.
func (a *App) Surroundings() (setup.Surroundings, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Surroundings{}, BadInput("home", err.Error(), "")
	}
	return setup.Surroundings{Home: home, Getenv: a.Getenv, OS: runtime.GOOS}, nil
}
