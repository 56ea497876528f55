package forget

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
)

// Selection is what is to go: these keys, or all that meets the conditions (S-38). Of the
// conditions all hold together.
type Selection struct {
	Keys       []keypath.Key
	Conditions mem.SearchOptions // prefix, types, tags, since and until; the rest does not count
	Text       string            // stands in the key, in content or in source, in any case
	All        bool              // also what the caller is not shown by itself
}

// Match is a memory that is to go.
type Match struct {
	Key      string    `json:"key"`
	TS       log.Stamp `json:"ts"` // of the newest version that matches
	Time     log.Stamp `json:"-"`  // of the memory, see content.Fields.Time
	Type     string    `json:"type,omitempty"`
	Summary  string    `json:"summary"`
	Versions int       `json:"versions,omitempty"` // in the history, for a purge
	Deleted  bool      `json:"deleted,omitempty"`  // the newest version is a tombstone
	Layer    string    `json:"layer,omitempty"`
}

// Live returns what is live and selected, by key. Of given keys those without a live memory are not
// in it.
func Live(ctx context.Context, s *mem.Store, c mem.Caller, sel Selection) ([]Match, error) {
	f, err := sel.filter(c)
	if err != nil {
		return nil, err
	}
	var found []Match
	filter := mem.Filter{Prefix: sel.Conditions.Prefix, Expired: true}
	err = s.List(ctx, c, filter, func(rec log.Record) error {
		if f.takes(rec) {
			found = append(found, matchOf(rec))
		}
		return nil
	})
	return found, err
}

// Ever returns what is selected and has, or ever had, a version that is: by key, with the number of
// all its versions.
func Ever(ctx context.Context, s *mem.Store, c mem.Caller, sel Selection) ([]Match, error) {
	f, err := sel.filter(c)
	if err != nil {
		return nil, err
	}
	found := map[keypath.Key]*Match{}
	newest := map[keypath.Key]log.Stamp{}
	err = s.Everything(ctx, func(rec log.Record) error {
		m := found[rec.Key]
		if m == nil && f.takes(rec) {
			fresh := matchOf(rec)
			m = &fresh
			found[rec.Key] = m
		}
		if m != nil && rec.TS >= newest[rec.Key] {
			newest[rec.Key], m.Deleted = rec.TS, !rec.Valid()
			if f.takes(rec) && rec.Valid() {
				*m = matchOf(rec)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return count(ctx, s, found)
}

// count adds how many versions each match has.
func count(ctx context.Context, s *mem.Store, found map[keypath.Key]*Match) ([]Match, error) {
	var list []Match
	if len(found) == 0 {
		return nil, nil
	}
	versions := map[keypath.Key]map[log.Stamp]bool{}
	err := s.Everything(ctx, func(rec log.Record) error {
		if found[rec.Key] != nil {
			if versions[rec.Key] == nil {
				versions[rec.Key] = map[log.Stamp]bool{}
			}
			versions[rec.Key][rec.TS] = true
		}
		return nil
	})
	for key, m := range found {
		m.Versions = len(versions[key])
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b Match) int { return strings.Compare(a.Key, b.Key) })
	return list, err
}

func matchOf(rec log.Record) Match {
	f := content.Parse(rec.Content)
	return Match{Key: rec.Key.String(), TS: rec.TS, Time: f.Time(rec.TS), Type: f.Type,
		Deleted: !rec.Valid(),
		Summary: mem.Shown(readout.Short(rec.Content, f))}
}

// Keys returns the keys of matches.
func Keys(matches []Match) ([]keypath.Key, error) {
	keys := make([]keypath.Key, len(matches))
	for i, m := range matches {
		var err error
		if keys[i], err = keypath.Parse(m.Key); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// filter is a selection while it is looked for.
type filter struct {
	sel    Selection
	caller mem.Caller
	keys   map[keypath.Key]bool // nil: any
	where  backend.Where
	text   [2]string // as it is, and as JSON spells it
}

func (sel Selection) filter(c mem.Caller) (*filter, error) {
	f := &filter{sel: sel, caller: c}
	var err error
	// What has expired is to go as well.
	if f.where, err = sel.Conditions.Where(log.MinStamp); err != nil {
		return nil, err
	}
	if len(sel.Keys) > 0 {
		f.keys = map[keypath.Key]bool{}
		for _, key := range sel.Keys {
			f.keys[key] = true
		}
	}
	spelled := jsontext.AppendString(nil, strings.ToLower(sel.Text))
	f.text = [2]string{strings.ToLower(sel.Text), string(spelled[1 : len(spelled)-1])}
	return f, nil
}

func (f *filter) takes(rec log.Record) bool {
	if !f.sel.All && !policy.Permits(f.caller, rec.Key) {
		return false // another agent's: to this one it is not there
	}
	if f.keys != nil {
		return f.keys[rec.Key]
	}
	fields := content.Parse(rec.Content)
	return f.where.Prefix.Holds(rec.Key) && f.where.Holds(rec.TS, fields) &&
		f.hasText(rec) && (f.sel.All || policy.Visible(f.caller, rec.Key, fields))
}

func (f *filter) hasText(rec log.Record) bool {
	if f.sel.Text == "" {
		return true
	}
	for _, text := range []string{rec.Key.String(), string(rec.Content), string(rec.Source)} {
		text = strings.ToLower(text)
		if strings.Contains(text, f.text[0]) || strings.Contains(text, f.text[1]) {
			return true
		}
	}
	return false
}

// Delete writes tombstones with a reason; "" for none. Keys without a live memory are missing.
func Delete(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, reason string,
	source []byte) (deleted []mem.Outcome, missing []keypath.Key, err error) {
	op, err := s.Begin(c, "forget")
	if err != nil {
		return nil, nil, err
	}
	if source == nil && reason != "" {
		source = reasonSource(op.Now(), reason)
	}
	return op.Delete(ctx, "user", keys, source)
}

// reasonSource returns the source of a tombstone that says why.
func reasonSource(now log.Stamp, reason string) []byte {
	var o jsontext.Object
	o.Text("kind", "user")
	o.Text("name", "mem forget")
	o.Text("retrieved_at", now.String())
	o.Text("reason", reason)
	return o.Bytes()
}

// Deletion is one deletion in the history (S-39).
type Deletion struct {
	Key    string    `json:"key"`
	TS     log.Stamp `json:"ts"`
	Reason string    `json:"reason,omitempty"` // as given, or what deleted it
	Purged bool      `json:"purged,omitempty"` // its versions are gone for good
	Live   bool      `json:"live,omitempty"`   // it was written again since
	Layer  string    `json:"layer,omitempty"`
}

// Deletions returns the newest deletion of each key that has one, newest first.
func Deletions(ctx context.Context, s *mem.Store, c mem.Caller) ([]Deletion, error) {
	newest := map[keypath.Key]Deletion{}
	written := map[keypath.Key]log.Stamp{}
	err := s.Everything(ctx, func(rec log.Record) error {
		switch {
		case !policy.Visible(c, rec.Key, content.Fields{}):
		case rec.Valid():
			written[rec.Key] = max(written[rec.Key], rec.TS)
		case rec.TS > newest[rec.Key].TS:
			newest[rec.Key] = deletionOf(rec)
		}
		return nil
	})
	var list []Deletion
	for key, d := range newest {
		d.Live = written[key] > d.TS
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Deletion) int {
		return cmp.Or(cmp.Compare(b.TS, a.TS), strings.Compare(a.Key, b.Key))
	})
	return list, err
}

func deletionOf(rec log.Record) Deletion {
	d := Deletion{Key: rec.Key.String(), TS: rec.TS, Reason: mem.SourceSummary(rec.Source)}
	for name, value := range jsontext.Members(rec.Source) {
		switch name {
		case "reason":
			d.Reason = jsontext.Unquote(value)
		case "purged":
			d.Purged = string(value) == "true"
		}
	}
	d.Reason = mem.Shown(d.Reason)
	return d
}

// ErrNothing is returned where no key and no condition says what is to go; it wraps mem.ErrInput.
var ErrNothing = fmt.Errorf("%w: name keys, or say which: --prefix, --tag, --type, --since, "+
	"--until, --session or --grep", mem.ErrInput)
