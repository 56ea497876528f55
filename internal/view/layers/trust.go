package layers

import (
	"cmp"
	"context"
	"os"
	"slices"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// SeenLines returns a function that reports whether a line is known to be this person's, or was
// looked at; nil for a store in which all lines are. A .mem outside of every repository is none:
// its git directory may lie elsewhere. The book is read when the first line is asked about.
func (l *Layers) SeenLines(one *site.Site) func(log.Record) bool {
	if !one.Dot || one.Grant == nil || one.Grant.Whole {
		return nil
	}
	known := sync.OnceValue(func() *site.KnownLines {
		lines, err := l.Sites.Book.Lines(*one.Grant)
		if err != nil {
			return &site.KnownLines{} // then none is
		}
		return lines
	})
	return func(rec log.Record) bool { return known().Has(rec.Envelope) }
}

// Unseen returns the live memories of a .mem inside a repository that others wrote since it was let
// in, or all of them where it was not.
func (l *Layers) Unseen(ctx context.Context, c mem.Caller, site *site.Site) (
	list []log.Record, err error) {
	seen := l.SeenLines(site)
	if seen == nil && (site.Grant != nil || !site.Dot) {
		return nil, nil
	}
	s, err := l.Open(site)
	if err != nil {
		return nil, err
	}
	err = s.List(ctx, c, mem.Filter{Expired: true, All: true}, func(rec log.Record) error {
		if seen == nil || !seen(rec) {
			list = append(list, rec.Clone())
		}
		return nil
	})
	return list, err
}

// CompareWeight orders memories for a person to review: what would weigh most with a model comes
// first, so that it cannot hide behind what does not matter, and equal ones by their keys.
func CompareWeight(x, y log.Record) int {
	return cmp.Or(cmp.Compare(weight(y), weight(x)), x.Key.CompareNumbered(y.Key))
}

// weight returns how much a memory claims for itself: rules and pinned memories most of all.
func weight(rec log.Record) float64 {
	f := content.Parse(rec.Content)
	if f.IsRule() {
		return 1 + f.Importance
	}
	return f.Importance
}

// UnseenDeletions returns the tombstones that others have written into a .mem inside a repository
// since it was let in, by key.
func (l *Layers) UnseenDeletions(ctx context.Context, site *site.Site) (
	list []log.Record, err error) {
	seen := l.SeenLines(site)
	if seen == nil {
		return nil, nil
	}
	s, err := l.Open(site)
	if err != nil {
		return nil, err
	}
	newest := map[keypath.Key]log.Record{}
	err = s.Everything(ctx, func(rec log.Record) error {
		if old, ok := newest[rec.Key]; !ok || rec.Wins(old) {
			newest[rec.Key] = rec.Clone()
		}
		return nil
	})
	for _, rec := range newest {
		if !rec.Valid() && !seen(rec) {
			list = append(list, rec)
		}
	}
	slices.SortFunc(list, func(a, b log.Record) int { return a.Key.Compare(b.Key) })
	return list, err
}

// LetIn takes a .mem in as this person's project store. listed is what they have looked at, as from
// [Layers.Unseen]: no other line of it counts as seen, neither an older version that nobody was
// shown nor what came while they were asked. Only a person takes the rules of the store beside the
// user's away with it; the error is then a *policy.PersonError.
func (l *Layers) LetIn(ctx context.Context, c mem.Caller, site *site.Site,
	listed []log.Record) error {
	if err := l.mayCover(ctx, c, site); err != nil {
		return err
	}
	// First, for what git neither tracks nor ignores is not used.
	if err := site.Ignore(); err != nil {
		return err
	}
	grant, err := l.Sites.Book.Grant(site.Root, log.StampOf(l.options(site).Complete().Now()))
	if err != nil {
		return err
	}
	site.Grant = &grant
	if err := l.Sites.LetRemoteIn(site); err != nil {
		return err
	}
	_ = os.Chmod(site.Root, 0o700) // git makes directories that others may read; doctor says so
	seen := make([]log.Envelope, len(listed))
	for i, rec := range listed {
		seen[i] = rec.Envelope
	}
	if err := l.Sites.Book.Learn(grant, seen...); err != nil {
		return err
	}
	if site.Remote != "" {
		return nil
	}
	s, err := l.Open(site)
	if err != nil {
		return err
	}
	return s.CatchUp(ctx, mem.Caller{}) // a clone has the log, and no index yet
}

// mayCover refuses a program a .mem in the place of a store with rules of the user.
func (l *Layers) mayCover(ctx context.Context, c mem.Caller, one *site.Site) error {
	sites := l.Sites
	sites.Project = one
	root := sites.RootBeside()
	if root == "" || policy.IsPerson(c) {
		return nil
	}
	s, err := l.Open(&site.Site{Layer: site.Project, Root: root})
	if err != nil || !s.Exists() {
		return err
	}
	standing := s.Reader(c).Standing
	return s.List(ctx, c, mem.Filter{Trusted: true}, func(rec log.Record) error {
		if it := mem.ItemOf(rec); standing(&it) == readout.Rule {
			return policy.CheckPerson(c, policy.Cover)
		}
		return nil
	})
}

// MayTakeIn refuses a caller that is no person to take in the store at a path, but for one of a
// repository of this person: it may be one that nobody let in. what names the request.
func (l *Layers) MayTakeIn(c mem.Caller, path, what string) error {
	if l.Sites.OwnLayer(path) == site.Project {
		return nil
	}
	return policy.CheckNoAgent(c, what)
}
