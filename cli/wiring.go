package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
	"github.com/set-memory/mem/setup"
	"github.com/spf13/cobra"
)

// newAsk gives what is the same for every client: where its files are, and how it is to start mem.
func (a *app) newAsk(cmd *cobra.Command) (setup.Ask, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Ask{}, &usage{what: "home", why: err.Error()}
	}
	here, err := os.Getwd()
	if err != nil {
		return setup.Ask{}, err
	}
	store, err := a.storePath()
	if err != nil {
		return setup.Ask{}, err
	}
	ask := setup.Ask{
		Place:   setup.Place{Home: home, Project: setup.FindProject(here), Getenv: a.getenv},
		Program: "mem", Guidance: readout.Prompt, Store: store, Windows: runtime.GOOS == "windows",
	}
	if cmd.Flags().Changed("root") {
		ask.Flags = []string{"--root", store}
	}
	if ask.Program, err = program(); err != nil {
		return ask, err
	}
	return ask, nil
}

// storePath is the whole path of the root.
func (a *app) storePath() (string, error) {
	path, err := mem.Locate(a.root, "", a.getenv)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", &usage{what: "root", why: err.Error(), hint: "give --root DIR"}
	}
	return path, nil
}

// program is what clients start: mem by its name, if the PATH leads to this program, else its path.
func program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("mem")
	if err != nil {
		return self, nil
	}
	mine, err1 := os.Stat(self)
	other, err2 := os.Stat(found)
	if err1 == nil && err2 == nil && os.SameFile(mine, other) {
		return "mem", nil
	}
	return self, nil
}

// homely shortens a path for people.
func homely(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// setupFile is one file of the answer.
type setupFile struct {
	Path  string `json:"path"`
	State string `json:"state"` // wired, unwired, deleted or unchanged; of --check wired, missing or stale
}

// setupAnswer is what --json prints.
type setupAnswer struct {
	Client   string      `json:"client"`
	Scope    setup.Scope `json:"scope"`
	Files    []setupFile `json:"files"`
	Left     []string    `json:"left"`     // to do by hand
	Warnings []string    `json:"warnings"` // what is amiss beside it
	amiss    bool
}

// cautions tells what keeps the hooks from running once: the other scope is wired too, and both run, or none may.
func cautions(ask setup.Ask) (list []string) {
	if setup.Disabled(ask) {
		list = append(list, "disableAllHooks is true in "+homely(ask.Client.First(ask.Scope, ask.Place), ask.Place.Home)+", so no hook runs: take it out")
	}
	for _, w := range setup.Others(ask) {
		list = append(list, fmt.Sprintf("%s is wired too, so memories come twice: type mem setup %s --%s --remove", homely(w.Path, ask.Place.Home), w.Client, w.Scope))
	}
	return list
}

// setupCommand is what to type to wire a client.
func setupCommand(ask setup.Ask) string {
	text := "mem setup " + ask.Client.Name + " --" + string(ask.Scope)
	if ask.Guidance == "" {
		text += " --hooks-only"
	}
	if len(ask.Flags) > 0 {
		text += " " + strings.Join(ask.Flags, " ")
	}
	return text
}
