package stores

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

type whereOptions struct{ each app.StoresFlag }

func NewWhereCmd(a *app.App) *cobra.Command {
	o := &whereOptions{}
	cmd := &cobra.Command{
		Use:   "where",
		Short: "name the stores in use here, and the reason",
		Long: `Print the stores in use in this directory: layer, root, number of memories,
trust, the reason, and of a repository its identity, which other machines know
it by, with the store that has the same; then the stores here that are not used,
the destinations of mem sync, and whether hooks are off. --all lists every store of this user with its
repository, even if that is deleted.`,
		Example: `  mem where
  mem where --all --jq '.stores[] | select(.gone) | .root'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	o.each.Register(cmd)
	return cmd
}

// whereAnswer is what --json prints.
type whereAnswer struct {
	Stores    []doctor.Store `json:"stores"`
	Exchanges []places.Row   `json:"exchanges,omitempty"`
	HooksOff  string         `json:"hooks_off,omitempty"` // why; "" where they inject
}

func (o *whereOptions) run(a *app.App, cmd *cobra.Command) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	matches, _ := l.Matches(cmd.Context(), a.Caller) // a store that cannot be read says so below
	sites, err := o.sites(l, matches)
	if err != nil {
		return err
	}
	ans := whereAnswer{HooksOff: l.Sites.WhyOff(a.Getenv)}
	ans.Stores, err = a.Exam(l, mem.Options{}).Stores(cmd.Context(), sites, matches)
	if err != nil {
		return err
	}
	if ans.Exchanges, err = places.Exchanges(&l.Sites); err != nil {
		return err
	}
	if ans.HooksOff != "" {
		a.Mention(cmd, "hooks are off: "+ans.HooksOff)
	}
	for _, one := range matches {
		if a.Explains() {
			a.Advise(cmd, "hint", advice.Say(layers.MatchText).Also(layers.LinkTo(one.ID)))
		}
	}
	return a.Answer(cmd, ans, ans.print)
}

// sites returns the stores in use, and those that may be of the repository here, or all.
func (o *whereOptions) sites(l *layers.Layers, matches []layers.Match) ([]*site.Site, error) {
	list := l.Sites.List()
	if l.Sites.Served != nil {
		list = append([]*site.Site{l.Sites.Served}, list...)
	}
	for _, one := range matches {
		list = append(list, one.Site)
	}
	if !o.each.All {
		return list, nil
	}
	all, err := o.each.Sites(l)
	if err != nil {
		return nil, err
	}
	granted, err := l.Sites.Book.List()
	for _, entry := range granted {
		if entry.Path != "" {
			all = append(all, l.Sites.SiteAt(entry.Path))
		}
	}
	known := map[string]bool{}
	for _, site := range list {
		known[site.Root] = true
	}
	for _, site := range all {
		if !known[site.Root] {
			list = append(list, site)
			known[site.Root] = true
		}
	}
	return list, err
}
