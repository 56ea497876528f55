package sync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// stores exchanges every store of this person with a depot, those of projects that only other
// machines have had so far, too. Where a project is named it exchanges that alone.
func (s *syncing) stores(o *opened, key exchange.Key, project string) (
	list []exchange.Report, err error) {
	job, err := s.job(o, key)
	if err == nil {
		err = s.l.Sites.RecordAll()
	}
	if err != nil {
		return nil, err
	}
	if project != "" {
		known, err := site.StoresByIdentity(filepath.Dir(s.l.Sites.Projects))
		if err != nil || known[project] == "" {
			return nil, cmp.Or[error](err, app.BadInput("project "+project[:8],
				"its store is gone", "mem sync remove ends the exchange"))
		}
		one := &site.Site{Layer: site.Project, Root: known[project]}
		rep, err := s.projectStore(job, project, one)
		return append(list, rep), err
	}
	job.Scope = exchange.User
	rep, err := s.store(job, s.l.Sites.User, exchange.Run)
	if list = append(list, rep); err != nil {
		return list, err
	}
	projects, err := s.projects(o.Info(), rep.Scopes)
	for _, scope := range slices.Sorted(maps.Keys(projects)) {
		if err != nil {
			break
		}
		rep, err = s.projectStore(job, scope, projects[scope])
		list = append(list, rep)
	}
	return list, err
}

// projectStore exchanges the store of a project, and keeps by which identities others know it.
func (s *syncing) projectStore(job exchange.Job, scope string, one *site.Site) (
	exchange.Report, error) {
	job.Scope, job.Project, job.Identities = scope, nameOf(one), one.Identities()
	rep, err := s.store(job, one, exchange.Run)
	if err == nil {
		err = site.AddIdentities(one.Root, rep.Identities)
	}
	return rep, err
}

// sayApart names the repositories whose memories are apart from those in another store.
func (s *syncing) sayApart() error {
	apart, err := s.l.Sites.Apart()
	isHere := false
	for _, one := range apart {
		if p := s.l.Sites.Project; p != nil && p.Repo != nil && p.Repo.Common == one.Common {
			isHere = true
		}
		s.a.Mention(s.cmd, app.OneLine(site.Worktree(one.Common))+": "+layers.ApartText+
			"; mem project link "+one.ID+", typed there, shows both, and asks")
	}
	if !isHere {
		s.a.Layers = s.l
		s.a.SayMatch(s.cmd)
	}
	return err
}

// job is what the exchanges of all stores with a depot have in common.
func (s *syncing) job(o *opened, key exchange.Key) (exchange.Job, error) {
	name, _ := os.Hostname()
	id, err := s.l.Sites.Book.MachineID()
	return exchange.Job{Key: key, Clock: s.a.OwnClock(), Late: s.late, Follow: s.follow,
		Place:   &fetched{Place: o, got: map[string][]byte{}},
		Machine: places.Machine{ID: id, Name: strings.ToValidUTF8(name, "?")}}, err
}

// follow purges the copies of purged memories in the other stores of this machine.
func (s *syncing) follow(ctx context.Context, f exchange.Followed) (
	left []string, isHere bool, err error) {
	var person mem.Caller
	moved, err := forget.Follow(ctx, s.l, person, []forget.Part{
		{Store: f.Store, Keys: f.Keys, Takes: f.Takes}})
	if err != nil {
		return nil, false, err
	}
	for _, p := range moved.Parts {
		isHere = isHere || p.Store.RealPath() == f.Store.RealPath()
	}
	left = append(moved.Kept, moved.Beyond...)
	if err = moved.Purge(ctx, person, mem.PurgeOptions{}); errors.Is(err, mem.ErrRemains) {
		left, err = append(left, mem.Message(err)), nil
	}
	return left, isHere, err
}

// store exchanges one store, backs it up or restores it.
func (s *syncing) store(job exchange.Job, one *site.Site, run func(context.Context, mem.Caller,
	exchange.Job) (exchange.Report, error)) (rep exchange.Report, err error) {
	root, err := filepath.Abs(one.Root)
	if err != nil {
		return rep, err
	}
	if job.Store, err = s.l.Open(one); err != nil {
		return rep, err
	}
	job.SeenFile = s.places.Seen(job.Place.Info().ID, job.Scope, root)
	job.FutureFile = s.places.Future(job.Scope, root)
	return run(s.cmd.Context(), s.a.Caller, job)
}

// projects returns the stores of projects by identity, and makes those of a depot.
func (s *syncing) projects(at depot.Info, there map[string]string) (
	map[string]*site.Site, error) {
	here, err := s.l.Sites.Repositories()
	if err != nil {
		return nil, err
	}
	projects := map[string]*site.Site{}
	for _, one := range here {
		id := one.Identity()
		if _, isThere := there[id]; id == "" || one.IsLeft() {
			continue // of one that was left the memories are elsewhere, and its deletions no news
		} else if ok, err := s.admits(at.ID, one, id, isThere); err != nil {
			return nil, err
		} else if ok {
			projects[id] = one
		}
	}
	data := filepath.Dir(s.l.Sites.Projects)
	known, err := site.StoresByIdentity(data)
	if err != nil {
		return nil, err
	}
	for scope, name := range there {
		if known[scope] != "" || scope == exchange.User {
			continue
		}
		root, err := site.MakeFor(data, scope, name)
		if err == nil {
			err = s.places.Admit(at.ID, scope) // only a link of a person leads to it
		}
		if err != nil {
			return nil, err
		}
		projects[scope] = &site.Site{Layer: site.Project, Root: root}
	}
	return projects, nil
}

// projectHere returns the identity of the project here, whose store it makes where there is none.
func (s *syncing) projectHere() (string, error) {
	p := s.l.Sites.Project
	if _, root := s.l.Sites.Claimed(); root == "" || root == p.Root {
		store, err := s.l.Open(p)
		if err != nil {
			return "", err
		}
		if _, err := store.Create(); err != nil {
			return "", err
		}
		p.RecordRepository()
	}
	if id := p.Identity(); id != "" {
		return id, nil
	}
	return "", app.BadInput("--project", "another store here has the identity of this project",
		"mem where names it, and mem project link uses it")
}

// admits reports whether the store of a project is exchanged, and says how where it is not.
func (s *syncing) admits(depot string, one *site.Site, id string, isThere bool) (bool, error) {
	path, err := site.RepositoryOf(one.Root)
	if err != nil {
		return false, err
	}
	ok, err := s.places.Admits(depot, id, path, isThere)
	if !ok && err == nil {
		s.a.Tell(s.cmd, "warning", fmt.Sprintf("%s: another machine has memories of a project "+
			"with this origin; mem sync accept %s exchanges them",
			app.OneLine(filepath.Dir(path)), id[:8]))
	}
	return ok, err
}

// nameOf returns the name of a project, without the digits that its directory has.
func nameOf(one *site.Site) string {
	name := one.Name()
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		name = name[:i]
	}
	return name
}

// newSyncAcceptCmd returns the verb by which a person says that a project here is that of another
// machine.
func newSyncAcceptCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "accept <identity>",
		Short: "exchange a project that another machine has, too",
		Long: `Exchange the memories of a project that another machine has, too: its origin is
the same. "mem sync" names such projects by the first digits of their identity.`,
		Example: `  mem sync accept 23e4beb1`,
		Args:    app.WantArgs(1, 1, "one identity"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.Person(policy.Join); err != nil {
				return err
			}
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			return s.alone(func() error { return s.accept(args[0]) })
		},
	}
}

func (s *syncing) accept(prefix string) error {
	known, err := site.StoresByIdentity(filepath.Dir(s.l.Sites.Projects))
	if err != nil {
		return err
	}
	var found []string
	for id := range known {
		if strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	if len(found) != 1 || len(prefix) < 4 {
		return app.BadInput("sync accept "+prefix,
			fmt.Sprintf("%d projects here have this identity", len(found)),
			"mem where --all shows them; four digits at least")
	}
	if err := s.places.AdmitAll(found[0]); err != nil {
		return err
	}
	return s.run(nil)
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
