package mem

import (
	"context"
	"errors"
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
			Store: s, Layer: site.Layer, Belief: s.belief, Accept: s.belief.Known,
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

// beliefOf returns how far the records of a site are believed. A store that was named is believed
// as the user's own.
func (l *Layers) beliefOf(one *site.Site) policy.Belief {
	if one.Layer == "" {
		return policy.Belief{}
	}
	return policy.Belief{Repository: one.InRepository(), Known: l.SeenLines(one),
		NoRules: one.Layer == site.Project && one.Dot}
}

// HoldsRules reports whether the store may hold rules of the user.
func (s *Store) HoldsRules() bool { return !s.belief.Repository && !s.belief.NoRules }

// Trusts reports whether a record may go into text for a model: somebody else may have written it
// into a .mem since that was trusted. A caller that asks for it gets it all the same, marked.
func (s *Store) Trusts(rec log.Record) bool {
	return s.beliefOf(rec.Layer).Admits(rec)
}

// beliefOf returns how far a record is believed, by its layer.
func (s *Store) beliefOf(layer string) policy.Belief {
	for _, m := range s.members {
		if m.Layer == layer {
			return m.Belief
		}
	}
	return s.belief
}

// Standing returns a function that decides how far a memory binds a model. The marks of older
// builds are looked up when the first memory depends on them; where they cannot be read, every
// line has one.
func (r Reader) Standing(ctx context.Context) func(*readout.Item) readout.Standing {
	marked := r.marked(ctx)
	return func(it *readout.Item) readout.Standing {
		return r.store.beliefOf(it.Layer).Standing(it, r.caller.Agent,
			func() bool { return marked(it) })
	}
}

// describes returns a function that reports whether a record is the identity of an agent.
func (r Reader) describes(ctx context.Context) func(rec log.Record, agent string) bool {
	marked := r.marked(ctx)
	return func(rec log.Record, agent string) bool {
		it := ItemOf(rec)
		return r.store.beliefOf(it.Layer).Describes(&it, agent,
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
		case r.store.beliefOf(rec.Layer).Repository && (claimed || policy.ClaimsRule(&it)):
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
