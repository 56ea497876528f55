package stores

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
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

type storeInfo struct {
	Layer      string `json:"layer,omitempty"` // "" for the one of --root, and for an unused store
	Root       string `json:"root"`
	Used       bool   `json:"used"`
	Memories   int    `json:"memories"`
	Trust      string `json:"trust"`
	Why        string `json:"why"`
	Repository string `json:"repository,omitempty"`
	Gone       bool   `json:"gone,omitempty"`    // the repository, or the store itself
	Problem    string `json:"problem,omitempty"` // why its server cannot be asked
	Identity   string `json:"identity,omitempty"`
	ClaimedBy  string `json:"claimed_by,omitempty"` // the root of another store with the identity
	// Link is the command that uses the store here, where it may be of the repository here.
	Link string `json:"link,omitempty"`
}

// whereAnswer is what --json prints.
type whereAnswer struct {
	Stores    []storeInfo  `json:"stores"`
	Exchanges []places.Row `json:"exchanges,omitempty"`
	HooksOff  string       `json:"hooks_off,omitempty"` // why; "" where they inject
}

func (o *whereOptions) run(a *app.App, cmd *cobra.Command) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	ans := whereAnswer{Stores: []storeInfo{}, HooksOff: l.Sites.WhyOff(a.Getenv)}
	matches, _ := l.Matches(cmd.Context(), a.Caller) // a store that cannot be read says so below
	sites, err := o.sites(l, matches)
	if err != nil {
		return err
	}
	for _, one := range sites {
		info, err := infoOf(a, cmd, l, one)
		if err != nil {
			return err
		}
		isIt := func(m layers.Match) bool { return m.Site == one }
		if i := slices.IndexFunc(matches, isIt); i >= 0 {
			info.Link = a.ForPeople(advice.Run("project", "link", matches[i].ID))
		}
		ans.Stores = append(ans.Stores, info)
	}
	for _, s := range l.Sites.Skipped {
		ans.Stores = append(ans.Stores, storeInfo{Root: s.Root, Trust: "no", Why: s.Why})
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

func infoOf(a *app.App, cmd *cobra.Command, l *layers.Layers, one *site.Site) (
	info storeInfo, err error) {
	info = storeInfo{Layer: one.Layer, Root: site.WholePath(one.Root), Why: one.Why, Trust: "yes"}
	info.Used = one == l.Sites.One || one == l.Sites.Project || one == l.Sites.User ||
		one == l.Sites.Served
	if site.IsServed(one.Address()) {
		return served(a, cmd, one, info), nil
	}
	s, err := l.Open(one)
	if err != nil {
		return info, err
	}
	st, err := s.Stat(cmd.Context(), a.Caller)
	if errors.Is(err, backend.ErrUnavailable) {
		info.Problem = err.Error()
		return info, nil
	}
	if err != nil {
		return info, err
	}
	info.Memories = st.Live
	switch {
	case one == l.Sites.One && !s.Exists():
		info.Trust = "no store yet"
	case one.Dot:
		info.Gone = site.IsGone(one.Root)
	case one.Layer == site.Project:
		info.Repository, err = site.RepositoryOf(one.Root)
		if info.Repository == "" && one.Repo != nil {
			info.Repository = one.Repo.Common
		}
		info.Gone = info.Repository != "" && site.IsGone(info.Repository)
		info.Identity = one.Identity()
	}
	if one == l.Sites.Project {
		identity, root := l.Sites.Claimed()
		info.Identity, info.ClaimedBy = cmp.Or(identity, info.Identity), root
	}
	if one.Grant != nil {
		if info.Trust, err = trustOf(a, cmd, l, one); err != nil {
			return info, err
		}
	}
	if info.Why == "" {
		info.Why = "of the repository " + site.Worktree(info.Repository)
		if info.Repository == "" && info.Identity != "" {
			info.Why = "of a repository on another machine"
		}
	}
	return info, err
}

// served completes the answer for a memory behind a server.
func served(a *app.App, cmd *cobra.Command, one *site.Site, info storeInfo) storeInfo {
	if one.Grant != nil {
		info.Trust = since(one)
	}
	st, err := a.StatServed(cmd.Context(), app.ServedAt{URL: one.Address(), Project: one.Name()})
	if err != nil {
		info.Problem = mem.Message(err)
	}
	info.Memories = st.Live
	return info
}

// since says since when a .mem is trusted.
func since(one *site.Site) string {
	if one.Grant.ID == "" {
		return "by MEM_TRUST"
	}
	return "since " + one.Grant.Since.String()[:len("2006-01-02")]
}

// trustOf says since when a .mem is trusted, and what of it is not.
func trustOf(a *app.App, cmd *cobra.Command, l *layers.Layers, site *site.Site) (string, error) {
	if site.Grant.Whole && site.Remote == "" {
		return "by MEM_TRUST", nil
	}
	text := since(site)
	unseen, err := l.Unseen(cmd.Context(), a.Caller, site)
	if len(unseen) > 0 {
		text += fmt.Sprintf(", but for %d new", len(unseen))
	}
	return text, err
}
