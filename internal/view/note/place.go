package note

import (
	"context"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
)

// Place returns the store of layers that a note goes to, and its options there: to what it
// replaces, or else where its scope says. Where no scope is given it is that of the note that is
// replaced, or of the notes that lie there. The error wraps mem.ErrInput or mem.ErrNoLayer, or
// is as that of [Space].
func Place(ctx context.Context, l *layers.Layers, c mem.Caller, o Options) (
	s *mem.Store, one *site.Site, _ Options, err error) {
	if one, err = o.place(ctx, l, c); err != nil {
		return nil, nil, o, err
	}
	if s, err = l.Open(one); err != nil {
		return nil, nil, o, err
	}
	o.IDs, o.Repository, o.Seen = IDsOf(one), one.InRepository(), l.SeenLines(one)
	o.filed = one.Layer == site.User && o.Scope == site.User
	if one.Layer == site.Project && l.Sites.User != nil {
		o.User, err = l.Open(l.Sites.User)
	}
	return s, one, o, err
}

// place also completes the scope.
func (o *Options) place(ctx context.Context, l *layers.Layers, c mem.Caller) (
	site *site.Site, err error) {
	for _, key := range o.Replaces {
		at, _, err := l.Holding(ctx, c, key)
		if err != nil {
			return nil, err
		}
		if site != nil && at != site {
			return nil, &fault.Fault{Err: mem.ErrInput,
				Why: o.Replaces[0].Shown() + " and " + key.Shown() + " are of two layers",
				Do: advice.Say("a note belongs to one layer: replace a note of one, and ").
					Run("supersede").Then(" the other")}
		}
		site = at
	}
	isOpen := site != nil && o.Scope == ""
	if isOpen {
		o.Scope = scopeOf(o.Replaces[0], site)
	}
	space, err := Space(o.Scope)
	if err != nil || isOpen {
		return site, err
	}
	to, err := l.SiteFor(space)
	if err == nil && site != nil && to != site {
		err = fault.Input("scope "+o.Scope, o.Replaces[0].Shown()+
			" is in the other layer, and its successor goes there",
			advice.Say("leave the scope out"))
	}
	return to, err
}

// scopeOf returns the scope of a note that takes the place of a memory in one of the stores.
func scopeOf(replaced keypath.Key, one *site.Site) string {
	if space, _, ok := Split(replaced); ok {
		text := space.String()
		return text[strings.LastIndexByte(text, '/')+1:]
	}
	if one.Layer == site.User {
		return site.User
	}
	return DefaultScope
}

// Reply returns the answer to the call, whose options say where the note was to go: to a layer of
// this name, "" where one store is all there is.
func (a Added) Reply(o Options, to string) mem.NoteReply {
	if a.Store == o.User {
		to = site.User
	}
	reply := mem.NoteReply{OK: true, ID: a.ID, Known: a.Known, Layer: to, Evicted: a.Evicted,
		Near: a.Near}
	for _, key := range a.Replaced {
		reply.Replaced = append(reply.Replaced, key.String())
	}
	return reply
}
