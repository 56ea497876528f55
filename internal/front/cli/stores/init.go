package stores

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type initOptions struct {
	shared bool
	remote string
}

func NewInitCmd(a *app.App) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "make a store in this directory",
		Long: `Create .mem/ in this directory: the project's store for the directory and all
below it. Without it a git repository has a store beside the user's, which "mem
set" creates. --root or $MEM_ROOT creates that store instead.

Git ignores .mem/, unless --shared makes git track its log, archives and
README, and merge the writes of several people; the verb first lists the
memories that would become public. With --remote the memories are behind a
server of memd, or in a space of a PostgreSQL database, and git tracks .mem/,
which names it: whoever clones the repository runs mem trust.`,
		Example: `  mem init
  mem init --shared && git add .mem
  mem init --remote https://memd.example/team
  mem init --remote 'postgres://mem_team_5c1f0a@db.example/mem?space=team'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.shared, "shared", false, "let git track the store, to share it")
	cmd.Flags().StringVar(&o.remote, app.RemoteFlag, "",
		"keep the memories at this `URL`, https:// or postgres://")
	return cmd
}

func (o *initOptions) run(a *app.App, cmd *cobra.Command) error {
	if a.Layer != "" {
		return app.BadInput("--layer", "mem init creates a project's store", "")
	}
	sites, err := o.sites(a)
	if err != nil {
		return err
	}
	opts, err := a.StoreOptions(cmd)
	if err != nil {
		return err
	}
	a.Layers = layers.New(sites, func(*site.Site) mem.Options { return opts })
	one := sites.List()[0] // that of the project comes first
	if o.remote != "" {
		return o.makeRemote(a, cmd, one)
	}
	if one.Remote != "" {
		return o.isRemote(a, cmd, one)
	}
	if !one.Dot {
		return o.make(a, cmd, one, false)
	}
	made := site.IsGone(filepath.Join(one.Root, "README.md"))
	if err := o.prepare(a, cmd, one); err != nil {
		return err
	}
	return o.make(a, cmd, one, made)
}

// sites returns the store that is to be made: that of --root or MEM_ROOT, else .mem here.
func (o *initOptions) sites(a *app.App) (site.Sites, error) {
	sites, err := site.Find(a.Root, "", a.Getenv)
	if sites.One != nil {
		if o.remote != "" {
			err = app.BadInput("--remote", "it cannot be used with --root or MEM_ROOT", "")
		}
		if o.shared {
			err = app.BadInput("--shared", "it cannot be used with --root or MEM_ROOT", "")
		}
		return sites, err
	}
	if err != nil && !errors.Is(err, site.ErrNoHome) {
		return sites, err
	}
	here, err := os.Getwd()
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		return sites, err
	}
	root := filepath.Join(here, site.DotDir)
	for _, s := range sites.Skipped {
		if s.Root != root || s.Untrusted && site.IsBare(root) {
			continue // made by somebody else, or by a mem init that did not come to its end
		}
		do := advice.RunAlone("trust").Then(" shows what it has and trusts it")
		if !s.Untrusted {
			do = advice.Say("remove it, or name it with --root")
		}
		return sites, app.Verdict(mem.KindRefused, root+" exists already, and "+s.Why, do)
	}
	if sites.Served != nil && sites.Served.Root == root {
		sites.Project, sites.Served = sites.Served, nil
	}
	if p := sites.Project; p == nil || p.Root != root {
		sites.Project = sites.SiteAt(root)
	}
	return sites, nil
}

// prepare makes the directory with what git needs, and lets it in, so that nobody ever meets one of
// ours that is neither ignored nor believed.
func (o *initOptions) prepare(a *app.App, cmd *cobra.Command, site *site.Site) error {
	if !utf8.ValidString(site.Root) {
		return app.BadInput("init", "the path of this directory is not UTF-8",
			"rename it, or name a store elsewhere with --root")
	}
	if fi, err := os.Lstat(site.Root); err == nil && !fi.IsDir() {
		return app.BadInput("init", site.Root+" exists, and is no directory",
			"remove it, or name another store with --root")
	}
	if o.shared && !site.Shared() {
		if err := o.agree(a, cmd, site); err != nil {
			return err
		}
	}
	err := os.Mkdir(site.Root, 0o700)
	made := err == nil
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err = o.fill(a, cmd, site); err != nil && made {
		undo(site.Root)
	}
	return err
}

func (o *initOptions) fill(a *app.App, cmd *cobra.Command, one *site.Site) error {
	was := one.Grant != nil
	if o.shared || !was {
		if err := site.WriteGitFiles(one.Root, o.shared); err != nil {
			return err
		}
	}
	if was {
		return nil
	}
	return a.Layers.LetIn(cmd.Context(), a.Caller, one, nil)
}

// undo removes the files of a .mem that could not be trusted, of which every verb would warn. After
// a crash before it they stay, and mem init goes on with them.
func undo(root string) {
	for _, name := range site.InitialFiles() {
		_ = os.Remove(filepath.Join(root, name))
	}
	_ = os.Remove(root) // unless there is more in it
}

// agree lists what a store that is there holds, all of which becomes public, and asks.
func (o *initOptions) agree(a *app.App, cmd *cobra.Command, one *site.Site) error {
	if site.IsGone(one.Root) {
		return nil
	}
	s, err := a.Layers.Open(one)
	if err != nil {
		return err
	}
	var live []log.Record
	all := mem.Filter{Expired: true, All: true}
	err = s.List(cmd.Context(), a.Caller, all, func(rec log.Record) error {
		live = append(live, rec.Clone())
		return nil
	})
	if err != nil {
		return err
	}
	written := 0
	err = s.Everything(cmd.Context(), func(log.Record) error { written++; return nil })
	if err != nil || written == 0 {
		return err
	}
	a.ShowRecords(cmd, fmt.Sprintf("%s would become public, with %s:", app.OneLine(one.Root),
		app.Memories(len(live))), one, live)
	if older := written - len(live); older > 0 && !a.Quiet && !a.AsJSON() {
		fmt.Fprintf(cmd.ErrOrStderr(), "and %s that were replaced or deleted since: mem --root %s "+
			"query --history .\n", app.Count(older, "version"),
			app.OneLine(advice.Quote(one.Root)))
	}
	return a.Confirm(cmd, policy.Share, "share all of it?")
}

// make makes the store, unless that was done just now, and says where it is.
func (o *initOptions) make(a *app.App, cmd *cobra.Command, one *site.Site, was bool) error {
	s, err := a.Layers.Open(one)
	if err != nil {
		return err
	}
	made, err := s.Create()
	if err != nil {
		return err
	}
	made = made || was
	path := site.WholePath(s.Path())
	if !a.Quiet && !a.AsJSON() {
		o.hints(a, cmd, one, made)
	}
	return a.Answer(cmd, createReply{Made: made, Root: path}, app.Verbatim(path+"\n"))
}

func (o *initOptions) hints(a *app.App, cmd *cobra.Command, site *site.Site, made bool) {
	a.SayBeside(cmd)
	switch {
	case !site.Dot && made:
	case site.Dot && made && !site.InRepository():
		a.Tell(cmd, "hint", "all directories below use it, repositories too")
	case !made && !o.shared:
		a.Tell(cmd, "hint", "it was there already")
	case o.shared && site.InRepository():
		a.Tell(cmd, "hint", "git add .mem; others who clone it run mem trust")
	case site.InRepository():
		a.Advise(cmd, "hint", advice.Say("git ignores it, so git clean -x deletes it").Also(
			advice.Run("init", "--shared").Then(" lets git track it")))
	}
}

// createReply answers the making of a store.
type createReply struct {
	Made bool   `json:"made"` // false: it was there
	Root string `json:"root"`
}
