package forget

import (
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Match is a memory that is to go.
type Match struct {
	Key      string    `json:"key"`
	TS       log.Stamp `json:"ts"` // of the newest version that matches
	Time     log.Stamp `json:"-"`  // of the memory, see content.Fields.Time
	Type     string    `json:"type,omitempty"`
	Summary  string    `json:"summary"`            // "" for what an agent keeps for itself
	Versions int       `json:"versions,omitempty"` // in the history, for a purge
	Deleted  bool      `json:"deleted,omitempty"`  // the newest version is a tombstone
	Layer    string    `json:"layer,omitempty"`
	Store    string    `json:"store,omitempty"` // the root, where it is none of the call's stores
}

// Place names the store of a match; "" where there is one store.
func (m *Match) Place() string { return placeOf(m.Layer, m.Store) }

func placeOf(layer, store string) string {
	switch {
	case store != "":
		return store
	case layer != "":
		return "the " + layer + " layer"
	}
	return ""
}

// Found holds the matches of a selection.
type Found struct {
	Matches []Match // by key
	// LeftOut counts the memories that meet the conditions and are not selected, because conditions
	// do not reach them: quarantined ones, see Selection.All. Agents' private ones are not counted,
	// because the count would reveal what they say.
	LeftOut int
}

// Live returns the live memories that are selected. Keys without a live memory are not in it.
// The error is a *policy.ReservedError where one is that of a session.
func Live(ctx context.Context, s *mem.Store, c mem.Caller, sel Selection) (found Found, err error) {
	f, err := sel.filter(c, false)
	if err == nil {
		err = sel.checkWhole()
	}
	if err != nil {
		return found, err
	}
	filter := mem.Filter{Prefix: sel.Conditions.Prefix, Expired: true, All: true}
	err = s.List(ctx, c, filter, func(rec log.Record) error {
		if f.takes(rec) {
			found.Matches = append(found.Matches, matchOf(rec))
		}
		return nil
	})
	found.LeftOut = len(f.hidden)
	return found, err
}

// FindEver returns every key of which a current or past version is selected, and the artifacts that
// the events among these have made for themselves.
func FindEver(ctx context.Context, s *mem.Store, c mem.Caller, sel Selection) (
	found Found, err error) {
	f, err := sel.filter(c, true)
	if err != nil {
		return found, err
	}
	matches, made := map[keypath.Key]*Match{}, along{}
	if err := s.Everything(ctx, f.collect(matches, made)); err != nil {
		return found, err
	}
	if err := made.add(ctx, s, matches); err != nil {
		return found, err
	}
	for key := range f.hidden {
		if matches[key] == nil {
			found.LeftOut++
		}
	}
	found.Matches, err = count(ctx, s, matches, sel.Marks)
	return found, err
}

// EverOf is Ever of one key. The error is a *mem.NotFoundError where there never was a memory, or
// only the mark of a purge is left of it.
func EverOf(ctx context.Context, s *mem.Store, c mem.Caller, key keypath.Key) (m Match, err error) {
	found, err := FindEver(ctx, s, c, Selection{Keys: []keypath.Key{key}})
	if err == nil && len(found.Matches) == 0 {
		err = &mem.NotFoundError{Key: key}
	}
	if err != nil {
		return m, err
	}
	return found.Matches[0], nil
}

// collect returns what takes in every selected record, and notes what goes along with it.
func (f *filter) collect(matches map[keypath.Key]*Match, made along) func(log.Record) error {
	newest := map[keypath.Key]log.Stamp{}
	return func(rec log.Record) error {
		selected := f.takes(rec)
		m := matches[rec.Key]
		if m == nil && !selected {
			return nil
		}
		if m == nil {
			fresh := matchOf(rec)
			m = &fresh
			matches[rec.Key] = m
		}
		if rec.TS < newest[rec.Key] {
			return nil
		}
		newest[rec.Key] = rec.TS
		if selected {
			made.note(rec)
		}
		if selected && rec.Valid() {
			*m = matchOf(rec)
		}
		m.Deleted = !rec.Valid()
		return nil
	}
}

// count adds how many versions each match has. The mark of an earlier purge is none: a key
// with nothing else is left out unless marks is set.
func count(ctx context.Context, s *mem.Store, matches map[keypath.Key]*Match, marks bool) (
	list []Match, err error) {
	if len(matches) == 0 {
		return nil, nil
	}
	versions := map[keypath.Key]map[log.Stamp]bool{}
	err = s.Everything(ctx, func(rec log.Record) error {
		if matches[rec.Key] == nil || content.IsPurgeMark(rec) {
			return nil
		}
		if versions[rec.Key] == nil {
			versions[rec.Key] = map[log.Stamp]bool{}
		}
		versions[rec.Key][rec.TS] = true
		return nil
	})
	for key, m := range matches {
		if m.Versions = len(versions[key]); m.Versions > 0 || marks {
			list = append(list, *m)
		}
	}
	slices.SortFunc(list, func(a, b Match) int { return strings.Compare(a.Key, b.Key) })
	return list, err
}

func matchOf(rec log.Record) Match {
	f := content.Parse(rec.Content)
	m := Match{Key: rec.Key.String(), TS: rec.TS, Time: f.Time(rec.TS), Type: f.Type,
		Deleted: !rec.Valid()}
	if rec.Key.Realm().Owner == "" {
		m.Summary = mem.MaskSecrets(readout.Short(rec.Content, f))
	}
	return m
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
