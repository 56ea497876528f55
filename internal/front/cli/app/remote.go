package app

import (
	"cmp"
	"os"
	"runtime"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
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

// RemoteFlag is the flag of init that names a server, which memd alone can ask.
const RemoteFlag = "remote"

// Surroundings returns where the files of clients are on this machine; the caller adds the project.
func (a *App) Surroundings() (setup.Surroundings, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Surroundings{}, &Usage{What: "home", Why: err.Error()}
	}
	return setup.Surroundings{Home: home, Getenv: a.Getenv, OS: runtime.GOOS}, nil
}
