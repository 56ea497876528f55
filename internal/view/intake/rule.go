package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// waitsAsRule lets a note wait as a typed rule, and reports whether a pin would make it one.
func (t *taking) waitsAsRule(ctx context.Context, added note.Added) bool {
	sites := t.layers.Sites.List()
	i := slices.IndexFunc(sites, func(one *site.Site) bool {
		s, err := t.layers.Open(one)
		return err == nil && s == added.Store
	})
	if !t.asked.Rule || i < 0 {
		return false
	}
	rec, standing, err := factAt(ctx, added.Store, t.caller, added.Key)
	if err != nil || standing != readout.Prompted {
		return false
	}
	if t.conf.Capture.Propose {
		p := t.proposal(inbox.Rule, sites[i])
		p.Text, p.Fact = content.Parse(rec.Content).Text, added.Key.String()
		if key, bad := keypath.Parse(t.inbox.DecidedFact(p)); bad == nil {
			_, bad = added.Store.Get(ctx, t.caller, key, false)
			p.Insists = p.Insists || errors.Is(bad, mem.ErrNotFound)
		}
		_, _ = propose(t.inbox, p) // the answer names the pin in any case
	}
	return true
}

// factAt returns a memory, and how far it binds a model.
func factAt(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key) (
	rec log.Record, standing readout.Standing, err error) {
	rec, err = s.Get(ctx, c, key, false)
	if err != nil {
		return rec, standing, err
	}
	it := mem.ItemOf(rec)
	return rec, s.Reader(c).Standing(&it), nil
}

// isWaitingRule reports whether the fact of a proposed rule lives as a quote of the user, in the
// proposal's words, and notes its version. A tag or a pin of an agent does not end the wait.
func isWaitingRule(ctx context.Context, l *layers.Layers, c mem.Caller, one *site.Site,
	p *inbox.Proposal) bool {
	key, err := keypath.Parse(p.Fact)
	if err != nil {
		return false
	}
	s, err := l.Open(one)
	if err != nil {
		return false
	}
	rec, standing, err := factAt(ctx, s, c, key)
	f := content.Parse(rec.Content)
	p.Seen = rec.TS
	return err == nil && standing != readout.Rule && policy.QuotesPrompt(rec.Source) &&
		f.Text == p.Text && strings.TrimSpace(f.Summary) == "" && f.SupersededBy == ""
}

// FollowMove lets typed rules wait where their facts lie after a move. Where they lay the rules
// wait no more, but again if the move is undone.
func FollowMove(b *inbox.Inbox, from, to *site.Site, list []transfer.Moved) error {
	all, err := b.List()
	var follow []inbox.Proposal
	for _, p := range all {
		i := slices.IndexFunc(list, func(m transfer.Moved) bool {
			return m.From.String() == p.Fact
		})
		if p.Class == inbox.Rule && p.Store == from.Address() && i >= 0 {
			p.Store, p.Fact, p.User = to.Address(), list[i].To.String(), to.Layer == site.User
			follow = append(follow, p)
		}
	}
	if err == nil {
		_, err = b.Propose(follow...)
	}
	return err
}

// Ended returns the typed rules that wait no more because an agent has deleted, replaced or changed
// their facts, and of which the person has not heard (inbox.MarkEnded).
func Ended(ctx context.Context, l *layers.Layers, c mem.Caller, b *inbox.Inbox) (
	list []inbox.Proposal, err error) {
	all, err := b.List()
	for _, p := range all {
		one := siteOf(l, p)
		if p.Class != inbox.Rule || p.Ended || one == nil || isWaitingRule(ctx, l, c, one, &p) {
			continue
		}
		if s, bad := l.Open(one); bad == nil && wasEndedByAgent(ctx, s, c, p) {
			list = append(list, p)
		}
	}
	return list, err
}

// wasEndedByAgent reports whether an agent wrote the newest version of a rule's fact.
func wasEndedByAgent(ctx context.Context, s *mem.Store, c mem.Caller, p inbox.Proposal) bool {
	key, err := keypath.Parse(p.Fact)
	if err != nil {
		return false
	}
	versions, err := s.History(ctx, c, key)
	if err != nil {
		return false
	}
	for rec, err := range versions.Rows {
		if by, bad := keypath.Parse(content.Successor(rec.Content)); err == nil && bad == nil {
			rec, err = s.Get(ctx, c, by, true)
		}
		return err == nil && content.Origin(rec.Source) == "agent" &&
			!content.LeftByMove(rec.Source)
	}
	return false
}

// settleRules takes the typed rules out of the inbox that a person has pinned.
func settleRules(ctx context.Context, l *layers.Layers, b *inbox.Inbox) error {
	list, err := b.List()
	for _, p := range list {
		one := siteOf(l, p)
		key, bad := keypath.Parse(p.Fact)
		if err != nil || p.Class != inbox.Rule || one == nil || bad != nil {
			continue
		}
		s, bad := l.Open(one)
		if bad != nil {
			continue
		}
		_, standing, bad := factAt(ctx, s, mem.Caller{}, key)
		if bad == nil && standing == readout.Rule {
			err = b.Decide(p.ID)
		}
	}
	return err
}

// pin makes the fact of a proposed rule a rule of the user.
func pin(ctx context.Context, l *layers.Layers, c mem.Caller, one *site.Site, p inbox.Proposal) (
	done Stored, err error) {
	gone := fmt.Errorf("%s: %w", p.ID, inbox.ErrNoProposal)
	key, err := keypath.Parse(p.Fact)
	if err != nil {
		return done, gone
	}
	s, err := l.Open(one)
	if err != nil {
		return done, err
	}
	shown := mem.Shown{Key: key, TS: p.Seen}
	pinned, err := edit.PinShown(ctx, s, c, shown, edit.Author{})
	switch {
	case err != nil:
		return done, err
	case len(pinned.Missing) > 0:
		return done, gone
	case len(pinned.Touched) > 0:
		done.Outcome = pinned.Touched[0]
		shown.TS = done.Outcome.TS
	}
	// An agent's tag has left a mark, for which the person stands, too.
	if _, standing, err := factAt(ctx, s, c, key); err != nil || standing != readout.Rule {
		if done.Outcome, err = s.Approve(ctx, c, shown, mem.ApproveOptions{}); err != nil {
			return done, err
		}
	}
	done.Site, done.OK = one, true
	if done.ID, _ = keypath.NoteID(key); done.ID == "" {
		done.ID = key.String()
	}
	return done, nil
}
