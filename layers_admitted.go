package mem

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Telling returns the store that hooks tell from: both layers as one, without what no model may be
// told by itself. Inside a project that is what the user's store holds of no project (it is
// unfiled), and lines in a .mem inside a repository that others wrote since it was let in. What
// --root names is told as it is.
func (l *Layers) Telling() (*Store, error) {
	sites := l.Sites.List()
	if len(sites) == 1 && sites[0].Layer == "" {
		return l.Open(sites[0])
	}
	return l.telling(sites)
}

// TellingUser returns the user's part of what [Layers.Telling] returns; nil where that is all, or
// nothing.
func (l *Layers) TellingUser() (*Store, error) {
	if !l.Layered() {
		return nil, nil
	}
	return l.telling([]*site.Site{l.Sites.User})
}

func (l *Layers) telling(sites []*site.Site) (*Store, error) {
	members := make([]LayerMember, len(sites))
	for i, site := range sites {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		members[i] = LayerMember{
			Store: s, Layer: site.Layer, Accept: l.Seen(site), Shares: isNumbered,
		}
		if site.Layer == policy.UserLayer && l.Sites.Project != nil {
			members[i].Without = backend.Classes(0).With(keypath.Open)
		}
		if site.InRepository() {
			members[i].Shares = isPersonal
		}
	}
	return Together(l.options(sites[0]), members...), nil
}

// isPersonal reports whether a key is for the user to fill, or one that every store gives: what a
// repository has under it takes nothing of the user's away.
func isPersonal(key keypath.Key) bool {
	class := key.Class()
	return class == keypath.Personal || class == keypath.Private || isNumbered(key)
}

// Seen returns a function that reports whether a line is known to be this person's, or was looked
// at; nil for a store in which all lines are. The book is read when the first line is asked about.
func (l *Layers) Seen(one *site.Site) func(log.Record) bool {
	if !one.InRepository() || one.Grant == nil || one.Grant.Whole {
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
func (l *Layers) Unseen(ctx context.Context, c Caller, site *site.Site) (
	list []log.Record, err error) {
	seen := l.Seen(site)
	if seen == nil && (site.Grant != nil || !site.Dot) {
		return nil, nil
	}
	s, err := l.Open(site)
	if err != nil {
		return nil, err
	}
	err = s.List(ctx, c, Filter{Expired: true, All: true}, func(rec log.Record) error {
		if seen == nil || !seen(rec) {
			list = append(list, rec.Clone())
		}
		return nil
	})
	return list, err
}

// UnseenDeletions returns the tombstones that others have written into a .mem inside a repository
// since it was let in, by key.
func (l *Layers) UnseenDeletions(ctx context.Context, site *site.Site) (
	list []log.Record, err error) {
	seen := l.Seen(site)
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

// MaxUnfiled is as far as [Layers.Unfiled] and [Layers.Beside] count.
const MaxUnfiled = 1000

// Unfiled counts the memories of the user's store that belong to no project: inside of one no hook
// tells them.
func (l *Layers) Unfiled(ctx context.Context, c Caller) (n int, err error) {
	if l.Sites.User == nil {
		return 0, nil
	}
	s, err := l.Open(l.Sites.User)
	if err != nil {
		return 0, err
	}
	err = s.List(ctx, c, Filter{Trusted: true}, func(rec log.Record) error {
		if IsUnfiled(rec.Key) {
			n++
		}
		if n == MaxUnfiled {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return n, err
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// Beside returns how many memories the repository's store beside the user's has, and its root,
// where a .mem in the repository has taken its place: nothing reads them here.
func (l *Layers) Beside(ctx context.Context, c Caller) (root string, n int, err error) {
	root = l.Sites.Beside()
	if root == "" {
		return "", 0, nil
	}
	s, err := l.Open(&site.Site{Layer: site.Project, Root: root})
	if err != nil || !s.Exists() {
		return root, 0, err
	}
	err = s.List(ctx, c, Filter{Trusted: true}, func(rec log.Record) error {
		if policy.IsAppendOnly(rec.Key.Class()) {
			return nil // nothing moves it
		}
		if n++; n == MaxUnfiled {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return root, n, err
}

// IsUnfiled reports whether a memory in the user's store is of no project, and not the user's own.
// What was said and done, as a session, may lie there although it is of a project: of one whose
// store git tracks.
func IsUnfiled(key keypath.Key) bool {
	return !key.Untrusted() &&
		policy.LayerOf(key, func() bool { return true }) == policy.ProjectLayer
}

// LetIn takes a .mem in as this person's project store. listed is what they have looked at, as from
// [Layers.Unseen]: no other line of it counts as seen, neither an older version that nobody was
// shown nor what came while they were asked.
func (l *Layers) LetIn(ctx context.Context, site *site.Site, listed []log.Record) error {
	// First, for what git neither tracks nor ignores is not used.
	if err := site.Ignore(); err != nil {
		return err
	}
	grant, err := l.Sites.Book.Grant(site.Root, l.options(site).complete().stamp(Caller{}))
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
	return s.CatchUp(ctx, Caller{}) // a clone has the log, and no index yet
}
