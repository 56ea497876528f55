package session

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Search is [mem.Store.Search]. Where all that is searched is of sessions, one or with the prefix
// /session every one, the most relevant record comes first, and o.Explain returns the
// factors of its relevance.
func Search(ctx context.Context, s *mem.Store, c mem.Caller, o mem.SearchOptions) (
	found []mem.Found, err error) {
	if !InSessions(o.Prefix) {
		return s.Search(ctx, c, o)
	}
	b, err := newBook(ctx, s, c, o.Prefix)
	if err != nil {
		return nil, err
	}
	o.Relevance = b.relevance
	found, err = s.Search(ctx, c, o)
	for i := range found {
		if o.Explain {
			found[i].Factors = b.factors(found[i])
		}
		if o.Sort != mem.ByRelevance {
			found[i].Score = b.rules(found[i].Record.Key).PartsOf(found[i].Record, b.now,
				found[i].Match).Relevance()
		}
	}
	return found, err
}

// factors returns what the relevance of a record is made of.
func (b *book) factors(f mem.Found) []mem.Factor {
	p := b.rules(f.Record.Key).PartsOf(f.Record, b.now, f.Match)
	return []mem.Factor{{Name: "importance", Value: p.Importance}, {Name: "decay", Value: p.Decay},
		{Name: "boost", Value: p.Boost}, {Name: "match", Value: p.Match}}
}

// InSessions reports whether all keys below a prefix are of sessions, so that a search there ranks
// by relevance.
func InSessions(below keypath.Prefix) bool {
	key, err := keypath.Parse(below.String())
	return err == nil && keypath.MustPrefix(keypath.Sessions).Holds(key)
}

// book is the rules that are in force for each session of a search.
type book struct {
	now    log.Stamp
	common Rules
	own    map[string]Rules // of the sessions that settle something for themselves
}

func newBook(ctx context.Context, s *mem.Store, c mem.Caller, below keypath.Prefix) (
	*book, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	b := &book{now: nowOf(s, c), common: Rules{Config: conf}, own: map[string]Rules{}}
	return b, b.collect(ctx, s, c, below)
}

// collect finds the sessions whose records do not decay as those of others do.
func (b *book) collect(ctx context.Context, s *mem.Store, c mem.Caller,
	below keypath.Prefix) error {
	add := func(one *Session) {
		if own := one.Rules(b.common.Config); own != b.common {
			b.own[one.ID] = own
		}
	}
	key, err := keypath.Parse(below.String())
	if err == nil && key.String() != keypath.Sessions {
		id := idOf(key)
		if !keypath.IsSessionID(id) {
			return nil
		}
		one, err := find(ctx, stored{s, c}, id, b.now)
		if err == nil {
			add(one)
		} else if mem.KindOf(err) != mem.KindNo {
			return err
		}
		return nil
	}
	list, err := all(ctx, s, c)
	for _, one := range list {
		add(one)
	}
	return err
}

func (b *book) rules(key keypath.Key) Rules {
	if own, is := b.own[idOf(key)]; is {
		return own
	}
	return b.common
}

// relevance returns that of a candidate. Its key is asked for only where sessions differ.
func (b *book) relevance(c mem.Candidate) float64 {
	rules := b.common
	if len(b.own) > 0 {
		if key, ok := c.Key(); ok {
			rules = b.rules(key)
		}
	}
	return rules.Parts(c.Type, c.Time, b.now, c.Importance, c.Match).Relevance()
}

func all(ctx context.Context, s *mem.Store, c mem.Caller) (list []*Session, err error) {
	below := keypath.MustPrefix(keypath.Sessions)
	found, err := s.ListClass(ctx, c, below, keypath.SessionInfo)
	for _, rec := range found {
		list = append(list, parse(rec))
	}
	slices.SortFunc(list, func(a, b *Session) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}

func nowOf(s *mem.Store, c mem.Caller) log.Stamp {
	if c.Now != 0 {
		return c.Now
	}
	return log.StampOf(s.Now())
}
