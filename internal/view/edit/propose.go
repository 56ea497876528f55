package edit

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/log"
)

// Repinned returns the content of a memory with its pin or without, for a proposal.
func Repinned(rec log.Record, pinned bool) ([]byte, error) {
	if err := CheckCurrent(rec, policy.Pin); pinned && err != nil {
		return nil, err
	}
	m, err := membersOf(rec.Key, rec.Content)
	if err == nil {
		m, err = Changes{Pin: pinned, Unpin: !pinned}.apply(rec.Key, m)
	}
	if err != nil {
		return nil, err
	}
	return m.Object(), nil
}

// proposeNote proposes the text of a request in the place of the rule that it replaces.
func proposeNote(ctx context.Context, l *layers.Layers, c mem.Caller, r *note.Request) (
	add func(context.Context) (mem.NoteReply, error), err error) {
	if len(r.Replaces) != 1 {
		return nil, &request.Error{Member: "propose", Why: "want one rule that the text replaces"}
	}
	all, err := l.Reading()
	if err != nil {
		return nil, err
	}
	key, err := Named(ctx, all, c, r.Replaces[0])
	if err != nil {
		return nil, err
	}
	site, _, err := l.Holding(ctx, c, key)
	if err != nil {
		return nil, err
	}
	s, err := l.Open(site)
	if err != nil {
		return nil, err
	}
	rec, err := s.Get(ctx, c, key, false)
	if err != nil {
		return nil, err
	}
	text, err := reworded(rec, r)
	if err != nil {
		return nil, err
	}
	ch := proposal.Change{Verb: "note", Key: key, Content: text}
	if r.Source != nil {
		ch.Source = r.Source(r.Scope)
	}
	return func(ctx context.Context) (mem.NoteReply, error) {
		p, err := proposal.Add(ctx, s, c, ch)
		return mem.NoteReply{OK: err == nil, Proposal: p.ID, Layer: site.Layer}, err
	}, nil
}

// reworded returns the content of a memory with the text of a request, and its tags if it has some.
func reworded(rec log.Record, r *note.Request) ([]byte, error) {
	m, err := membersOf(rec.Key, rec.Content)
	if err != nil {
		return nil, err
	}
	m = m.DropName("created_at").With("text", jsontext.AppendString(nil, r.Text))
	if len(r.Tags) > 0 {
		m = m.With("tags", jsontext.AppendStrings(nil, r.Tags))
	}
	return m.Object(), policy.CheckNote(r.Text, r.Tags)
}
