package edit

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Fields are the members of a memory as a form shows them, and as a person types them.
type Fields struct {
	Summary, Text, Type string
	Tags                []string
	Importance          string // a number from 0 to 10; "": none
	Expires             string // a time, in UTC; "": none
	Pinned              bool
}

// expiryLayout is the spelling of a time in a form: browsers send it without a zone.
const expiryLayout = "2006-01-02T15:04"

// FieldsOf returns the fields of content. isText is false for content that a form would not show in
// full, as JSON does: its text is in other members, or has characters that do not show.
func FieldsOf(text []byte) (f Fields, isText bool) {
	p := content.Parse(text)
	f = Fields{Summary: p.Summary, Text: p.Text, Type: p.Type, Tags: p.Tags, Pinned: p.Pinned}
	if p.HasExpiry {
		f.Expires = p.Expires.Time().Format(expiryLayout)
	}
	if m := jsontext.ParseMembers(text); m.Get("importance") != nil {
		f.Importance = strconv.FormatFloat(p.Importance*10, 'g', 4, 64)
	}
	all := jsontext.AppendStrings(nil, append([]string{f.Summary, f.Text, f.Type}, f.Tags...))
	return f, f.Summary+f.Text != "" && bytes.Equal(jsontext.AppendVisible(nil, all), all)
}

// importance returns a number from 0 to 10 as content has it: 1 alone would be read as the most.
func (f Fields) importance() ([]byte, error) {
	n, err := strconv.ParseFloat(f.Importance, 64)
	if err != nil || !(n >= 0 && n <= 10) {
		return nil, &request.Error{Member: "importance", Value: f.Importance,
			Why: "want a number from 0 to 10"}
	}
	if n <= 1 {
		n /= 10
	}
	return strconv.AppendFloat(nil, n, 'f', -1, 64), nil
}

// expiry returns the expiry as content has it.
func (f Fields) expiry() ([]byte, error) {
	at, err := log.ParseTime(f.Expires)
	if err != nil {
		return nil, &request.Error{Member: "expires", Why: err.Error()}
	}
	return jsontext.AppendString(nil, at.String()), nil
}

// applyTo changes the members whose field differs; all others keep their bytes.
func (f Fields) applyTo(m members) (members, error) {
	was, _ := FieldsOf(m.Object())
	in := content.TextMember(was.Type)
	if m.Get("text") != nil || m.Get(in) == nil {
		in = "text"
	}
	if f.Type != was.Type && in != "text" { // another type has its text elsewhere
		m, in, was.Text = m.Without(in), "text", ""
	}
	for _, one := range []struct{ name, is, was string }{{"type", f.Type, was.Type},
		{"summary", f.Summary, was.Summary}, {in, f.Text, was.Text}} {
		if one.is != one.was {
			m = withText(m, one.name, one.is)
		}
	}
	for _, one := range []struct {
		name, is, was string
		value         func() ([]byte, error)
	}{{"importance", f.Importance, was.Importance, f.importance},
		{"expired_at", f.Expires, was.Expires, f.expiry}} {
		if one.is == one.was {
			continue
		}
		if one.is == "" {
			m = m.Without(one.name)
			continue
		}
		value, err := one.value()
		if err != nil {
			return nil, err
		}
		m = m.With(one.name, value)
	}
	switch {
	case slices.Equal(f.Tags, was.Tags):
	case len(f.Tags) == 0:
		m = m.Without("tags")
	default:
		m = m.With("tags", jsontext.AppendStrings(nil, f.Tags))
	}
	switch {
	case f.Pinned && !was.Pinned:
		m = m.With("pinned", []byte("true"))
	case was.Pinned && !f.Pinned:
		m = m.Without("pinned")
	}
	return m, nil
}

// withText returns the members with a text, or without one that is "".
func withText(m members, name, text string) members {
	if text == "" {
		return m.Without(name)
	}
	return m.With(name, jsontext.AppendString(nil, text))
}

// Apply returns content with the fields. The error wraps ErrNoObject, or mem.ErrInput for a field.
func (f Fields) Apply(key keypath.Key, text []byte) ([]byte, error) {
	m, err := membersOf(key, text)
	if err == nil {
		m, err = f.applyTo(m)
	}
	if err != nil {
		return nil, err
	}
	return m.Object(), nil
}

// SetFields stores fields in a version of a key, unless somebody else has written it since. A new
// text is its author's and of now, as with [Replace]; other changes leave its source and its time.
func SetFields(ctx context.Context, s *mem.Store, c mem.Caller, was log.Record, f Fields,
	a Author) (res Result, err error) {
	text, err := f.Apply(was.Key, was.Content)
	if err != nil {
		return res, err
	}
	before, _ := FieldsOf(was.Content)
	switch {
	case jsontext.Equal(text, was.Content):
		return unchanged(s, was), nil
	case f.Text != before.Text || f.Summary != before.Summary || f.Type != before.Type:
		return Replace(ctx, s, c, was, text, a)
	}
	if err := cmp.Or(MayEdit(was.Key), checkNote(was, text)); err != nil {
		return res, err
	}
	j, err := begin(ctx, s, c, policy.Edit, a)
	if err != nil {
		return res, err
	}
	one, err := j.keeping(was, text, a.kept(j.op, j.verb, was.Source, 0))
	if err == nil {
		res, err = j.putOne(one)
	}
	return res, err
}

// Added is a memory that [Add] has stored.
type Added struct {
	mem.Outcome
	Store *mem.Store // that has it
	Known bool       // a note said the same, and was renewed
}

// Add stores fields as a new memory of a person in one of the layers: under a key that has no
// memory, or as a note if the key is zero.
func Add(ctx context.Context, l *mem.Layers, c mem.Caller, in *site.Site, key keypath.Key,
	f Fields) (added Added, err error) {
	f.Text = strings.TrimSpace(f.Text)
	if key.IsZero() {
		return addNote(ctx, l, c, in, f)
	}
	if f.Text == "" {
		return added, &request.Error{Member: "text", Why: "it is empty"}
	}
	text, err := f.Apply(key, []byte("{}"))
	if err == nil {
		added.Store, err = l.Open(in)
	}
	if err != nil {
		return added, err
	}
	j, err := begin(ctx, added.Store, c, policy.Set, Author{})
	if err != nil {
		return added, err
	}
	at := log.Record{Envelope: log.Envelope{Key: key}}
	one, err := j.check(at, text, j.op.Source("user", j.verb, "key", key.String()))
	if err == nil {
		var res Result
		res, err = j.putOne(change{write: one.write})
		added.Outcome = res.Outcome
	}
	return added, err
}

func addNote(ctx context.Context, l *mem.Layers, c mem.Caller, in *site.Site, f Fields) (
	added Added, err error) {
	o := note.Options{Tags: f.Tags, Pinned: f.Pinned, Type: f.Type, Scope: note.DefaultScope}
	if in.Layer == site.User {
		o.Scope = site.User
	}
	if f.Importance != "" {
		o.Importance, err = f.importance()
	}
	if f.Expires != "" && err == nil {
		o.Expires, err = f.expiry()
	}
	if err != nil {
		return added, err
	}
	s, _, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return added, err
	}
	j, err := begin(ctx, s, c, policy.Note, Author{})
	if err != nil {
		return added, err
	}
	o.Source = j.op.Source("user", j.verb, "scope", o.Scope)
	stored, err := note.Add(ctx, s, c, f.Text, o)
	if err != nil {
		return added, err
	}
	rec, err := stored.Store.Get(ctx, c, stored.Key, true)
	return Added{mem.Outcome{Key: stored.Key, TS: rec.TS, Valid: true}, stored.Store,
		stored.Known}, err
}
