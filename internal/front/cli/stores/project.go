package stores

import (
	"errors"
	"fmt"

	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

type projectOptions struct{}

func NewProjectCmd(a *app.App) *cobra.Command {
	o := &projectOptions{}
	return &cobra.Command{
		Use:   "project <action> [<store>]",
		Short: "use the store of another copy of this repository",
		Long: `Use another store for this repository with "mem project link": the one that has
its identity, or the one named by an identity (its first eight digits do), by
its directory, or by a directory of its repository. It asks first, and then
moves the memories of this repository's own store there; a memory stays, and is
listed, if that has a newer one. The path of its own store ends the link. Only a
person may link: the .git of an archive can claim any identity.`,
		Example: `  mem project link
  mem project link 3f2a91bc
  mem project link ~/src/app --yes`,
		Args: app.WantArgs(1, 2, "link, and at most one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
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
	root, err := o.target(l, args)
	if err != nil {
		return err
	}
	if err := a.Confirm(cmd, policy.Link, "use "+app.OneLine(root)+" here?"); err != nil {
		return err
	}
	own, err := l.Sites.Link(root)
	if err == nil {
		err = admit(l, root)
	}
	if err != nil {
		return err
	}
	to, rep := &site.Site{Layer: site.Project, Root: root}, transfer.MoveReport{}
	move := moveOptions{to: site.Project, from: own}
	if root != own && !site.IsBare(own) {
		// What a crash or an error leaves there verbs name as of a former place.
		job, unread := move.job(a, cmd, l, to, nil)
		if err = unread; err == nil {
			rep, err = transfer.Move(cmd.Context(), a.Caller, job)
		}
	}
	print := func(a *app.App, cmd *cobra.Command) error {
		return errors.Join(app.Report("linked: "+root)(a, cmd), move.print(a, cmd, to, rep))
	}
	ans := projectLinked{root, len(rep.Moved), len(rep.Kept)}
	return errors.Join(a.Answer(cmd, ans, print), err)
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

// target returns the root of the store that is meant: by the first digits of its identity, its
// path, or that of its repository.
func (o *projectOptions) target(l *layers.Layers, args []string) (string, error) {
	do := advice.Run("where", "--all").Then(" lists the stores")
	switch p := l.Sites.Project; {
	case args[0] != "link":
		return "", &app.Usage{What: "project " + args[0], Why: "want link",
			Do: advice.Run("project", "--help").Then(" shows how")}
	case p == nil || p.Dot:
		return "", &app.Usage{What: "project link", Why: "no store of a repository, beside the " +
			"user's, is in use here", Do: advice.Run("where").Then(" names those that are")}
	case len(args) == 1:
		if _, root := l.Sites.Claimed(); root != "" {
			return root, nil
		}
		return "", app.Verdict(mem.KindNo, "project link: no other store has the identity of "+
			"this repository", do)
	}
	stores, err := l.Sites.Repositories()
	path, _ := disk.RealPath(app.Absolute(args[1]))
	var roots []string
	for _, one := range stores {
		real, _ := disk.RealPath(one.Root)
		common, _ := site.RepositoryOf(one.Root) // an unreadable record names nothing
		if len(args[1]) >= 8 && strings.HasPrefix(one.Identity(), strings.ToLower(args[1])) ||
			path == real || path == app.Worktree(common) {
			roots = append(roots, one.Root)
		}
	}
	if err == nil && len(roots) != 1 {
		err = &app.Usage{What: "project link " + args[1], Why: fmt.Sprintf(
			"it names %d stores beside the user's, want one", len(roots)), Do: do}
	}
	return strings.Join(roots, ""), err
}
