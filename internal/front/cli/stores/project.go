package stores

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

type projectOptions struct{ search bool }

func NewProjectCmd(a *app.App) *cobra.Command {
	o := &projectOptions{}
	cmd := &cobra.Command{
		Use:   "project <action> [<store>]",
		Short: "use the store of another copy of this repository",
		Long: `Use another store for this repository with "mem project link": the one that may
be of it, or the one named by the digits that "mem where" shows (eight do), by
its directory, or by a directory of its repository. It shows both stores, asks,
and then moves the memories of the store in use there; a memory stays, and is
listed, if that has a newer one. The path of its own store ends the link. Only a
person may link: the .git of an archive can claim any origin. --search runs git,
and looks for the repositories on this machine that have a first commit of this
one; a fork has them, too.`,
		Example: `  mem project link
  mem project link 3f2a91bc
  mem project link ~/src/app --yes
  mem project link --search`,
		Args: app.WantArgs(1, 2, "link, and at most one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	cmd.Flags().BoolVar(&o.search, "search", false,
		"the store of a repository with a first commit of this one")
	return cmd
}

// projectLinked is what --json prints.
type projectLinked struct {
	Root  string `json:"root"`
	Moved int    `json:"moved"` // memories of the repository's own store, as those that stay
	Kept  int    `json:"kept"`
}

func (o *projectOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	root, err := o.target(a, cmd, l, args)
	if err != nil {
		return err
	}
	if err := o.show(a, cmd, l, root); err != nil {
		return err
	}
	if err := a.Confirm(cmd, policy.Link, "use "+app.OneLine(root)+" here?"); err != nil {
		return err
	}
	left, err := l.Sites.Link(root)
	if err == nil {
		err = admit(l, root)
	}
	if err != nil {
		return err
	}
	ans, to := projectLinked{Root: root}, &site.Site{Layer: site.Project, Root: root}
	print := app.Report("linked: " + root)
	for _, from := range left {
		// What a crash or an error leaves there, the same command takes along.
		rep, moved := o.move(a, cmd, l, from, to)
		ans.Moved, ans.Kept = ans.Moved+len(rep.Moved), ans.Kept+len(rep.Kept)
		before := print
		print = func(a *app.App, cmd *cobra.Command) error {
			move := moveOptions{to: site.Project, from: from}
			return errors.Join(before(a, cmd), move.print(a, cmd, to, rep))
		}
		old := &site.Site{Layer: site.Project, Root: from}
		err = errors.Join(err, moved, a.Inbox().Follow(old.Address(), to.Address()))
	}
	return errors.Join(a.Answer(cmd, ans, print), err)
}

// move moves the memories of a store to another one.
func (o *projectOptions) move(a *app.App, cmd *cobra.Command, l *layers.Layers, from string,
	to *site.Site) (rep transfer.MoveReport, err error) {
	if site.IsBare(from) {
		return rep, nil
	}
	move := moveOptions{to: site.Project, from: from}
	job, err := move.job(a, cmd, l, to, nil)
	if err != nil {
		return rep, err
	}
	return move.move(a, cmd, l, to, job)
}

// show shows to a person at a terminal what the question is about.
func (o *projectOptions) show(a *app.App, cmd *cobra.Command, l *layers.Layers,
	root string) error {
	if a.Yes || a.Quiet || a.AsJSON() || !app.IsTerminal(cmd) || !policy.IsPerson(a.Caller) {
		return nil
	}
	w := cmd.ErrOrStderr()
	left, err := l.Sites.Leaves(root)
	if err != nil {
		return err
	}
	for i, path := range append(left, root) {
		one := &site.Site{Layer: site.Project, Root: path}
		n, err := l.CountMovable(cmd.Context(), a.Caller, one)
		if err != nil {
			return err
		}
		of := repositoryOf(one)
		if own := i == 0 && path != root; own { // it may have no record, being not made yet
			of = "of " + site.Worktree(l.Sites.Project.Repo.Common)
		}
		text := fmt.Sprintf("%s to move from %s, %s", app.Memories(n), path, of)
		if path == root {
			text = fmt.Sprintf("%s in %s, %s", app.Memories(n), path, of)
		}
		fmt.Fprintln(w, app.OneLine(text))
	}
	_, err = fmt.Fprintln(w, "The .git of an archive may claim any origin: yes only where both "+
		"are one project of yours.")
	return err
}

func repositoryOf(one *site.Site) string {
	common, _ := site.RepositoryOf(one.Root) // an unreadable record names none
	switch {
	case common == "":
		return "of a repository on another machine"
	case site.IsGone(common):
		return "of " + site.Worktree(common) + ", which is gone"
	}
	return "of " + site.Worktree(common)
}

// admit lets a store be exchanged with the destinations of mem sync: whoever links it here has
// answered that question, too.
func admit(l *layers.Layers, root string) error {
	places, err := places.Read(l.Sites.Book.Dir())
	id := (&site.Site{Root: root}).Identity()
	if err != nil || id == "" {
		return err
	}
	return places.AdmitAll(id)
}

// target returns the root of the store that is meant: by its digits, its path, or that of its
// repository; without any the one that may be of the repository here.
func (o *projectOptions) target(a *app.App, cmd *cobra.Command, l *layers.Layers,
	args []string) (string, error) {
	do := advice.Run("where", "--all").Then(" lists the stores")
	switch p := l.Sites.Project; {
	case args[0] != "link":
		return "", fault.Input("project "+args[0], "want link",
			advice.Run("project", "--help").Then(" shows how"))
	case p == nil || p.Dot:
		return "", fault.Input("project link",
			"no store of a repository, beside the user's, is in use here",
			advice.Run("where").Then(" names those that are"))
	case o.search && len(args) > 1:
		return "", app.BadInput("--search", "it looks for the store, so none is named", "")
	case o.search:
		return o.searched(a, cmd, l)
	case len(args) == 1:
		return o.matched(a, cmd, l)
	}
	list, err := l.Sites.WithID(args[1])
	stores, failed := l.Sites.Repositories()
	path, _ := disk.RealPath(site.WholePath(args[1]))
	for _, one := range stores {
		real, _ := disk.RealPath(one.Root)
		common, _ := site.RepositoryOf(one.Root) // an unreadable record names nothing
		if len(list) == 0 && (path == real || path == site.Worktree(common)) {
			return one.Root, failed
		}
	}
	if err == nil && len(list) != 1 {
		err = fault.Input("project link "+args[1],
			fmt.Sprintf("it names %d stores "+
				"beside the user's, want eight digits or a directory of one", len(list)), do)
	}
	if err != nil {
		return "", err
	}
	return list[0].Root, nil
}

// matched returns the one store that may be of the repository here.
func (o *projectOptions) matched(a *app.App, cmd *cobra.Command, l *layers.Layers) (string, error) {
	list, err := l.Matches(cmd.Context(), a.Caller)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return o.only(l, ids, "no other store may be of this repository",
		advice.Run("project", "link", "--search").Then(" looks for one with the same first commit").
			Also(advice.Run("where", "--all").Then(" lists the stores")))
}

// only returns the root of the store with digits if these are all that there are.
func (o *projectOptions) only(l *layers.Layers, ids []string, none string, do advice.List) (
	string, error) {
	switch {
	case len(ids) == 0:
		return "", app.Verdict(mem.KindNo, "project link: "+none, do)
	case len(ids) > 1:
		return "", fault.Input("project link",
			fmt.Sprintf("%d stores may be of this "+
				"repository: %s", len(ids), strings.Join(ids, ", ")),
			advice.Run("project", "link", ids[0]).Then(" shows the first, and asks"))
	}
	list, err := l.Sites.WithID(ids[0])
	if err == nil && len(list) != 1 {
		err = os.ErrNotExist // it was deleted meanwhile
	}
	if err != nil {
		return "", err
	}
	return list[0].Root, nil
}
