package edit

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
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

// values returns importance and expiry as content has them; nil: none.
func (f Fields) values() (importance, expires []byte, err error) {
	if f.Importance != "" {
		n, err := strconv.ParseFloat(f.Importance, 64)
		if err != nil || !(n >= 0 && n <= 10) {
			return nil, nil, &request.Error{Member: "importance", Value: f.Importance,
				Why: "want a number from 0 to 10"}
		}
		if n <= 1 { // content has it of 1 then
			n /= 10
		}
		importance = strconv.AppendFloat(nil, n, 'f', -1, 64)
	}
	if f.Expires != "" {
		at, err := log.ParseTime(f.Expires)
		if err != nil {
			return nil, nil, &request.Error{Member: "expires", Why: err.Error()}
		}
		expires = quoted(at.String())
	}
	return importance, expires, nil
}

// quoted returns a text as JSON; nil for "".
func quoted(text string) []byte {
	if text == "" {
		return nil
	}
	return jsontext.AppendString(nil, text)
}

// Apply returns content with the fields that differ from its own; all other members keep their
// bytes. The error wraps ErrNoObject, or mem.ErrInput for a field.
func (f Fields) Apply(key keypath.Key, text []byte) ([]byte, error) {
	m, err := membersOf(key, text)
	if err != nil {
		return nil, err
	}
	importance, expires, err := f.values()
	if err != nil {
		return nil, err
	}
	set := func(name string, value []byte, same bool) {
		switch {
		case same:
		case value == nil:
			m = m.DropName(name)
		default:
			m = m.With(name, value)
		}
	}
	was, _ := FieldsOf(text)
	moves := was.Text != "" && m.Get("text") == nil && (f.Text != was.Text || f.Type != was.Type)
	if moves { // from the member that has the text of that type
		m = m.DropName(was.Type).DropName("message")
	}
	var tags, pinned []byte
	if len(f.Tags) > 0 {
		tags = jsontext.AppendStrings(nil, f.Tags)
	}
	if f.Pinned {
		pinned = []byte("true")
	}
	set("type", quoted(f.Type), f.Type == was.Type)
	set("summary", quoted(f.Summary), f.Summary == was.Summary)
	set("text", quoted(f.Text), f.Text == was.Text && !moves)
	set("importance", importance, f.Importance == was.Importance)
	set("expired_at", expires, f.Expires == was.Expires)
	set("tags", tags, slices.Equal(f.Tags, was.Tags))
	set("pinned", pinned, f.Pinned == was.Pinned)
	return m.Object(), nil
}

// SetFields stores fields in a version of a key, unless it was written since; in a tombstone they
// make a new memory. A new text is its author's and of now, as with [Replace].
func SetFields(ctx context.Context, s *mem.Store, c mem.Caller, was log.Record, f Fields,
	a Author) (res Result, err error) {
	before := was.Content
	if !was.Valid() {
		before = []byte("{}")
	}
	text, err := f.Apply(was.Key, before)
	if err != nil {
		return res, err
	}
	if jsontext.Equal(text, was.Content) {
		return unchanged(s, was), nil
	}
	old, _ := FieldsOf(before)
	a.keeps = f.Text == old.Text && f.Summary == old.Summary && f.Type == old.Type
	return Replace(ctx, s, c, was, text, a)
}

// Added is a memory that [Add] has stored.
type Added struct {
	mem.Outcome
	Known bool // a note said the same, perhaps in another layer, and was renewed
}

// Add stores fields as a new memory of a person in one of the layers: under a key that has no
// memory, or as a note if the key is zero.
func Add(ctx context.Context, l *layers.Layers, c mem.Caller, in *site.Site, key keypath.Key,
	f Fields) (added Added, err error) {
	if f.Text = strings.TrimSpace(f.Text); f.Text == "" {
		return added, &request.Error{Member: "text", Why: "it is empty"}
	}
	if key.IsZero() {
		return addNote(ctx, l, c, in, f)
	}
	s, err := l.Open(in)
	if err != nil {
		return added, err
	}
	none := log.Record{Envelope: log.Envelope{Key: key, Content: []byte("null")}}
	res, err := SetFields(ctx, s, c, none, f, Author{})
	return Added{Outcome: res.Outcome}, err
}

func addNote(ctx context.Context, l *layers.Layers, c mem.Caller, in *site.Site, f Fields) (
	added Added, err error) {
	o := note.Options{Tags: f.Tags, Pinned: f.Pinned, Type: f.Type, Scope: note.DefaultScope}
	if in.Layer == site.User {
		o.Scope = site.User
	}
	if o.Importance, o.Expires, err = f.values(); err != nil {
		return added, err
	}
	s, _, o, err := note.Place(ctx, l, c, o)
	if err != nil {
		return added, err
	}
	done, err := note.Add(ctx, s, c, f.Text, o)
	if err != nil {
		return added, err
	}
	rec, err := done.Store.Get(ctx, c, done.Key, true)
	return Added{mem.Outcome{Key: done.Key, TS: rec.TS, Valid: true}, done.Known}, err
}
