package mem

import (
	"context"
	"errors"
	"iter"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// ReadOptions are what the passive read returns.
type ReadOptions struct {
	Limit  int             // budget of the page in tokens
	Query  string          // only what it finds, see SearchOptions.Query; "" for everything
	Tags   []string        // what the context is about: a help in ranking, never a filter
	Prefix keypath.Prefix  // only keys below it
	Labels *readout.Labels // as in readout.Query
	Remark readout.Remark  // as in readout.Query

	AsRanked bool // see readout.Query

	Written log.Stamp // only versions that were written then or later; 0: all

	Accept   func(log.Record) bool // only what it accepts, see backend.Where; nil: all
	AcceptOf backend.Classes       // the classes it is asked about; none: all

	// Pinned puts pinned memories first on the page, in at most half of it: the rules of the user
	// before others, the most important before others, the oldest of equal importance. What a Query
	// finds stands as it ranks.
	Pinned bool
	Start  bool // see readout.Query

	Near func(*readout.Item) bool // see readout.Query
	// Project is the one whose handoffs a start has also from the user's layer; "" for none.
	Project string
}

// DefaultTokenLimit is the budget where none is given.
const DefaultTokenLimit = 2000

// Read chooses the memories that matter most within the budget. It reads a
// store that does not exist as empty.
func (s *Store) Read(ctx context.Context, c Caller, o ReadOptions) (page readout.Page, err error) {
	op := s.newOperation(c, policy.Read)
	page, newest, err := s.Reader(c).read(ctx, o)
	op.read(len(page.Entries), newest, err)
	return page, err
}

// Reader reads without a line in the journal, for a view that writes its own.
type Reader struct {
	store  *Store
	caller Caller
	now    log.Stamp
}

// Reader returns a reader for a caller.
func (s *Store) Reader(c Caller) Reader { return Reader{s, c, s.opts.stamp(c)} }

// Read is [Store.Read] without a line in the journal.
func (r Reader) Read(ctx context.Context, o ReadOptions) (readout.Page, error) {
	page, _, err := r.read(ctx, o)
	return page, err
}

// ScanBelow yields the live memories under a prefix by key, expired ones too, at less cost than
// [Store.List]. The record shares a buffer until the next step. An error is the last.
func (r Reader) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	return r.store.backend.ScanBelow(ctx, p)
}

// Size is how many bytes the newest lines of some keys have, newline included.
type Size struct{ Live, Deleted int64 }

// Sizes returns the size of the keys strictly below each prefix: of the live ones, and of those
// that were deleted; of several layers the sum. The error wraps backend.ErrNoSize for a prefix of
// which no size is kept (keypath.Prefix.Sized).
func (r Reader) Sizes(ctx context.Context, below ...keypath.Prefix) ([]Size, error) {
	v, err := r.store.backend.Snapshot(ctx) // reading the memories warns of damaged lines
	if err != nil {
		return nil, err
	}
	defer v.Close()
	list := make([]Size, len(below))
	for i := 0; i < len(below) && err == nil; i++ {
		list[i].Live, list[i].Deleted, err = v.Size(ctx, below[i])
	}
	return list, err
}

// read also returns the newest memory that was looked at.
func (r Reader) read(ctx context.Context, o ReadOptions) (
	page readout.Page, newest readRecord, err error) {
	if err := policy.CheckList("tags", len(o.Tags)); err != nil {
		return page, newest, err
	}
	conf, err := r.store.ConfigToRead(ctx)
	if err != nil {
		return page, newest, err
	}
	v, err := r.store.snapshot(ctx)
	if err != nil {
		return page, newest, err
	}
	defer v.Close()
	q := readout.Query{Now: r.now, Limit: o.Limit, Tags: o.Tags, Labels: o.Labels,
		AsRanked: o.AsRanked, Remark: o.Remark, Standing: r.Standing, Start: o.Start,
		Near: o.Near}
	pins, err := r.pinned(ctx, v, q, o)
	if err != nil {
		return page, newest, err
	}
	var ranking backend.Ranking
	if o.Query != "" {
		q.Lexical = true
		ranking, err = r.rankFound(ctx, v, q, o)
	} else {
		q.Weights = conf.Weights
		w := backend.Where{Now: q.Now, Written: o.Written, Accept: o.Accept, AcceptOf: o.AcceptOf,
			Conditions: backend.Conditions{Prefix: o.Prefix}}
		if o.Start {
			w = policy.ForStart(r.caller, w, o.Project)
		} else {
			w = policy.ForPage(r.caller, w)
		}
		ranking, err = v.Rank(ctx, q, w)
	}
	if err != nil {
		return page, newest, err
	}
	rows := func(yield func(readout.Candidate, error) bool) {
		for row, err := range ranking.Rows {
			if err == nil && (newest.key == "" || row.TS > newest.ts) {
				newest = readRecord{row.Key, row.TS, row.Source, false}
			}
			if !yield(row, err) {
				return
			}
		}
	}
	page, err = q.PackPinned(pins, ranking.Considered, rows)
	return page, newest, err
}

// rankFound ranks what a search finds: as many as the page could look at. The match of each is
// relative to the best.
func (r Reader) rankFound(
	ctx context.Context, v backend.Snapshot, q readout.Query, o ReadOptions,
) (backend.Ranking, error) {
	hits, err := r.find(ctx, v, SearchOptions{Query: o.Query, Limit: q.Most(), Accept: o.Accept,
		AcceptOf: o.AcceptOf, ForPage: true, Conditions: backend.Conditions{Prefix: o.Prefix}})
	if err != nil {
		return backend.Ranking{}, err
	}
	sel := readout.NewSelector(q)
	best := 0.0
	for _, h := range hits {
		best = max(best, h.Score)
	}
	for _, h := range hits {
		it := ItemOf(h.Record)
		it.Match = 1
		if best > 0 {
			it.Match = h.Score / best
		}
		sel.Add(it)
	}
	return backend.Ranking{Considered: sel.Considered(),
		Rows: func(yield func(readout.Candidate, error) bool) {
			for _, c := range sel.Sorted() {
				if !yield(c, nil) {
					return
				}
			}
		}}, nil
}

// ItemOf returns a record as the page's selection takes it.
func ItemOf(rec log.Record) readout.Item {
	return readout.Item{
		Key: rec.Key.String(), TS: rec.TS, Fields: content.Parse(rec.Content),
		Content: rec.Content, Source: rec.Source, Layer: rec.Layer,
	}
}

// Get returns the newest live memory of a key. An expired one counts as absent unless expired is
// set, and what another agent keeps for itself always does. The error is a *NotFoundError or
// the file system's.
func (s *Store) Get(ctx context.Context, c Caller, key keypath.Key, expired bool) (
	log.Record, error) {
	if !policy.Permits(c, key) {
		return log.Record{}, &NotFoundError{Key: key}
	}
	rec, found, err := s.backend.Get(ctx, key)
	if err != nil {
		return rec, err
	}
	if !found {
		// The line that had it may be damaged: then the snapshot says which.
		v, err := s.snapshot(ctx)
		if err != nil {
			return rec, err
		}
		v.Close()
	}
	if !found || !expired && content.Expired(rec.Content, s.opts.stamp(c)) {
		return log.Record{}, &NotFoundError{Key: key}
	}
	return rec, nil
}

// Filter is which live memories List calls fn for.
type Filter struct {
	Prefix  keypath.Prefix
	Expired bool // also those that have expired
	Trusted bool // only what a search may show: nothing that is quarantined
	Browse  bool // only memories for a person that browses, see policy.Browses
	All     bool // also agents' private memories, for any caller
	LeftOut *int // is added how many of these were left out; nil: nobody asks
}

// shows reports whether a caller is listed a live memory.
func (f *Filter) shows(c Caller, key keypath.Key) bool {
	if f.All {
		c.Agent = key.Realm().Owner // it is listed what each owner would be
	}
	if !policy.Permits(c, key) {
		if f.LeftOut != nil {
			*f.LeftOut++
		}
		return false
	}
	return (!f.Browse || policy.Browses(f.Prefix, key)) &&
		(!policy.IsProposal(key) || policy.Proposing(f.Prefix)) &&
		(!f.Trusted || policy.Visible(c, key, content.Fields{}))
}

// List calls fn for every live memory by key. The record may share a buffer until fn returns. fn's
// error ends it.
func (s *Store) List(ctx context.Context, c Caller, f Filter, fn func(log.Record) error) error {
	v, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer v.Close()
	now := s.opts.stamp(c)
	for rec, err := range v.ScanBelow(ctx, f.Prefix) {
		if err != nil {
			return err
		}
		if !f.Expired && content.Expired(rec.Content, now) || !f.shows(c, rec.Key) {
			continue
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Everything calls fn for every envelope ever written, by whom and for whom ever, archives first,
// each in the order of its file. A line that is in two files, as after a crash in a rotation, comes
// twice.
func (s *Store) Everything(ctx context.Context, fn func(log.Record) error) error {
	for rec, err := range s.backend.History(ctx) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			// A torn tail is a writer at work, or is repaired by the next one.
			if !errors.Is(err, log.ErrTorn) {
				s.opts.warnDamaged([]*log.Damage{d})
			}
			continue
		case err != nil:
			return err
		}
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// Versions are the versions of a key.
type Versions = backend.Versions

// History returns every version of a key, newest first. The error is a *NotFoundError where there
// never was one, or the key is another agent's; else the caller ranges over the rows, which are
// read one by one.
func (s *Store) History(ctx context.Context, c Caller, key keypath.Key) (Versions, error) {
	if !policy.Permits(c, key) {
		return Versions{}, &NotFoundError{Key: key}
	}
	v, err := s.backend.Versions(ctx, key)
	if err != nil {
		return v, err
	}
	s.opts.warnDamaged(v.Damaged)
	if v.Count == 0 {
		return v, &NotFoundError{Key: key}
	}
	return v, nil
}

// HistoryBelow yields every envelope of keys below a prefix that was ever written, as
// [Store.Everything] does; a line that cannot be read comes as a *log.Damage, whatever key it
// shows. Another error is the last.
func (s *Store) HistoryBelow(ctx context.Context, below keypath.Prefix) iter.Seq2[
	log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range s.backend.History(ctx) {
			if err == nil && !below.Holds(rec.Key) {
				continue
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}
