package mem

import (
	"cmp"
	"context"
	"iter"
	"slices"

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

// Read is [Store.Read] without a line in the journal.
func (r Reader) Read(ctx context.Context, o ReadOptions) (readout.Page, error) {
	page, _, err := r.read(ctx, o)
	return page, err
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

// pinning finds the pinned memories for a page.
type pinning struct {
	reader Reader
	view   backend.Snapshot
	query  readout.Query
	where  backend.Where
	most   int // of the rules, and of the others, that become candidates; 0: all
	pins   readout.Pinned
	behind []layeredKey // rules that are not in pins
}

// layeredKey is a key of one of the stores that are read together.
type layeredKey struct{ layer, key string }

// pinned returns the pinned memories, for a page without words: the rules of the user, and others,
// as many as the page is likely to look at. A memory behind them costs a look at its line and its
// key in memory.
func (r Reader) pinned(ctx context.Context, v backend.Snapshot, q readout.Query,
	o ReadOptions) (pins readout.Pinned, err error) {
	if !o.Pinned || o.Query != "" {
		return pins, nil
	}
	p := pinning{reader: r, view: v, query: q, where: backend.Where{Now: q.Now, Written: o.Written,
		Accept: o.Accept, AcceptOf: o.AcceptOf, Conditions: backend.Conditions{Prefix: o.Prefix}}}
	some := p
	some.most = q.MostPinned()
	if err := some.find(ctx); err != nil {
		return pins, err
	}
	pins = some.pins
	if pins.More > 0 || pins.Cut {
		pins.All = func() (readout.Pinned, error) {
			err := p.find(ctx)
			return p.pins, err
		}
	}
	return pins, nil
}

// find looks at the memories that claim to be rules or pinned, and where all memories are meant
// also at those that are rules by their keys.
func (p *pinning) find(ctx context.Context) error {
	w := p.where
	w.Rules = true
	if err := p.add(ctx, w); err != nil {
		return err
	}
	if p.where.Prefix == (keypath.Prefix{}) {
		w.Rules = false
		for _, w.Prefix = range policy.RulesOf(p.reader.caller) {
			if err := p.add(ctx, w); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(p.pins.Rules, func(a, b readout.Candidate) int {
		return cmp.Or(cmp.Compare(b.Parts.Importance, a.Parts.Importance),
			cmp.Compare(a.Time, b.Time))
	})
	if p.most > 0 && len(p.pins.Rules) > p.most {
		for _, c := range p.pins.Rules[p.most:] {
			p.behind = append(p.behind, layeredKey{c.Layer, c.Key})
		}
		p.pins.Rules = p.pins.Rules[:p.most]
	}
	if p.pins.More = len(p.behind); p.pins.More > 0 {
		p.pins.IsMore = isAmong(p.behind)
	}
	return nil
}

// isAmong returns a function that reports whether a list has a key.
func isAmong(list []layeredKey) func(layer, key string) bool {
	var set map[layeredKey]bool
	return func(layer, key string) bool {
		if set == nil { // few pages ask
			set = make(map[layeredKey]bool, len(list))
			for _, one := range list {
				set[one] = true
			}
		}
		return set[layeredKey{layer, key}]
	}
}

// add adds what meets the conditions, in the order of the pinned.
func (p *pinning) add(ctx context.Context, w backend.Where) error {
	rules, others := 0, 0
	for placed, err := range p.selected(ctx, policy.ForPage(p.reader.caller, w)) {
		if err != nil {
			return err
		}
		rec := placed.Record
		if !w.Rules {
			if f := content.Parse(rec.Content); f.IsRule() { // else it is in the first list
				continue
			}
		}
		full := p.most > 0 && rules >= p.most
		if it := itemOfClaim(rec, w.Rules && full); p.reader.Standing(&it) == readout.Rule {
			if rules++; full {
				p.behind = append(p.behind, layeredKey{rec.Layer, rec.Key.String()})
				continue
			}
			p.pins.Rules = append(p.pins.Rules, p.candidate(rec))
			continue
		}
		p.addOther(rec, &others)
	}
	return nil
}

// addOther adds a memory that is no rule of the user, if it is pinned.
func (p *pinning) addOther(rec log.Record, count *int) {
	if p.most > 0 && p.pins.Cut {
		return
	}
	it := ItemOf(rec)
	standing := p.reader.Standing(&it)
	switch {
	case !policy.IsPinned(rec, standing == readout.RepositoryFact):
	case p.most > 0 && *count >= p.most:
		p.pins.Cut = true
	default:
		*count++
		p.pins.Others = append(p.pins.Others, p.candidate(rec))
	}
}

func (p *pinning) candidate(rec log.Record) readout.Candidate {
	it := ItemOf(rec)
	parts, _ := p.query.Score(it)
	return p.query.NewCandidate(&it, parts)
}

// itemOfClaim returns a record as Standing judges it. Of one that claims to be a rule the content
// says no more, unless the source says whose pin it has.
func itemOfClaim(rec log.Record, claims bool) readout.Item {
	if !claims || policy.MayNamePinner(rec.Source) {
		return ItemOf(rec)
	}
	return readout.Item{Key: rec.Key.String(), TS: rec.TS, Source: rec.Source, Layer: rec.Layer,
		Fields: content.Fields{Pinned: true}}
}

// selected yields the records that meet the conditions, in the order of the pinned. If only records
// written since some time are wanted, these are few, and the conditions are asked of one store
// after the other.
func (p *pinning) selected(ctx context.Context, w backend.Where) iter.Seq2[backend.Placed, error] {
	if w.Written == 0 {
		return p.view.Selected(ctx, w, pinnedOrder{})
	}
	return func(yield func(backend.Placed, error) bool) {
		list, err := p.view.Select(ctx, w, pinnedOrder{}, 0)
		if err != nil {
			yield(backend.Placed{}, err)
			return
		}
		for _, rec := range list {
			if !yield(backend.Placed{Record: rec}, nil) {
				return
			}
		}
	}
}

// pinnedOrder is the order of pinned memories: the most important first, of equal importance the
// oldest.
type pinnedOrder struct{}

// Compare puts the place that comes first first.
func (pinnedOrder) Compare(a, b backend.SortKey) int {
	return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(a.Time, b.Time))
}

// Score returns 0: the place says all.
func (pinnedOrder) Score(backend.SortKey) float64 { return 0 }
