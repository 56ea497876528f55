package edit

import (
	"context"
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// Note stores the note of a request in one of the layers, and sets the scope that it has there; see
// note.Add. A text with a secret is refused in the reply, too.
func Note(ctx context.Context, l *layers.Layers, c mem.Caller, r *note.Request) (
	reply mem.NoteReply, err error) {
	add, err := PlaceNote(ctx, l, c, r)
	if err != nil {
		return reply, err
	}
	return add(ctx)
}

// PlaceNote finds the store that the note of a request goes to, and returns the rest of [Note],
// which needs the layers no more. The error is as that of note.Place, or of [Named] for what the
// note replaces.
func PlaceNote(ctx context.Context, l *layers.Layers, c mem.Caller, r *note.Request) (
	add func(context.Context) (mem.NoteReply, error), err error) {
	if r.Propose {
		return proposeNote(ctx, l, c, r)
	}
	o, err := r.Options()
	for _, name := range r.Replaces {
		var all *mem.Store
		var key keypath.Key
		if err == nil {
			all, err = l.Reading()
		}
		if err == nil {
			key, err = Named(ctx, all, c, name)
		}
		o.Replaces = append(o.Replaces, key)
	}
	if err != nil {
		return nil, err
	}
	s, site, o, err := note.Place(ctx, l, c, o)
	if r.Scope = o.Scope; err != nil {
		return nil, err
	}
	tree := moved.NewTree(&l.Sites, site, r.Dir)
	if o.Files, err = tree.Record(r.Dir, r.Files); err != nil {
		return nil, err
	}
	if r.Dir != "" {
		o.Now = tree.Now
	}
	if r.Source != nil {
		o.Source = r.Source(o.Scope)
	}
	o.Supersede = Superseding(Author{AllowSecrets: r.AllowSecrets, Agent: r.Editor})
	waits := o.Pinned && pinWaits(s, c)
	o.Pinned = o.Pinned && !waits
	return func(ctx context.Context) (mem.NoteReply, error) {
		added, err := note.Add(ctx, s, c, r.Text, o)
		switch {
		case errors.Is(err, policy.ErrSecret):
			return mem.NoteReply{Error: policy.NoteRefusal}, err
		case err != nil:
			return mem.NoteReply{}, err
		}
		reply := added.Reply(o, site.Layer)
		if waits {
			reply.Proposal, err = proposePin(ctx, added, c)
		}
		return reply, err
	}, nil
}
