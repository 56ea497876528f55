package mem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/union"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// ErrNoLayer is wrapped where a layer is named that is not there: outside of every project there is
// no project layer, without a home directory no user layer.
var ErrNoLayer = errors.New("there is no such layer here")

// Layers are the stores of one call: the one that was named, or the user's and the project's, read
// together and written one at a time. Each is opened when it is first asked for. Several goroutines
// may open stores; the rest is for one, as the first Reading is.
type Layers struct {
	Sites   site.Sites
	options func(*site.Site) Options
	both    *Store

	mu     sync.Mutex
	opened map[string]*Store // by root
}

// NewLayers returns the stores at these sites. options returns those for one of them.
func NewLayers(sites site.Sites, options func(*site.Site) Options) *Layers {
	return &Layers{Sites: sites, options: options, opened: map[string]*Store{}}
}

// Layers returns a store that is open as the one store of a call. To close the layers closes it.
func (s *Store) Layers() *Layers {
	one := &site.Site{Root: s.Path()}
	return &Layers{Sites: site.Sites{One: one}, opened: map[string]*Store{one.Root: s},
		options: func(*site.Site) Options { return s.opts }}
}

// Open opens the store of a site.
func (l *Layers) Open(one *site.Site) (*Store, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.opened[one.Root]; s != nil {
		return s, nil
	}
	o := l.options(one)
	if one.Layer == site.Project && one.Repo != nil && !one.Dot {
		o.Repository = one.Repo.Common
		o.OnStored = func([]log.Envelope) { one.CompleteRepository() }
	}
	o.Shared, o.ForeignConfig = one.Shared(), one.HasForeignConfig()
	if one.Layer == site.Project {
		o.Belongs = func(key keypath.Key) error { return policy.CheckLayer(key, one.Public) }
	}
	if one.Grant != nil && one.Remote == "" {
		o.OnStored = func(written []log.Envelope) { l.note(one, o.complete().Warn, written) }
	}
	o.beside = &beside{sites: &l.Sites, one: one}
	s, err := Open(one.Address(), o)
	if err != nil {
		return nil, err
	}
	s.layer, s.belief = one.Layer, l.beliefOf(one)
	l.opened[one.Root] = s
	return s, nil
}

// note marks the lines written to a .mem as this person's own, and in one that git tracks the
// numbers of notes.
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

// Layered reports whether two stores are read together, so that an answer has to say which of them
// something is from.
func (l *Layers) Layered() bool { return l.Sites.User != nil && l.Sites.Project != nil }

// Reading returns a store that reads all layers as one: what the project and the user both have
// under a key is the project's.
func (l *Layers) Reading() (*Store, error) {
	sites := l.Sites.List()
	if len(sites) == 1 {
		return l.Open(sites[0])
	}
	if l.both != nil {
		return l.both, nil
	}
	members := make([]LayerMember, len(sites))
	for i, site := range sites {
		s, err := l.Open(site)
		if err != nil {
			return nil, err
		}
		members[i] = LayerMember{Store: s, Layer: site.Layer, Belief: s.belief,
			Shares: isNumbered}
	}
	// Warnings come from each of them.
	l.both = JoinStores(l.options(sites[0]), members...)
	l.both.layer = policy.UserLayer // its configuration is that of the last
	return l.both, nil
}

// isNumbered reports whether a key has a number that its store gave: two stores give the same ones
// to memories that have nothing to do with each other.
func isNumbered(key keypath.Key) bool {
	_, _, numbered := key.Number()
	return numbered
}

// Site returns the site of a layer, or of the one store whatever the name. The error wraps
// ErrNoLayer.
func (l *Layers) Site(name string) (*site.Site, error) {
	switch {
	case l.Sites.One != nil:
		return l.Sites.One, nil
	case name == policy.UserLayer && l.Sites.User != nil:
		return l.Sites.User, nil
	case name == policy.ProjectLayer && l.Sites.Project != nil:
		return l.Sites.Project, nil
	}
	return nil, fmt.Errorf("%s layer: %w", name, ErrNoLayer)
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

// everHad reports whether a store ever held a key.
func (s *Store) everHad(ctx context.Context, key keypath.Key) (bool, error) {
	versions, err := s.backend.Versions(ctx, key)
	if err != nil || versions.Rows == nil {
		return false, err
	}
	for range versions.Rows {
		break // the end closes the opened files
	}
	return versions.Count > 0, nil
}

// Holding returns where the memory lies that a read of a key shows; what has expired counts where
// there is nothing else. It is where the key would go, and not found, where there is none.
func (l *Layers) Holding(ctx context.Context, c Caller, key keypath.Key) (
	one *site.Site, found bool, err error) {
	s, err := l.Reading()
	if err != nil {
		return nil, false, err
	}
	rec, err := s.Get(ctx, c, key, true)
	switch {
	case errors.Is(err, ErrNotFound):
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

// LayerMember is one of the stores that are read together.
type LayerMember struct {
	Store  *Store
	Layer  string        // what its records have in log.Record.Layer
	Belief policy.Belief // how far its records are believed

	// Records of the classes Without, and those that Accept refuses, are left out.
	Without backend.Classes
	Accept  func(log.Record) bool // nil: refuses none
	// Shares reports whether the member hides a key from no later one; nil: it hides all.
	Shares func(keypath.Key) bool
}

// JoinStores returns a store that reads others as one: the first that has a key shows it. Journal
// and configuration are the last one's. Writes fail with an error that wraps union.ErrReadOnly:
// they go to one of the stores. To close it closes none of them.
func JoinStores(o Options, members ...LayerMember) *Store {
	s := &Store{opts: o.complete(), members: members}
	var parts []union.Member
	for _, m := range members {
		parts = append(parts, union.Member{
			Backend: leftOpen{m.Store.backend}, Layer: m.Layer,
			Without: m.Without, Accept: m.Accept, Shares: m.Shares, Rank: m.Store.rank(),
		})
	}
	all := union.New(parts...)
	all.Now = func() log.Stamp { return s.opts.stamp(Caller{}) }
	s.backend = all
	return s
}

// rank returns the rank of a record among the stores that are read together: a rule of the user is
// hidden by rules alone, and nothing of the user's by a line that others wrote into a .mem.
func (s *Store) rank() func(log.Record) int {
	standing := sync.OnceValue(func() func(*readout.Item) readout.Standing {
		return s.Reader(Caller{}).Standing(context.Background())
	})
	return func(rec log.Record) int {
		it := ItemOf(rec)
		switch {
		case standing()(&it) == readout.Rule:
			return 1
		case !s.Trusts(rec):
			return -1
		}
		return 0
	}
}

// leftOpen is a backend that somebody else closes.
type leftOpen struct{ backend.Backend }

// Close does nothing.
func (leftOpen) Close() error { return nil }

// anyExists reports whether one of the stores was made.
func anyExists(members []LayerMember) bool {
	for _, m := range members {
		if m.Store.Exists() {
			return true
		}
	}
	return false
}

// SetAll is [Store.SetAll] with each line in the layer that its key belongs to. All lines are
// checked before anything is written; then the layers are written one after the other.
func (l *Layers) SetAll(ctx context.Context, c Caller, r io.Reader, o BatchOptions) (
	rep BatchReport, err error) {
	b := layersBatch{layers: l, caller: c, options: o, parts: map[*site.Site]*batchPart{}}
	if sites := l.Sites.List(); len(sites) == 1 {
		if _, err := b.part(ctx, sites[0]); err != nil {
			return rep, err // once, and not for each line; also where there is none
		}
	}
	bad, err := b.read(ctx, r)
	if err == nil && (len(bad) == 0 || o.KeepGoing) {
		rep, err = b.write(ctx)
	}
	rep.Refused = len(bad)
	err = WithBadLines(err, bad)
	for _, part := range b.parts {
		part.op.Done(part.rep.Written, err)
	}
	return rep, err
}

// layersBatch is a batch while its lines are given to the layers.
type layersBatch struct {
	layers  *Layers
	caller  Caller
	options BatchOptions
	parts   map[*site.Site]*batchPart
	order   []*batchPart // in which they are written
	total   int
}

// batchPart is what goes to one layer.
type batchPart struct {
	op     *Operation
	writes []Checked
	rep    BatchReport
}

func (b *layersBatch) read(ctx context.Context, r io.Reader) (bad []*LineError, err error) {
	var fatal error
	err = EachLine(ContextReader(ctx, r), func(n int, line []byte, err error) {
		if err == nil && fatal == nil {
			fatal, err = b.take(ctx, line)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
		}
	})
	return bad, errors.Join(fatal, err)
}

// take checks a line for its layer. fatal is a fault that all lines have.
func (b *layersBatch) take(ctx context.Context, line []byte) (fatal, err error) {
	w, sourced, err := parseLine(line, b.options.Source)
	if err != nil {
		return nil, err
	}
	site, err := b.layers.SiteFor(w.Key)
	if err != nil {
		return nil, err
	}
	part, fatal := b.part(ctx, site)
	if fatal != nil {
		return fatal, nil
	}
	p, err := part.op.checkParsed(ctx, w, sourced, b.options, keypath.Prefix{})
	if err == nil {
		part.writes = append(part.writes, p)
		b.total++
	}
	return nil, err
}

// part returns the part of a layer, which begins with its first line.
func (b *layersBatch) part(ctx context.Context, site *site.Site) (*batchPart, error) {
	if part := b.parts[site]; part != nil {
		return part, nil
	}
	s, err := b.layers.Open(site)
	if err != nil {
		return nil, err
	}
	op, err := s.Begin(b.caller, policy.Set, b.options.AllowSecrets...)
	if err != nil {
		return nil, err
	}
	if b.options.Force {
		op.Force()
	}
	if _, err := op.Config(ctx); err != nil {
		return nil, err
	}
	part := &batchPart{op: op}
	b.parts[site] = part
	b.order = append(b.order, part)
	return part, nil
}

// write stores the parts. Where the first is stored and the second fails, the error is a
// *PartialError of both.
func (b *layersBatch) write(ctx context.Context) (rep BatchReport, err error) {
	for _, part := range b.order {
		part.op.store.opts.warnBatch(part.writes)
		part.rep, err = part.op.PutAll(ctx, part.writes)
		rep.add(part.rep)
		if err != nil {
			return rep, b.partial(rep, err)
		}
	}
	return rep, nil
}

func (b *layersBatch) partial(rep BatchReport, err error) error {
	var inner *PartialError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if rep.Written+rep.Unchanged == 0 {
		return err
	}
	return &PartialError{
		Stored: rep.Written, Already: rep.Unchanged, Total: b.total, Err: err,
	}
}
