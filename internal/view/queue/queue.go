package queue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Queue is what waits in the stores of a call, and in the inbox of its user.
type Queue struct {
	Layers *layers.Layers
	Caller mem.Caller
	Inbox  *inbox.Inbox
}

// Item is a line that waits: a fact or a typed rule, a proposed change, or a quarantined write. One
// of the three is set.
type Item struct {
	Fact     *inbox.Proposal
	Proposal *proposal.Proposal
	Write    *mem.Waiting
	Store    *mem.Store // of a change or a write
}

// ID returns what names an item to mem approve.
func (it *Item) ID() string {
	switch {
	case it.Fact != nil:
		return it.Fact.ID
	case it.Proposal != nil:
		return it.Proposal.ID
	}
	return it.Write.Rec.Key.String()
}

// Version identifies the versions that are shown of an item of a store; "" for one of the inbox,
// whose id names its text.
func (it *Item) Version() string {
	if it.Fact != nil {
		return ""
	}
	return it.shown().String()
}

func (it *Item) shown() mem.Shown {
	if it.Proposal != nil {
		return it.Proposal.Shown()
	}
	return it.Write.Shown()
}

// Makes returns the memory that an approval makes a rule; "" where it makes none.
func (it *Item) Makes() string {
	switch {
	case it.Fact != nil && it.Fact.Class == inbox.Rule:
		return RuleID(*it.Fact)
	case it.Proposal != nil && it.Proposal.Change == policy.Pin.String():
		return it.Proposal.Key.Shown()
	}
	return ""
}

// Facts returns the facts and the typed rules for the stores here, and how many wait for others. An
// inbox that cannot be read has none.
func (q *Queue) Facts(ctx context.Context) (list []inbox.Proposal, others int) {
	list, others, err := intake.Here(ctx, q.Layers, q.Caller, q.Inbox)
	if err != nil || list == nil {
		list = []inbox.Proposal{}
	}
	return list, others
}

// Proposals returns the proposed changes of all layers.
func (q *Queue) Proposals(ctx context.Context) (list []Item, err error) {
	err = q.Layers.Each(func(s *mem.Store, one *site.Site) error {
		found, err := proposal.List(ctx, s, q.Caller)
		for _, p := range found {
			p.Layer = one.Layer
			list = append(list, Item{Proposal: &p, Store: s})
		}
		return err
	})
	return list, err
}

// List returns all that waits, in the order in which mem approve lists it.
func (q *Queue) List(ctx context.Context) (list []Item, err error) {
	facts, _ := q.Facts(ctx)
	for _, p := range facts {
		list = append(list, Item{Fact: &p})
	}
	items, err := q.OfStores(ctx)
	return append(list, items...), err
}

// OfStores returns what waits in the stores: the proposed changes, then the quarantined writes.
func (q *Queue) OfStores(ctx context.Context) (list []Item, err error) {
	if list, err = q.Proposals(ctx); err != nil {
		return nil, err
	}
	err = q.Layers.Each(func(s *mem.Store, one *site.Site) error {
		found, err := Writes(ctx, s, q.Caller)
		for _, w := range found {
			w.Rec.Layer = one.Layer
			list = append(list, Item{Write: &w, Store: s})
		}
		return err
	})
	return list, err
}

// Writes returns the quarantined writes of a store, by their keys.
func Writes(ctx context.Context, s *mem.Store, c mem.Caller) (list []mem.Waiting, err error) {
	below := keypath.MustPrefix(keypath.Untrusted)
	var keys []keypath.Key
	err = s.List(ctx, c, mem.Filter{Prefix: below}, func(rec log.Record) error {
		if !policy.IsProposal(rec.Key) {
			keys = append(keys, rec.Key)
		}
		return nil
	})
	for _, key := range keys {
		w, err := s.Waiting(ctx, c, key)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, err
}

// IsFactID reports whether a word is meant as the id of a fact.
func IsFactID(word string) bool { return strings.HasPrefix(strings.ToLower(word), "c-") }

// Find returns the fact or the proposed change that an id names; nil where it is no id of one. The
// error wraps inbox.ErrNoProposal for the id of a fact that does not wait.
func (q *Queue) Find(ctx context.Context, id string) (*Item, error) {
	if IsFactID(id) {
		return q.findFact(ctx, strings.ToLower(id))
	}
	for _, site := range q.Layers.Sites.List() {
		s, err := q.Layers.Open(site)
		if err != nil {
			return nil, err
		}
		p, found, err := proposal.Find(ctx, s, q.Caller, id)
		if err != nil {
			return nil, err
		}
		if found {
			p.Layer = site.Layer
			return &Item{Proposal: &p, Store: s}, nil
		}
	}
	return nil, nil
}

func (q *Queue) findFact(ctx context.Context, id string) (*Item, error) {
	list, _ := q.Facts(ctx)
	i := slices.IndexFunc(list, func(p inbox.Proposal) bool { return p.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%s: %w", text.Line(id), inbox.ErrNoProposal)
	}
	return &Item{Fact: &list[i]}, nil
}

// Approve stores an item as it was shown. words replace those of a fact, "" keeps them; o is about
// a quarantined write. The error is as that of intake.Approve, proposal.Approve or
// mem.Store.Approve.
func (q *Queue) Approve(ctx context.Context, it *Item, words string, o mem.ApproveOptions) (
	done intake.Stored, err error) {
	if it.Fact != nil {
		return intake.Approve(ctx, q.Layers, q.Caller, q.Inbox, *it.Fact, words)
	}
	done.Outcome, err = Approve(ctx, it.Store, q.Caller, it.shown(), o)
	if done.ID = it.ID(); it.Write != nil {
		done.ID = done.Outcome.Key.String()
	}
	return done, err
}

// Approve approves a proposed change or a quarantined write as it was shown.
func Approve(ctx context.Context, s *mem.Store, c mem.Caller, shown mem.Shown,
	o mem.ApproveOptions) (mem.Outcome, error) {
	if policy.IsProposal(shown.Key) {
		return proposal.Approve(ctx, s, c, shown)
	}
	return s.Approve(ctx, c, shown, o)
}

// Reject ends the wait of an item as it was shown. The error is as that of intake.Reject or
// mem.Store.Reject.
func (q *Queue) Reject(ctx context.Context, it *Item) (mem.Outcome, error) {
	if it.Fact != nil {
		return mem.Outcome{}, intake.Reject(q.Caller, q.Inbox, *it.Fact)
	}
	return it.Store.Reject(ctx, q.Caller, it.shown())
}
