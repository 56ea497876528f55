package stores

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type trustOptions struct {
	list, revoke, rules bool
}

func NewTrustCmd(a *app.App) *cobra.Command {
	o := &trustOptions{}
	cmd := &cobra.Command{
		Use:   "trust [<dir>]",
		Short: "list the memories of a .mem, and trust it",
		Long: `Show what the nearest .mem upward from a directory would inject, and ask
whether to trust it; of a trusted one, show what other people, or you on another
machine, have added since. An untrusted store is neither read nor written. The
memories of a trusted one are never injected as your rules. Without a terminal
--yes is the answer, which an agent may not give. MEM_TRUST=PATH[:PATH] trusts
stores without a question, for containers and CI, and MEM_TRUST_REMOTE="URL URL"
the servers that a .mem names. --rules asks whether the rules of the team behind
such a server are instructions to agents here; without it they are data.`,
		Example: `  mem trust
  mem trust ~/src/app --yes
  mem trust --list
  mem trust ~/src/app --revoke
  mem trust --rules`,
		Args: app.WantArgs(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, ".")[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the trusted stores")
	f.BoolVar(&o.revoke, "revoke", false, "trust the store no longer")
	f.BoolVar(&o.rules, "rules", false, "trust, or revoke, the rules of its server's team alone")
	return cmd
}

func (o *trustOptions) run(a *app.App, cmd *cobra.Command, dir string) error {
	if a.Root != "" || a.Layer != "" {
		return app.BadInput("trust", "it cannot be used with --root or --layer",
			"a store that --root names is trusted already")
	}
	if err := a.Check(); err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if filepath.Base(abs) == site.DotDir {
		abs = filepath.Dir(abs)
	}
	sites, err := site.Find("", abs, a.OutsideRoot) // MEM_ROOT would hide the .mem here
	switch {
	case errors.Is(err, site.ErrNoHome):
		return app.BadInput("trust", err.Error(), "set HOME")
	case err != nil:
		return err
	case o.list:
		return o.printList(a, cmd, sites)
	case o.rules:
		return o.runRules(a, cmd, sites, abs)
	case o.revoke:
		return o.takeBack(a, cmd, sites, abs)
	}
	return o.let(a, cmd, sites, abs)
}

// let shows what a .mem says, and lets it in if the answer is yes.
func (o *trustOptions) let(a *app.App, cmd *cobra.Command, sites site.Sites, dir string) error {
	one, err := candidate(sites, dir)
	if err != nil {
		return err
	}
	// An agent is not shown what nobody has admitted.
	if err := policy.CheckPerson(a.Caller, policy.Trust); errors.Is(err, policy.ErrPerson) {
		return err
	}
	opts, err := a.StoreOptions(cmd)
	if err != nil {
		return err
	}
	a.Layers = layers.New(sites, func(*site.Site) mem.Options { return opts })
	if one.Remote != "" {
		return o.letRemote(a, cmd, one)
	}
	unseen, err := a.Layers.Unseen(cmd.Context(), a.Caller, one)
	if err != nil {
		return err
	}
	gone, err := a.Layers.UnseenDeletions(cmd.Context(), one)
	if err != nil {
		return err
	}
	if one.Grant != nil && len(unseen)+len(gone) == 0 {
		return o.print(a, cmd, one, unseen, "nothing new")
	}
	showUnseen(a, cmd, one, unseen)
	showDeleted(a, cmd, gone)
	if err := a.Confirm(cmd, policy.Trust, "trust it?"); err != nil {
		return err
	}
	if err := a.Layers.LetIn(cmd.Context(), a.Caller, one, append(unseen, gone...)); err != nil {
		return app.Resumable(err)
	}
	if err := o.print(a, cmd, one, unseen, "trusted"); err != nil {
		return err
	}
	a.Layers.Sites.Project = one
	a.SayBeside(cmd)
	return nil
}

// letRemote shows where the memories of a .mem are, and lets that in after a yes.
func (o *trustOptions) letRemote(a *app.App, cmd *cobra.Command, one *site.Site) error {
	if err := site.CheckRemote(one.Remote); err != nil {
		return app.BadInput("trust", one.Root+" names no server: "+err.Error(), "")
	}
	if one.Grant != nil {
		return o.print(a, cmd, one, nil, "nothing new")
	}
	if !a.Quiet && !a.AsJSON() {
		const text = "%s keeps its memories at %s: everyone who may write there is trusted, " +
			"and new memories of this project go there.\n"
		fmt.Fprintf(cmd.ErrOrStderr(), text, app.OneLine(one.Root), app.OneLine(one.Remote))
	}
	if err := a.Confirm(cmd, policy.Trust, "trust it?"); err != nil {
		return err
	}
	if err := a.Layers.LetIn(cmd.Context(), a.Caller, one, nil); err != nil {
		return err
	}
	if site.IsServed(one.Remote) && a.Talks() {
		a.Advise(cmd, "hint", advice.RunAlone("token login", one.Remote).
			Then(" keeps the token that the server takes"))
	}
	a.Layers.Sites.Project = one
	a.SayBeside(cmd)
	return o.print(a, cmd, one, nil, "trusted")
}

// candidate returns the .mem that is meant: the nearest, whether it was let in or not.
func candidate(sites site.Sites, dir string) (*site.Site, error) {
	if len(sites.Skipped) > 0 && sites.Skipped[0].Marked == nil {
		nearest := sites.Skipped[0]
		if nearest.Untrusted {
			return sites.SiteAt(nearest.Root), nil
		}
		return nil, app.Verdict(mem.KindRefused, nearest.Root+": "+nearest.Why,
			advice.Say("name it with --root if you want to look at it"))
	}
	if p := cmp.Or(sites.Project, sites.Served); p != nil && p.Dot {
		return p, nil
	}
	return nil, fault.Input("trust", "there is no .mem in "+dir+" or above it",
		advice.Run("init").Then(" makes one"))
}

// trustAnswer is what --json prints.
type trustAnswer struct {
	Root string `json:"root"`
	In   bool   `json:"trusted"`
	// Rules is whether the rules of its server's team are instructions here.
	Rules bool             `json:"rules,omitempty"`
	New   []trustedVersion `json:"new"` // versions that were not known before
}

// trustedVersion is a memory that was looked at.
type trustedVersion struct {
	Key string    `json:"key"`
	TS  log.Stamp `json:"ts"`
}

func (o *trustOptions) print(a *app.App, cmd *cobra.Command, site *site.Site, unseen []log.Record,
	what string) error {
	ans := trustAnswer{Root: site.Root, In: site.Grant != nil, New: []trustedVersion{}}
	for _, rec := range unseen {
		ans.New = append(ans.New, trustedVersion{rec.Key.String(), rec.TS})
	}
	return a.Answer(cmd, ans, app.Report(what+": "+site.Root))
}

func (o *trustOptions) takeBack(a *app.App, cmd *cobra.Command, sites site.Sites,
	dir string) error {
	if err := policy.CheckPerson(a.Caller, policy.Revoke); err != nil {
		return err
	}
	root := filepath.Join(dir, site.DotDir)
	if p := cmp.Or(sites.Project, sites.Served); p != nil && p.Dot {
		root = p.Root
	}
	done, err := sites.Book.Revoke(root)
	if err != nil {
		return err
	}
	if err := a.Starts().Drop("", root); err != nil {
		return err
	}
	if !done {
		return app.Verdict(mem.KindNo, root+": it is not trusted",
			advice.RunAlone("trust", "--list").Then(" lists the trusted stores"))
	}
	return o.print(a, cmd, &site.Site{Root: root}, nil, "no longer used")
}
