package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/native"
	"github.com/spf13/cobra"
)

// nativeFolders returns the memories that clients keep themselves of the project of a directory,
// but for that of one client; "" for all.
func nativeFolders(a *app.App, sites *site.Sites, dir, but string) []native.Folder {
	place, err := a.Surroundings()
	if err != nil {
		return nil
	}
	w := native.Where{
		Dir: dir, Home: place.Home, Managed: "/etc/claude-code/managed-settings.json",
		Claude: place.HomeOf(setup.ClientByName("claude-code")),
		Codex:  place.HomeOf(setup.ClientByName("codex")),
		Stores: []string{sites.Home, sites.Projects},
	}
	switch place.OS {
	case "darwin":
		w.Managed = "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		w.Managed = `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	for _, one := range sites.List() {
		w.Stores = append(w.Stores, one.Root)
	}
	return slices.DeleteFunc(native.Find(w), func(f native.Folder) bool { return f.Client == but })
}

// nativeChecks lists the memories that clients keep themselves of this project, and the clients
// whose hooks inject facts from them.
func nativeChecks(a *app.App, cmd *cobra.Command, sites *site.Sites) (list []doctor.Check) {
	ask, err := newAsk(a, cmd)
	if err != nil {
		return nil // the check of the clients has this error
	}
	ask.Flags = nil
	for _, f := range nativeFolders(a, sites, ask.Place.Project, "") {
		into := "not bridged"
		for _, c := range setup.List(ask) {
			if c.Bridge && c.Client != f.Client {
				into = strings.Replace(into+", "+c.Client, "not bridged,", "bridged into", 1)
			}
		}
		files, size := f.Files(), int64(0)
		for _, file := range files {
			size += file.Size()
		}
		list = append(list, doctor.Check{What: f.Client + " memory", Level: doctor.OK,
			Message: fmt.Sprintf("%s, %s, %s, %s", shortPath(f.Path, ask.Place.Home),
				app.Count(len(files), "file"), app.Count(int(size), "byte"), into)})
	}
	return list
}

// addBridge adds the bridge to a request. It refuses that for a client without hooks of its user,
// and where the files of a project were named, which would turn it on for other people.
func addBridge(ask *setup.Request, named setup.Scope) error {
	switch {
	case ask.Client.User.Hooks == "":
		return app.BadInput(setup.BridgeFlag,
			ask.Client.Name+" runs no hooks of the user, so nothing would inject the facts", "")
	case named == setup.Project:
		return app.BadInput(setup.BridgeFlag, "other people may read the files of a project",
			"leave --project out")
	}
	ask.Flags = append(ask.Flags, setup.BridgeFlag)
	return nil
}
