package cli

import (
	"cmp"
	"os"
	"runtime"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
)

// A store on a server is memd's to open: mem, which links no driver, hands the command line over.

// serverRoot returns the URL of a server that --root or MEM_ROOT names; "" where neither does.
func (a *app) serverRoot() string {
	if root := a.namedRoot(); site.IsRemote(root) {
		return root
	}
	return ""
}

// namedRoot returns the root that --root names, or else MEM_ROOT; "" for none.
func (a *app) namedRoot() string { return cmp.Or(a.root, a.getenv("MEM_ROOT")) }

// remoteFlag is the flag of init that names a server, which memd alone can ask.
const remoteFlag = "remote"

// surroundings returns where the files of clients are on this machine; the caller adds the project.
func (a *app) surroundings() (setup.Surroundings, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Surroundings{}, &usage{what: "home", why: err.Error()}
	}
	return setup.Surroundings{Home: home, Getenv: a.getenv, OS: runtime.GOOS}, nil
}
