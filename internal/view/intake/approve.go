package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Here returns the proposals of an inbox for the stores of a call, and how many are for others. A
// rule waits as long as its fact lives.
func Here(ctx context.Context, l *layers.Layers, c mem.Caller, b *inbox.Inbox) (
	list []inbox.Proposal, others int, err error) {
	all, err := b.List()
	for _, p := range all {
		switch one := siteOf(l, p); {
		case one == nil && p.Class != inbox.Rule:
			others++
		case one != nil && (p.Class != inbox.Rule || isWaitingRule(ctx, l, c, one, &p)):
			list = append(list, p)
		}
	}
	return list, others, err
}

// siteOf returns the store that a proposal is for; nil where it is none of a call's.
func siteOf(l *layers.Layers, p inbox.Proposal) *site.Site {
	list := l.Sites.List()
	i := slices.IndexFunc(list, func(one *site.Site) bool { return one.Address() == p.Store })
	if i < 0 {
		return nil
	}
	return list[i]
}

// Stored is what became of an approved fact: the answer as to a note, and the write, by which it
// can be taken back.
type Stored struct {
	mem.NoteReply
	Outcome mem.Outcome
	Site    *site.Site
}

// ErrTyped is wrapped where a rule is to be another than the one that was typed.
var ErrTyped = fmt.Errorf("%w: a rule is taken as it was typed", mem.ErrInput)

// Approve stores the fact of a proposal in the name of the person who decides, with another text
// where one is given, and takes the proposal out of the inbox. The fact of a proposed rule gets a
// pin. The error wraps inbox.ErrNoProposal, or is ErrTyped, or as that of note.Add, mem.Store.Set
// or edit.PinShown.
func Approve(ctx context.Context, l *layers.Layers, c mem.Caller, b *inbox.Inbox, p inbox.Proposal,
	text string) (done Stored, err error) {
	one := siteOf(l, p)
	if one == nil {
		return done, fmt.Errorf("%s: it is for the project %s: %w here", p.ID, p.Project,
			inbox.ErrNoProposal)
	}
	if err := policy.CheckPerson(c, policy.Approve); err != nil {
		return done, err
	}
	if err := b.Check(p); err != nil {
		return done, err
	}
	switch {
	case p.Class == inbox.Rule && text != "" && text != p.Text:
		return done, fmt.Errorf("%s: %w", p.ID, ErrTyped)
	case text != "":
		p.Text = text
	}
	switch {
	case p.Class == inbox.Rule:
		done, err = pin(ctx, l, c, one, p)
	case p.Key != "":
		done, err = set(ctx, l, c, one, p)
	}
	if p.Class != inbox.Rule && (p.Key == "" || errors.Is(err, mem.ErrConflict)) {
		done, err = add(ctx, l, c, one, p)
	}
	if err == nil {
		err = b.Decide(p.ID)
	}
	return done, err
}

// Reject takes a proposal out of the inbox for good, for a person.
func Reject(c mem.Caller, b *inbox.Inbox, p inbox.Proposal) error {
	err := policy.CheckPerson(c, policy.Reject)
	if err == nil {
		err = b.Check(p)
	}
	if err != nil {
		return err
	}
	return b.Decide(p.ID)
}

// set stores a fact under its key. The error is a *mem.ConflictError where another memory has it.
func set(ctx context.Context, l *layers.Layers, c mem.Caller, one *site.Site, p inbox.Proposal) (
	done Stored, err error) {
	s, err := l.Open(one)
	if err != nil {
		return done, err
	}
	key, err := keypath.Parse(p.Key)
	if err != nil {
		return done, err
	}
	var content jsontext.Object
	content.Text("type", "fact")
	content.Text("text", p.Text)
	done.Site = one
	done.Outcome, err = s.Set(ctx, c, mem.Write{Key: key, Content: content.Bytes(),
		Source: approved(s, p)}, mem.SetOptions{IfAbsent: true})
	var lost *mem.ConflictError
	if errors.As(err, &lost) && bytes.Equal(lost.Newest.Content, content.Bytes()) {
		done.Known, err = true, nil // by another approval of the same moment
	}
	done.OK, done.ID = err == nil, key.String()
	return done, err
}

func add(ctx context.Context, l *layers.Layers, c mem.Caller, one *site.Site, p inbox.Proposal) (
	done Stored, err error) {
	o := note.Options{Scope: note.DefaultScope}
	if p.User || one.Layer == site.User {
		o.Scope = site.User
	}
	s, at, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return done, err
	}
	o.Source = approved(s, p)
	added, err := note.Add(ctx, s, c, p.Text, o)
	if err != nil {
		return done, err
	}
	rec, err := added.Store.Get(ctx, c, added.Key, true)
	wrote := mem.Outcome{Key: added.Key, TS: rec.TS, Valid: true}
	return Stored{added.Reply(o, at.Layer), wrote, at}, err
}

// approved returns the source of a fact that a person approved, with how it was found.
func approved(s *mem.Store, p inbox.Proposal) []byte {
	var source, locator, given jsontext.Object
	given.Text("kind", "agent")
	given.Text("name", p.Client)
	given.TextUnlessEmpty("class", p.Class)
	given.Raw("evidence", jsontext.AppendStrings(nil, p.Evidence))
	locator.Text("proposal", p.ID)
	locator.Raw("sessions", jsontext.AppendStrings(nil, p.Sessions))
	source.Text("kind", "user")
	source.Text("name", "mem approve")
	source.Text("retrieved_at", log.StampOf(s.Now()).String())
	source.Raw("locator", locator.Bytes())
	source.Raw("given", given.Bytes())
	return source.Bytes()
}
