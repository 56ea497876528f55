package agents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

// newAsk returns the part of a request that is the same for every client.
func newAsk(a *app.App, cmd *cobra.Command) (setup.Request, error) {
	place, err := a.Surroundings()
	if err != nil {
		return setup.Request{}, err
	}
	here, err := os.Getwd()
	if err != nil {
		return setup.Request{}, err
	}
	sites, err := a.FindSites("")
	if err != nil {
		return setup.Request{}, err
	}
	stores, err := writtenPaths(sites)
	if err != nil {
		return setup.Request{}, err
	}
	if place.Project = setup.FindProject(here); isSameFile(place.Project, place.Home) {
		place.Project = here // a home in git is not the project of what lies below it
	}
	ask := setup.Request{
		Place: place, Program: "mem", Guidance: guidanceFor, More: moreFor, Stores: stores,
		Private: journal.Guide,
		Windows: place.OS == "windows",
	}
	if cmd.Flags().Changed("root") {
		ask.Flags = []string{"--root", stores[0]}
	}
	ask.Program, ask.Located, err = program(ask.Place.Copies())
	return ask, err
}

// writtenPaths returns the whole paths of what mem writes to: of two layers also the stores of
// other projects, and the record of trusted stores.
func writtenPaths(sites site.Sites) (paths []string, err error) {
	if sites.One == nil {
		if sites.User != nil {
			paths = append(paths, sites.User.Root)
		}
		return append(paths, sites.Projects, sites.Book.Dir()), nil
	}
	path, err := site.Absolute(sites.One.Root)
	if err != nil {
		return nil, app.BadInput("root", err.Error(), "give --root DIR")
	}
	return []string{path}, nil
}

// program is the command of clients: mem by its name, if the PATH leads to this program, else its
// path, or that of its copy. located is its path in any case, as the PATH has it: the file behind a
// link may move.
func program(copies string) (name, located string, err error) {
	self, err := ownMem()
	if err != nil {
		return "", "", err
	}
	if setup.OfNode(self) && copies != "" {
		copied := filepath.Join(copies, filepath.Base(self))
		return copied, copied, nil
	}
	found, err := exec.LookPath("mem")
	if err != nil || !isSameFile(self, found) {
		return self, self, nil
	}
	located, err = filepath.Abs(found)
	return "mem", located, err
}

// shortPath returns a path for people: with ~ for the home directory.
func shortPath(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func (o *setupOptions) explain(err error) error {
	switch {
	case errors.Is(err, setup.ErrScope) && o.hooksOnly:
		return app.BadInput("setup", "this client has no hooks", "leave --hooks-only out")
	case errors.Is(err, setup.ErrScope) && o.user:
		return app.BadInput("setup", "this client has files of a project only",
			"leave --user out, or give --project")
	case errors.Is(err, setup.ErrScope):
		return app.BadInput("setup", "this client has files for all projects only",
			"leave --project out, or give --user")
	case errors.Is(err, setup.ErrProtected):
		return app.Hinted(err, advice.Say("nothing was changed; "+
			"--dry-run shows what would be changed in it"))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return app.Hinted(err, advice.Say("ls -l shows whose file it is"))
	}
	return err
}

type setupFile struct {
	Path string `json:"path"`
	// wired, unwired, deleted, unchanged or custom; with --check wired, unapproved, missing, stale
	// or custom
	State string `json:"state"`
}

// deleted is the state of a file that had nothing but mem's part.
const deleted = "deleted"

// setupAnswer is what --json prints.
type setupAnswer struct {
	Client string      `json:"client"`
	Scope  setup.Scope `json:"scope"`
	Root   string      `json:"root,omitempty"`   // as in setup.Status
	Agent  string      `json:"agent,omitempty"`  // that the hooks name
	Bridge bool        `json:"bridge,omitempty"` // as in setup.Status

	NoCapture bool        `json:"no_capture,omitempty"` // as in setup.Status
	Files     []setupFile `json:"files"`
	Left      []string    `json:"left"`     // to do by hand
	Warnings  []string    `json:"warnings"` // other problems
	problems  bool
}

// answer returns the answer for a client; the first one of a call also warns of the PATH.
func (o *setupOptions) answer(ask setup.Request, changes []setup.Change, first bool) setupAnswer {
	ans := setupAnswer{
		Client: ask.Client.Name, Scope: ask.Scope,
		Files: []setupFile{}, Left: []string{}, Warnings: []string{},
	}
	for _, c := range changes {
		if o.remove && c.Before == nil {
			continue
		}
		ans.Files = append(ans.Files, setupFile{c.Path, o.word(c)})
		ans.problems = ans.problems || o.check && c.State != setup.Wired
		ans.Warnings = append(ans.Warnings, o.customWarnings(ask, c)...)
	}
	if !o.remove {
		ans.Root, ans.Agent, ans.Bridge = setup.Root(ask), setup.Agent(ask), setup.IsBridged(ask)
		ans.NoCapture = ask.Client.HasHooks() && !setup.Captures(ask)
		ans.Warnings = append(ans.Warnings, setupWarnings(ask)...)
		ans.problems = ans.problems || o.check && len(ans.Warnings) > 0
		// Setup has done its part, and a second one would not help: no problem.
		if events := setup.UnapprovedEvents(ask); o.check && len(events) > 0 {
			if main := &ans.Files[0].State; *main == string(setup.Wired) {
				*main = string(setup.Unapproved)
			}
			ans.Warnings = append(ans.Warnings, fmt.Sprintf("%s skips hooks that are "+
				"not approved: %s; approve them in /hooks", ask.Client.Name,
				strings.Join(events, ", ")))
		}
		// The files name mem as it is found from here, so they are right whatever the PATH is.
		if text := pathWarning(); text != "" && ask.Guidance != nil && first {
			ans.Warnings = append(ans.Warnings, text)
		}
	}
	if !o.remove && !o.check {
		ans.Left = append(ans.Left, setup.NextSteps(ask)...)
	}
	return ans
}

func (o *setupOptions) word(c setup.Change) string {
	switch {
	case o.check:
		return string(c.State)
	case !c.Changed() && len(c.Custom) > 0:
		return string(setup.Custom)
	case !c.Changed():
		return "unchanged"
	case c.After == nil:
		return deleted
	case o.remove:
		return "unwired"
	}
	return "wired"
}

// customWarnings says what to do about handlers that setup leaves alone.
func (o *setupOptions) customWarnings(ask setup.Request, c setup.Change) (list []string) {
	do := "move the other commands to a handler of their own, remove this one, and type " +
		setupCommand(ask)
	if o.remove {
		do = "remove it by hand"
	}
	for _, clash := range c.Custom {
		where := shortPath(c.Path, ask.Place.Home) + ", " + clash.Where
		if clash.Server {
			if !o.remove {
				list = append(list, where+": that server was left unchanged, because setup did "+
					"not write it: remove it or give it another name, and type "+setupCommand(ask))
			}
			continue
		}
		list = append(list, fmt.Sprintf("%s: mem's hook runs there inside another command, so it "+
			"was left unchanged: %s", where, do))
	}
	return list
}

// setupWarnings returns what keeps the hooks from running, or from running once.
func setupWarnings(ask setup.Request) (list []string) {
	if why, fix := endedBy(ask); why != "" {
		list = append(list, why+": "+fix)
	}
	if gone := setup.GoneProgram(ask); gone != "" {
		list = append(list, gone+" is gone, so nothing runs: type "+setupCommand(ask))
	}
	for _, w := range setup.OtherScopes(ask) {
		file := shortPath(w.Path, ask.Place.Home)
		list = append(list, fmt.Sprintf("%s is wired too, so memories come twice: "+
			"type mem setup %s --%s --remove", file, w.Client, w.Scope))
	}
	return list
}

// endedBy returns what keeps hooks of a client from running, and what to do; "" where nothing does.
func endedBy(ask setup.Request) (why, fix string) {
	ended := setup.EndedBy(ask)
	if ended.File == "" {
		return "", ""
	}
	return fmt.Sprintf(ended.Why, shortPath(ended.File, ask.Place.Home)), ended.Do
}

// setupCommand is what to type to wire a client.
func setupCommand(ask setup.Request) string {
	text := "mem setup " + ask.Client.Name + " --" + string(ask.Scope)
	switch {
	case ask.Guidance == nil:
		text += " --hooks-only"
	case ask.Server && !ask.Client.Server.Always:
		text += " --mcp"
	}
	if len(ask.Flags) > 0 {
		text += " " + strings.Join(ask.Flags, " ")
	}
	return text
}

// withFlags returns what stands behind a file: the root and the agent that its hooks name, and
// whether they have the bridge, or do not capture.
func withFlags(root, agent string, bridge, noCapture bool) (text string) {
	if root != "" {
		text = " (root " + root + ")"
	}
	if agent != "" {
		text += " (agent " + agent + ")"
	}
	if bridge {
		text += " (bridge)"
	}
	if noCapture {
		text += " (no capture)"
	}
	return text
}
