package note

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// renewing returns the options for a note that the user's store has, which holds in every project:
// the same note in a project renews it, and adds nothing. ok is false if the user's store does not
// have the text, or the new note is to be pinned and the stored one is not.
func (o Options) renewing(ctx context.Context, c mem.Caller, text string) (
	with Options, ok bool, err error) {
	if o.User == nil || len(o.Replaces) > 0 {
		return o, false, nil
	}
	with = Options{Scope: o.Scope, Source: o.Source, AllowSecrets: o.AllowSecrets,
		filed: true, renews: true}
	now := cmp.Or(c.Now, log.StampOf(o.User.Now()))
	notes, known, err := notesOf(ctx, o.User.Reader(c).ScanBelow, now, text, with)
	ok = known >= 0 && (!o.Pinned || policy.IsPinned(notes[known], false))
	return with, ok, err
}

// notesOf returns the notes that have not expired, and the index of the one that has the text and
// all readers of the new note; -1 for none.
func notesOf(ctx context.Context,
	below func(context.Context, keypath.Prefix) iter.Seq2[log.Record, error], now log.Stamp,
	text string, o Options) (notes []log.Record, known int, err error) {
	prefix := keypath.MustPrefix(keypath.Notes)
	known, text = -1, content.FoldText(text)
	for rec, err := range below(ctx, prefix) {
		if err != nil {
			return nil, -1, err
		}
		f := content.Parse(rec.Content)
		if _, ok := keypath.NoteID(rec.Key); !ok || f.Text == "" || f.Expired(now) {
			continue
		}
		if known < 0 && mayFoldTo(text, f.Text) && content.FoldText(f.Text) == text &&
			o.mayRenew(rec, &f) {
			known = len(notes)
		}
		notes = append(notes, rec.Clone())
	}
	return notes, known, nil
}

// mayFoldTo reports whether the form of a text may be a folded one, at less cost: plain letters
// stay what they are.
func mayFoldTo(folded, text string) bool {
	text = strings.TrimSpace(text)
	return len(text) < 2 || text[0]|text[1] >= utf8.RuneSelf ||
		strings.HasPrefix(folded, strings.ToLower(text[:1]))
}

// mayRenew reports whether a note of the text stands for the new one: its line shows the text, all
// readers of the new note can read it, and it was let in.
func (o Options) mayRenew(rec log.Record, f *content.Fields) bool {
	return f.SupersededBy == "" && strings.TrimSpace(f.Summary) == "" && isFor(rec, o) &&
		!(o.filed && layers.IsUnfiled(rec.Key)) && (o.Seen == nil || o.Seen(rec))
}

// isFor reports whether all readers of the new note can read a stored one: a note of a conversation
// is hidden from every other conversation.
func isFor(rec log.Record, o Options) bool {
	return rec.Key.Class() != keypath.Session || o.Scope == "session" &&
		bytes.Equal(sessionOf(rec.Source), sessionOf(o.Source))
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

// renew writes the current note of the text anew: what the call says of it besides is added to it,
// and it is as new as the call.
func (a *addition) renew(ctx context.Context, tx *mem.Tx, rec log.Record) (
	p mem.Checked, err error) {
	a.Known, a.Key = true, rec.Key
	a.ID, _ = keypath.NoteID(rec.Key)
	a.replaced = slices.DeleteFunc(a.replaced, func(old log.Record) bool {
		return old.Key == rec.Key
	})
	text, err := a.renewed(rec)
	if err != nil {
		return p, err
	}
	// By its scope, as a new one: in one group with the call that made it, it is not stored yet.
	scope, id, _ := Split(rec.Key)
	w := mem.Write{Key: scope, Content: text, Source: a.renewedSource(rec)}
	p, err = a.op.Check(ctx, w, false)
	if err != nil {
		return p, err
	}
	if origin := a.op.ClaimOf(rec); origin != "" {
		p = p.Claimed(origin)
	}
	if p, err = p.Named(id); err != nil || a.op.MayChange(rec) != nil {
		return p, err // a rule of the user is known as it is
	}
	return p, tx.Put(p)
}

// renewed returns the content of a note with what the call adds to it: nothing where the call is
// from elsewhere and the note is not, so that no page of the web makes a rule of what a user said.
func (a *addition) renewed(rec log.Record) ([]byte, error) {
	m := jsontext.ParseMembers(rec.Content)
	for _, name := range []string{"created_at", "timestamp", "expired_at"} {
		m = m.DropName(name)
	}
	f := content.Parse(rec.Content)
	if content.IsOwn(rec.Source) && !content.IsOwn(a.options.Source) {
		return m.Object(), nil
	}
	tags := f.Tags
	for _, tag := range a.options.Tags {
		if !slices.Contains(tags, tag) && len(tags) < policy.MaxNoteTags {
			tags = append(tags, tag)
		}
	}
	if len(tags) > len(f.Tags) {
		m = m.With("tags", jsontext.AppendStrings(nil, tags))
	}
	if a.options.Importance != nil {
		m = m.With("importance", a.options.Importance)
	}
	if len(a.options.Files) > 0 {
		m = m.With("files", content.AppendFiles(nil, a.options.Files))
	}
	if a.options.Expires != nil {
		m = m.With("expired_at", a.options.Expires)
	}
	if a.options.Pinned {
		m = m.With("pinned", []byte("true"))
	}
	return m.Object(), policy.CheckNote(f.Text, tags)
}

// renewedSource returns the source of a renewed note: the first source, and the one that renewed
// it,
//
//	{...,"renewed":{"since":TS,"by":SOURCE}}
//
// or the caller alone, where the note was from elsewhere and the caller is not, and where the user
// has typed it now: then a user or an agent has said it.
func (a *addition) renewedSource(rec log.Record) []byte {
	first, err := jsontext.Compact(nil, rec.Source)
	switch {
	case !content.IsOwn(rec.Source) && content.IsOwn(a.options.Source),
		policy.QuotesPrompt(a.options.Source) && !policy.QuotesPrompt(rec.Source) &&
			!isRule(rec): // else the user would vouch for another's pin
		return a.options.Source
	case err != nil || len(first) == 0 || first[0] != '{':
		return rec.Source
	}
	since, _ := Renewal(rec)
	var o jsontext.Object
	o.Text("since", since.String())
	o.Raw("by", a.options.Source)
	source := jsontext.ParseMembers(first).With("renewed", o.Bytes()).Object()
	if a.options.Pinned && !content.Parse(rec.Content).Pinned {
		by := a.options.Source
		if kind := content.Origin(by); kind == "" || kind == "user" {
			by = nil
		}
		return policy.PinSource(a.op.Caller(), by, source)
	}
	return source
}

func isRule(rec log.Record) bool {
	f := content.Parse(rec.Content)
	return f.IsRule()
}

// Renewal returns the time at which the source of a record wrote its text, and the source of the
// last renewal; nil: the note was never renewed. An edit leaves the time of the text in its
// content.
func Renewal(rec log.Record) (since log.Stamp, by []byte) {
	f := content.Parse(rec.Content)
	since = f.Time(rec.TS)
	for name, value := range jsontext.Members(rec.Source) {
		if name != "renewed" {
			continue
		}
		for name, value := range jsontext.Members(value) {
			switch name {
			case "since":
				if at, err := log.ParseTime(jsontext.Unquote(value)); err == nil {
					since = at
				}
			case "by":
				by = value
			}
		}
	}
	return since, by
}
