package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/layers"
)

// Store says what a store here is, and why it is used or not.
type Store struct {
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

// Stores returns some stores, each with the command that uses it here where it may be of the
// repository here, and behind them those on the way that are not used.
func (e *Exam) Stores(ctx context.Context, sites []*site.Site, matches []layers.Match) (
	list []Store, err error) {
	list = []Store{}
	for _, one := range sites {
		info, err := e.describe(ctx, one)
		if err != nil {
			return nil, err
		}
		isIt := func(m layers.Match) bool { return m.Site == one }
		if i := slices.IndexFunc(matches, isIt); i >= 0 {
			info.Link = e.Words(advice.Run("project", "link", matches[i].ID))
		}
		list = append(list, info)
	}
	for _, s := range e.Layers.Sites.Skipped {
		list = append(list, Store{Root: s.Root, Trust: "no", Why: s.Why})
	}
	return list, nil
}

func (e *Exam) describe(ctx context.Context, one *site.Site) (info Store, err error) {
	sites := &e.Layers.Sites
	info = Store{Layer: one.Layer, Root: site.WholePath(one.Root), Why: one.Why, Trust: "yes"}
	info.Used = one == sites.One || one == sites.Project || one == sites.User ||
		one == sites.Served
	if site.IsServed(one.Address()) {
		return e.describeServed(ctx, one, info), nil
	}
	s, err := e.Layers.Open(one)
	if err != nil {
		return info, err
	}
	st, err := s.Stat(ctx, e.Caller)
	if errors.Is(err, backend.ErrUnavailable) {
		info.Problem = err.Error()
		return info, nil
	}
	if err != nil {
		return info, err
	}
	info.Memories = st.Live
	switch {
	case one == sites.One && !s.Exists():
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
	if one == sites.Project {
		identity, root := sites.Claimed()
		info.Identity, info.ClaimedBy = cmp.Or(identity, info.Identity), root
	}
	if one.Grant != nil {
		if info.Trust, err = e.trust(ctx, one); err != nil {
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

// describeServed completes the answer for a memory behind a server.
func (e *Exam) describeServed(ctx context.Context, one *site.Site, info Store) Store {
	if one.Grant != nil {
		info.Trust = since(one)
	}
	st, err := e.Stat(ctx, one)
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

// trust says since when a .mem is trusted, and what of it is not.
func (e *Exam) trust(ctx context.Context, one *site.Site) (string, error) {
	if one.Grant.Whole && one.Remote == "" {
		return "by MEM_TRUST", nil
	}
	text := since(one)
	unseen, err := e.Layers.Unseen(ctx, e.Caller, one)
	if len(unseen) > 0 {
		text += fmt.Sprintf(", but for %d new", len(unseen))
	}
	return text, err
}
