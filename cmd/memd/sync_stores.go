package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
)

// stores exchanges every store of this person with a depot: the user's own, the projects' that have
// an identity, and those of projects that only other machines have had so far.
func (s *syncing) stores(ctx context.Context, o *opened, key parcel.Key) (
	list []exchange.Report, err error) {
	name, _ := os.Hostname()
	id, err := s.l.Sites.Book.MachineID()
	if err != nil {
		return nil, err
	}
	job := exchange.Job{Place: &fetched{Place: o, got: map[string][]byte{}}, Key: key,
		Machine: exchange.Machine{ID: id, Name: strings.ToValidUTF8(name, "?")}}
	rep, err := s.store(ctx, job, s.l.Sites.User)
	if list = append(list, rep); err != nil {
		return list, err
	}
	projects, err := s.projects(rep.Scopes)
	for _, scope := range slices.Sorted(maps.Keys(projects)) {
		if err != nil {
			break
		}
		job.Scope, job.Project = scope, projects[scope].Name()
		rep, err = s.store(ctx, job, projects[scope])
		list = append(list, rep)
	}
	return list, err
}

// store exchanges one store.
func (s *syncing) store(ctx context.Context, job exchange.Job, one *site.Site) (
	rep exchange.Report, err error) {
	if one.Layer == site.User {
		job.Scope = exchange.User
	}
	root, err := filepath.Abs(one.Root)
	if err != nil {
		return rep, err
	}
	if job.Store, err = s.l.Open(one); err != nil {
		return rep, err
	}
	job.Seen = s.places.Seen(job.Place.Info().ID, job.Scope, root)
	return exchange.Run(ctx, app.Caller, job)
}

// projects returns the stores of projects by their identities; those that only the depot has are
// made. A store has its lines at the depot under one identity, and takes in those of an earlier one.
func (s *syncing) projects(there map[string]string) (map[string]*site.Site, error) {
	here, err := s.l.Sites.Repositories()
	if err != nil {
		return nil, err
	}
	projects := map[string]*site.Site{}
	for _, one := range here {
		if id := one.Identity(); id != "" {
			projects[id] = one
		}
	}
	data := filepath.Dir(s.l.Sites.Projects)
	known, err := site.StoresByIdentity(data)
	if err != nil {
		return nil, err
	}
	for scope, name := range there {
		root := known[scope]
		if root == "" && scope != exchange.User {
			root, err = site.MakeFor(data, scope, name)
		}
		if err != nil {
			return nil, err
		}
		if projects[scope] == nil && root != "" {
			projects[scope] = &site.Site{Layer: site.Project, Root: root}
		}
	}
	return projects, nil
}

// fetched is a depot whose segments are fetched once for all stores.
type fetched struct {
	exchange.Place
	got  map[string][]byte
	size int
}

// maxFetched is how many bytes are kept for the next store.
const maxFetched = 256 << 20

func (f *fetched) Get(name string) ([]byte, error) {
	if data, ok := f.got[name]; ok {
		return data, nil
	}
	data, err := f.Place.Get(name)
	if err == nil && f.size+len(data) <= maxFetched {
		f.got[name], f.size = data, f.size+len(data)
	}
	return data, err
}

// Remove removes a segment, here too.
func (f *fetched) Remove(name string) error {
	f.size -= len(f.got[name])
	delete(f.got, name)
	return f.Place.Remove(name)
}
