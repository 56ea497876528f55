package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Layers are the stores of one call: the one that was named, or the user's and the project's, read
// together and written one at a time. Each is opened when it is first asked for. Several goroutines
// may open stores; the rest is for one, as the first Reading is.
type Layers struct {
	Sites   site.Sites
	options func(*site.Site) mem.Options
	both    *mem.Store

	mu     sync.Mutex
	opened map[string]*mem.Store // by root
}

// New returns the stores at these sites. options returns those for one of them.
func New(sites site.Sites, options func(*site.Site) mem.Options) *Layers {
	return &Layers{Sites: sites, options: options, opened: map[string]*mem.Store{}}
}

// Of returns a store that is open as the one store of a call. To close the layers closes it.
func Of(s *mem.Store) *Layers { return At(s.Path(), "", s) }

// At is Of for a store that its callers name by a URL, and by the name of their project; "" for
// none. No other store is opened.
func At(root, project string, s *mem.Store) *Layers {
	l := New(site.Sites{One: &site.Site{Root: root}}, nil)
	if project != "" {
		l.Sites.Served = &site.Site{Layer: site.Project, Root: project}
	}
	l.opened[root] = s
	return l
}

var errOther = errors.New("this call is for another store")

// Open opens the store of a site.
func (l *Layers) Open(one *site.Site) (*mem.Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.opened[one.Root]; s != nil {
		return s, nil
	}
	if l.options == nil {
		return nil, fmt.Errorf("%s: %w", one.Root, errOther)
	}
	o := l.options(one)
	warn := o.Complete().Warn
	if one.Layer == site.Project && one.Repo != nil && !one.Dot {
		o.Repository = one.Repo.Common
		o.OnStored = func([]log.Envelope) { one.CompleteRepository() }
	}
	o.Shared, o.ForeignConfig = one.Shared(), one.HasForeignConfig()
	if one.Layer == site.Project {
		o.Belongs = func(key keypath.Key) error { return policy.CheckLayer(key, one.Public) }
	}
	if one.Grant != nil && one.Remote == "" {
		o.OnStored = func(written []log.Envelope) { l.note(one, warn, written) }
	}
	o.Beside, o.Layer, o.Belief = mem.NewBeside(&l.Sites, one), one.Layer, l.beliefOf(one)
	o.OpenOther = func(root string) (*mem.Store, error) {
		return l.Open(l.Sites.Named(root, "it is named by an update that was killed"))
	}
	s, err := mem.Open(one.Address(), o)
	if err != nil {
		return nil, err
	}
	l.opened[one.Root] = s
	return s, nil
}

// note marks lines written to a .mem as this person's own, and keeps numbers of notes.
func (l *Layers) note(site *site.Site, warn func(string), written []log.Envelope) {
	if err := l.Sites.Book.Learn(*site.Grant, written...); err != nil && site.Dot {
		warn(fmt.Sprintf("%s: %v: hooks inject new memories only after mem trust has listed them",
			site.Root, err))
	}
	if !site.Shared() {
		return
	}
	var highest int64
	for _, e := range written {
		if _, n, ok := e.Key.Number(); ok {
			highest = max(highest, n)
		}
	}
	if err := site.Give(highest); err != nil {
		warn(fmt.Sprintf("%s: %v: a note may get an id of another branch", site.Root, err))
	}
}

// Close closes the stores that were opened.
func (l *Layers) Close() error {
	var errs []error
	for _, s := range l.opened {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// Each calls fn with the store of each layer, until it fails.
func (l *Layers) Each(fn func(*mem.Store, *site.Site) error) error {
	for _, one := range l.Sites.List() {
		s, err := l.Open(one)
		if err == nil {
			err = fn(s, one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Layered reports whether two stores are read together.
func (l *Layers) Layered() bool { return len(l.Sites.List()) > 1 }

// NameOf returns the name of a site's layer for an answer; "" where there is one store.
func (l *Layers) NameOf(one *site.Site) string {
	if !l.Layered() {
		return ""
	}
	return one.Layer
}

// FlagsOf returns the flags that name a store; none where it is the one that there is.
func (l *Layers) FlagsOf(one *site.Site) []string {
	if !slices.Contains(l.Sites.List(), one) {
		return []string{"--root", one.Root}
	} else if name := l.NameOf(one); name != "" {
		return []string{"--layer", name}
	}
	return nil
}

// Reading returns a store that reads all layers as one: what the project and the user both have
// under a key is the project's.
func (l *Layers) Reading() (*mem.Store, error) {
	sites := l.Sites.List()
	if len(sites) == 1 {
		return l.Open(sites[0])
	}
	if l.both != nil {
		return l.both, nil
	}
	o := l.options(sites[0])   // warnings come from each of them
	o.Layer = policy.UserLayer // its configuration is that of the last
	var err error
	l.both, err = l.join(o, sites, func(*mem.LayerMember) {})
	return l.both, err
}

// join returns the stores of some layers as one. complete may restrict each of them.
func (l *Layers) join(o mem.Options, sites []*site.Site, complete func(*mem.LayerMember)) (
	*mem.Store, error) {
	members := make([]mem.LayerMember, len(sites))
	for i, site := range sites {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		members[i] = mem.LayerMember{Store: s, Layer: site.Layer, Belief: s.Belief(),
			Shares: isNumbered}
		complete(&members[i])
	}
	return mem.JoinStores(o, members...), nil
}

// isNumbered reports whether a key has a number that its store gave: two stores give the same ones
// to memories that have nothing to do with each other.
func isNumbered(key keypath.Key) bool {
	_, _, numbered := key.Number()
	return numbered
}

// Site returns the site of a layer, or of the one store whatever the name. The error wraps
// mem.ErrNoLayer.
func (l *Layers) Site(name string) (*site.Site, error) {
	switch {
	case l.Sites.One != nil:
		return l.Sites.One, nil
	case name == policy.UserLayer && l.Sites.User != nil:
		return l.Sites.User, nil
	case name == policy.ProjectLayer && l.Sites.Project != nil:
		return l.Sites.Project, nil
	case l.Sites.Aside != nil && name == l.Sites.Aside.Layer:
		return l.Sites.Aside, nil // to open it is an error
	}
	return nil, fmt.Errorf("%s layer: %w", name, mem.ErrNoLayer)
}

// SiteFor returns where a new memory of a key goes: to the layer of its namespace; where there is
// no project, to the user's.
func (l *Layers) SiteFor(key keypath.Key) (*site.Site, error) {
	switch {
	case l.Sites.One != nil:
		return l.Sites.One, nil
	case l.Sites.Project == nil:
		return l.Site(policy.UserLayer)
	}
	return l.Site(policy.LayerOf(key, l.Sites.Project.Public))
}

// Holding returns where the memory lies that a read of a key shows; an expired one counts where
// there is nothing else. It is where the key would go, and not found, where there is none.
func (l *Layers) Holding(ctx context.Context, c mem.Caller, key keypath.Key) (
	one *site.Site, found bool, err error) {
	s, err := l.Reading()
	if err != nil {
		return nil, false, err
	}
	rec, err := s.Get(ctx, c, key, true)
	switch {
	case errors.Is(err, mem.ErrNotFound):
		one, err = l.SiteFor(key)
		return one, false, err
	case err != nil:
		return nil, false, err
	case !l.Layered():
		return l.Sites.List()[0], true, nil
	}
	one, err = l.Site(rec.Layer)
	return one, true, err
}

// SetAll is [mem.Store.SetAll] with each line in the layer that its key belongs to. All lines are
// checked before anything is written; then the layers are written one after the other.
func (l *Layers) SetAll(ctx context.Context, c mem.Caller, r io.Reader, o mem.BatchOptions) (
	mem.BatchReport, error) {
	if sites := l.Sites.List(); len(sites) == 1 {
		s, err := l.Open(sites[0])
		if err != nil {
			return mem.BatchReport{}, err
		}
		return s.SetAll(ctx, c, r, o)
	}
	return mem.SetAllIn(ctx, c, r, o, func(key keypath.Key) (*mem.Store, error) {
		site, err := l.SiteFor(key)
		if err != nil {
			return nil, err
		}
		return l.Open(site)
	})
}
