package mem

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Admitted returns the store that every text for a model is taken from that it did not ask for: all
// layers as one, without the lines that somebody else wrote into a .mem inside a repository since
// it was trusted. A store that --root names is admitted as it is. [Reader.Standing] says how far
// each record binds.
func (l *Layers) Admitted() (*Store, error) { return l.admitted(l.Sites.List(), 0) }

// AdmittedOf is [Layers.Admitted] of one layer.
func (l *Layers) AdmittedOf(one *site.Site) (*Store, error) {
	return l.admitted([]*site.Site{one}, 0)
}

// Injected is [Layers.Admitted] for what a client injects: inside a project without the records of
// the user's store that belong to no project (see [IsUnfiled]).
func (l *Layers) Injected() (*Store, error) { return l.injected(l.Sites.List()) }

// InjectedUser returns the user's part of [Layers.Injected]; nil where that is all, or nothing.
func (l *Layers) InjectedUser() (*Store, error) {
	if !l.Layered() {
		return nil, nil
	}
	return l.injected([]*site.Site{l.Sites.User})
}

func (l *Layers) injected(sites []*site.Site) (*Store, error) {
	if l.Sites.Project == nil {
		return l.admitted(sites, 0)
	}
	return l.admitted(sites, backend.Classes(0).With(keypath.Open))
}

// admitted returns some layers as one, without what no model receives unasked, and of the user's
// without some classes.
func (l *Layers) admitted(sites []*site.Site, without backend.Classes) (*Store, error) {
	if len(sites) == 1 && sites[0].Layer == "" {
		return l.Open(sites[0])
	}
	members := make([]LayerMember, len(sites))
	for i, site := range sites {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		members[i] = LayerMember{
			Store: s, Layer: site.Layer, Place: s.place, Accept: s.place.Known,
			Shares: isNumbered,
		}
		if site.Layer == policy.UserLayer {
			members[i].Without = without
		}
		if site.InRepository() {
			members[i].Shares = isPersonal
		}
	}
	return JoinStores(l.options(sites[0]), members...), nil
}

// placeOf returns how far the records of a site are believed. A store that was named is believed as
// the user's own.
func (l *Layers) placeOf(one *site.Site) policy.Place {
	if one.Layer == "" {
		return policy.Place{}
	}
	return policy.Place{Repository: one.InRepository(), Known: l.SeenLines(one),
		NoRules: one.Layer == site.Project && one.Dot}
}

// HoldsRules reports whether the store may hold rules of the user.
func (s *Store) HoldsRules() bool { return !s.place.Repository && !s.place.NoRules }

// Trusts reports whether a record may go into text for a model: somebody else may have written it
// into a .mem since that was trusted. A caller that asks for it gets it all the same, marked.
func (s *Store) Trusts(rec log.Record) bool {
	return s.placeOf(rec.Layer).Admits(rec)
}

// placeOf returns the place of a record by its layer.
func (s *Store) placeOf(layer string) policy.Place {
	for _, m := range s.members {
		if m.Layer == layer {
			return m.Place
		}
	}
	return s.place
}

// Standing returns a function that decides how far a memory binds a model. The marks of older
// builds are looked up when the first memory depends on them; where they cannot be read, every
// line has one.
func (r Reader) Standing(ctx context.Context) func(*readout.Item) readout.Standing {
	marked := r.marked(ctx)
	return func(it *readout.Item) readout.Standing {
		return r.store.placeOf(it.Layer).Standing(it, r.caller.Agent,
			func() bool { return marked(it) })
	}
}

// describes returns a function that reports whether a record is the identity of an agent.
func (r Reader) describes(ctx context.Context) func(rec log.Record, agent string) bool {
	marked := r.marked(ctx)
	return func(rec log.Record, agent string) bool {
		it := ItemOf(rec)
		return r.store.placeOf(it.Layer).Describes(&it, agent,
			func() bool { return marked(&it) })
	}
}

// marked returns a function that reports whether an older build has marked the line of an item.
func (r Reader) marked(ctx context.Context) func(*readout.Item) bool {
	imported := sync.OnceValue(func() func(log.Record) bool {
		is, err := r.store.Imported(ctx)
		if is == nil {
			is = func(log.Record) bool { return err != nil }
		}
		return is
	})
	return func(it *readout.Item) bool {
		key, err := keypath.Parse(it.Key)
		return err != nil || imported()(log.Record{Layer: it.Layer, Envelope: log.Envelope{
			Key: key, TS: it.TS, Source: it.Source, Content: it.Content}})
	}
}

// Claims returns a function for the mark that the line of a record needs in another store: the
// origin of a record that claims to be a rule of the user, and is none where it is; "" for a record
// whose line says so itself, and for every other one.
func (r Reader) Claims(ctx context.Context) func(log.Record) (origin string) {
	standing := r.Standing(ctx)
	return func(rec log.Record) string {
		it := ItemOf(rec)
		claimed := content.Claim(rec.Source) != ""
		switch {
		case r.store.placeOf(rec.Layer).Repository && (claimed || policy.ClaimsRule(&it)):
			return content.FromRepository
		case !claimed && policy.ClaimsRule(&it) && standing(&it) == readout.Fact:
			return content.FromImport
		}
		return ""
	}
}

// isPersonal reports whether a key is for the user to fill, or one that every store gives: what a
// repository has under it takes nothing of the user's away.
func isPersonal(key keypath.Key) bool {
	class := key.Class()
	return class == keypath.Personal || class == keypath.Private || isNumbered(key)
}

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
func (l *Layers) Unseen(ctx context.Context, c Caller, site *site.Site) (
	list []log.Record, err error) {
	seen := l.SeenLines(site)
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

// MaxUnfiled is as far as [Layers.Unfiled], [Layers.StoreBeside] and [Layers.Former] count.
const MaxUnfiled = 1000

// Unfiled counts the memories of the user's store that belong to no project: inside of one no hook
// injects them.
func (l *Layers) Unfiled(ctx context.Context, c Caller) (n int, err error) {
	if l.Sites.User == nil {
		return 0, nil
	}
	return l.count(ctx, c, l.Sites.User, MaxUnfiled, IsUnfiled)
}

// count counts the memories of a store with such keys, as far as most.
func (l *Layers) count(ctx context.Context, c Caller, one *site.Site, most int,
	isWanted func(keypath.Key) bool) (n int, err error) {
	s, err := l.Open(one)
	if err != nil || !s.Exists() {
		return 0, err
	}
	err = s.List(ctx, c, Filter{Trusted: true}, func(rec log.Record) error {
		if isWanted(rec.Key) {
			n++
		}
		if n == most {
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

// isMovable reports whether a memory can move to another store.
func isMovable(key keypath.Key) bool { return !policy.IsAppendOnly(key.Class()) }

// StoreBeside returns how many memories the repository's store beside the user's has, and its root,
// where a .mem in the repository has taken its place: nothing reads them here.
func (l *Layers) StoreBeside(ctx context.Context, c Caller) (root string, n int, err error) {
	if root = l.Sites.RootBeside(); root == "" {
		return "", 0, nil
	}
	n, err = l.count(ctx, c, &site.Site{Layer: site.Project, Root: root}, MaxUnfiled, isMovable)
	return root, n, err
}

// FormerStore is a store that was the project's while the repository was in another place.
type FormerStore struct {
	*site.Site
	Memories int
}

// Former returns the stores that hold memories of the repository here from a place where it is no
// more ([site.Sites.Former]). It reads the record of every repository of this person.
func (l *Layers) Former(ctx context.Context, c Caller) (list []FormerStore, err error) {
	sites, err := l.Sites.Former()
	for _, one := range sites {
		n, err := l.count(ctx, c, one, MaxUnfiled, isMovable)
		if err == nil && n > 0 {
			list = append(list, FormerStore{one, n})
		}
	}
	return list, err
}

// HasOwn reports whether the project has memories.
func (l *Layers) HasOwn(ctx context.Context, c Caller) (bool, error) {
	n, err := l.count(ctx, c, l.Sites.Project, 1, isMovable)
	return n > 0, err
}

// IsUnfiled reports whether a memory in the user's store is of no project, and not the user's own.
// Sessions and events may lie there although they are of a project: of one whose store git tracks.
func IsUnfiled(key keypath.Key) bool {
	return !key.Untrusted() &&
		policy.LayerOf(key, func() bool { return true }) == policy.ProjectLayer
}

// LetIn takes a .mem in as this person's project store. listed is what they have looked at, as from
// [Layers.Unseen]: no other line of it counts as seen, neither an older version that nobody was
// shown nor what came while they were asked. Only a person takes the rules of the store beside the
// user's away with it; the error is then a *policy.PersonError.
func (l *Layers) LetIn(ctx context.Context, c Caller, site *site.Site, listed []log.Record) error {
	if err := l.mayCover(ctx, c, site); err != nil {
		return err
	}
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

// mayCover refuses a caller that is no person a .mem in the place of a store with rules of the
// user.
func (l *Layers) mayCover(ctx context.Context, c Caller, one *site.Site) error {
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
	standing := s.Reader(c).Standing(ctx)
	return s.List(ctx, c, Filter{Trusted: true}, func(rec log.Record) error {
		if it := ItemOf(rec); standing(&it) == readout.Rule {
			return policy.CheckPerson(c, policy.Cover)
		}
		return nil
	})
}
