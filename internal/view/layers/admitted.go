package layers

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// Admitted returns the store of every text that a model gets unasked: all layers as one, without
// the lines that somebody else wrote into a .mem inside a repository since it was trusted. A store
// that --root names is admitted as it is.
func (l *Layers) Admitted() (*mem.Store, error) { return l.admitted(l.Sites.List(), 0) }

// AdmittedOf is [Layers.Admitted] of one layer.
func (l *Layers) AdmittedOf(one *site.Site) (*mem.Store, error) {
	return l.admitted([]*site.Site{one}, 0)
}

// Injected is [Layers.Admitted] for what a client injects: inside a project without the records of
// the user's store that belong to no project (see [IsUnfiled]).
func (l *Layers) Injected() (*mem.Store, error) { return l.injected(l.Sites.List()) }

// InjectedUser returns the user's part of [Layers.Injected]; nil where that is all, or nothing.
func (l *Layers) InjectedUser() (*mem.Store, error) {
	if !l.Layered() {
		return nil, nil
	}
	return l.injected([]*site.Site{l.Sites.User})
}

func (l *Layers) injected(sites []*site.Site) (*mem.Store, error) {
	if l.Sites.Project == nil && l.Sites.Served == nil {
		return l.admitted(sites, 0)
	}
	return l.admitted(sites, backend.Classes(0).With(keypath.Open))
}

// admitted returns some layers as one, without what no model receives unasked, and of the user's
// without some classes.
func (l *Layers) admitted(sites []*site.Site, without backend.Classes) (*mem.Store, error) {
	if len(sites) == 1 && sites[0].Layer == "" {
		return l.Open(sites[0])
	}
	return l.join(l.options(sites[0]), sites, func(m *mem.LayerMember) {
		m.Accept = m.Belief.Known
		if m.Layer == policy.UserLayer {
			m.Without = without
		}
		if m.Belief.Repository {
			m.Shares = isPersonal
		}
	})
}

// beliefOf returns how far the records of a site are believed.
func (l *Layers) beliefOf(one *site.Site) policy.Belief {
	if one.Layer == "" {
		return policy.Belief{}
	}
	return policy.Belief{Repository: one.InRepository(), Known: l.SeenLines(one),
		NoRules: one.Layer == site.Project && one.Dot}
}

// isPersonal reports whether a key is for the user to fill, or one that every store gives: what a
// repository has under it takes nothing of the user's away.
func isPersonal(key keypath.Key) bool {
	class := key.Class()
	return class == keypath.Personal || class == keypath.Private || isNumbered(key)
}
