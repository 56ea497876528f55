package intake

import (
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
)

// WaitAgain lets the proposals wait again whose approvals were taken back: taken are the versions
// that an undo has replaced. It returns how many wait, and how many cannot: a fact that was
// approved in other words no longer has those of its proposal.
func WaitAgain(l *layers.Layers, b *inbox.Inbox, taken []log.Record) (again, lost int) {
	for _, rec := range taken {
		locator := content.Member(rec.Source, "locator")
		id := jsontext.Unquote(content.Member(locator, "proposal"))
		isFact := strings.HasPrefix(id, "c-") && rec.Valid()
		p, ok := proposalOf(l, b, rec, id)
		if !ok && isFact {
			lost++
		}
		if !ok {
			continue
		}
		p.Insists = true // the person takes the decision back
		if made, err := b.Propose(p); err == nil {
			again += len(made)
		}
	}
	return again, lost
}

// proposalOf returns the proposal that a person approved with a version: a fact has its id, and of
// a rule the inbox knows that it was decided.
func proposalOf(l *layers.Layers, b *inbox.Inbox, rec log.Record, id string) (
	p inbox.Proposal, ok bool) {
	locator, given := content.Member(rec.Source, "locator"), content.Member(rec.Source, "given")
	f, key := content.Parse(rec.Content), rec.Key.String()
	p = inbox.Proposal{Text: f.Text, Project: l.Sites.Name()}
	if id == "" {
		p.Class, p.Fact, p.Client = inbox.Rule, key, content.Author(rec.Source)
		p.Sessions = []string{jsontext.Unquote(content.Member(locator, "session"))}
	} else {
		p.Class = jsontext.Unquote(content.Member(given, "class"))
		p.Client = jsontext.Unquote(content.Member(given, "name"))
		p.Sessions = textsOf(content.Member(locator, "sessions"))
		p.Evidence = textsOf(content.Member(given, "evidence"))
	}
	if strings.HasPrefix(key, inbox.CommandKeys) {
		p.Key = key
	}
	mayBeRule := id == "" && f.Pinned && policy.IsPinOfPerson(rec.Source)
	for _, one := range l.Sites.List() {
		p.Store = one.Address()
		p.User = one.Layer != site.User && strings.HasPrefix(key, "/note/user/")
		if mayBeRule && b.DecidedFact(p) == p.Fact || id != "" && p.Is(id) {
			return p, true
		}
	}
	return p, false
}

// textsOf returns the texts of a JSON array.
func textsOf(list []byte) (texts []string) {
	for element := range jsontext.Elements(list) {
		texts = append(texts, jsontext.Unquote(element))
	}
	return texts
}
