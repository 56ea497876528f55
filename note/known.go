package note

import (
	"bytes"
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// isKnown reports whether a store has a note of a text, so that the same need not be noted in
// another one.
func isKnown(ctx context.Context, s *mem.Store, c mem.Caller, text string, o Options) (
	bool, error) {
	found := false
	_, err := live(ctx, s, c, func(rec log.Record) bool {
		found = found || says(rec, content.FoldText(text), o)
		return false
	})
	return found, err
}

// says reports whether a record is a current note of a folded text, for those who would be told the
// new one: one of a conversation is for no other conversation.
func says(rec log.Record, folded string, o Options) bool {
	f := content.Parse(rec.Content)
	return f.SupersededBy == "" && content.FoldText(f.Text) == folded &&
		(rec.Key.Class() != keypath.Session || o.Scope == "session" &&
			bytes.Equal(sessionOf(rec.Source), sessionOf(o.Source)))
}

// sessionOf returns what a source names as the conversation it is from, and by whom.
func sessionOf(source []byte) (session []byte) {
	for name, value := range jsontext.Members(source) {
		switch name {
		case "kind", "name", "locator":
			session = append(append(session, value...), 0)
		}
	}
	return session
}

// renew writes the current note of the text anew, if there is one: what the call says of it besides
// is added to it, and it is as new as the call. Who said it first is still its source.
func (a *addition) renew(ctx context.Context, tx *mem.Tx) (p mem.Checked, err error) {
	folded := content.FoldText(a.text)
	i := slices.IndexFunc(a.notes, func(rec log.Record) bool {
		return says(rec, folded, a.options)
	})
	if i < 0 {
		return p, nil
	}
	rec := a.notes[i]
	a.Known, a.Key = true, rec.Key
	a.ID, _ = idOf(rec.Key)
	a.replaced = slices.DeleteFunc(a.replaced, func(old log.Record) bool {
		return old.Key == rec.Key
	})
	text, err := a.renewed(rec)
	if err != nil {
		return p, err
	}
	// By its scope, as a new one: in one group with the call that made it, it is not stored yet.
	scope, id, _ := Split(rec.Key)
	p, err = a.op.Check(ctx, mem.Write{Key: scope, Content: text, Source: rec.Source}, false)
	if err != nil {
		return p, err
	}
	if p, err = p.Named(id); err != nil {
		return p, err
	}
	return p, tx.Put(p)
}

// renewed returns the content of a note with what the call adds to it.
func (a *addition) renewed(rec log.Record) ([]byte, error) {
	m := jsontext.ParseMembers(rec.Content).Without("created_at").Without("timestamp")
	f := content.Parse(rec.Content)
	tags := f.Tags
	for _, tag := range a.options.Tags {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	if len(tags) > len(f.Tags) {
		m = m.With("tags", jsontext.AppendStrings(nil, tags))
	}
	if a.options.Importance != nil {
		m = m.With("importance", a.options.Importance)
	}
	if a.options.Pinned {
		m = m.With("pinned", []byte("true"))
	}
	return m.Object(), policy.CheckNote(f.Text, tags)
}
