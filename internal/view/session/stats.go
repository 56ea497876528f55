package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Counts are how many records of each type a session has.
type Counts struct {
	Conversations int `json:"conversations"`
	Decisions     int `json:"decisions"`
	Findings      int `json:"findings"`
	Preferences   int `json:"preferences"`
}

func (c *Counts) add(kind string) {
	switch kind {
	case "conversation":
		c.Conversations++
	case "decision":
		c.Decisions++
	case "finding":
		c.Findings++
	case "preference":
		c.Preferences++
	}
}

// Summary is a session as a list shows it. All but what it settles is counted when it is asked for.
type Summary struct {
	ID           string     `json:"session_id"`
	User         string     `json:"user_id"`
	Created      log.Stamp  `json:"created_at"`
	Closed       *log.Stamp `json:"closed_at,omitempty"`
	LastWritten  log.Stamp  `json:"last_accessed"` // the newest write: reading leaves no trace
	Entries      int        `json:"total_entries"`
	Bytes        int64      `json:"total_size_bytes"`
	Counts       Counts     `json:"statistics"`
	LastCompact  *log.Stamp `json:"last_compaction,omitempty"`
	DamagedLines int        `json:"damaged_lines"`
	Version      int        `json:"version"` // of the metadata
	// Preferences are what the session settles of language, verbosity and the like.
	Preferences json.RawMessage `json:"preferences,omitempty"`

	session *Session
}

// Session returns the metadata of the session.
func (s *Summary) Session() *Session { return s.session }

// summaryOf returns a session that nothing was counted of yet.
func summaryOf(one *Session) *Summary {
	sum := &Summary{ID: one.ID, User: one.User, Created: one.Created, LastWritten: one.ts,
		Version: one.Version, Preferences: one.members.Get("preferences"), session: one}
	if one.Closed != 0 {
		sum.Closed = &one.Closed
	}
	if one.LastCompaction != 0 {
		sum.LastCompact = &one.LastCompaction
	}
	return sum
}

func (s *Summary) count(rec log.Record) {
	f := content.Parse(rec.Content)
	s.Entries++
	s.Counts.add(f.Type)
	s.LastWritten = max(s.LastWritten, rec.TS)
}

// List returns the sessions there are, by their ids, with what they hold.
func List(ctx context.Context, s *mem.Store, c mem.Caller) (list []*Summary, err error) {
	below := keypath.MustPrefix(keypath.Sessions)
	byID := map[string]*Summary{}
	err = s.List(ctx, c, mem.Filter{Prefix: below}, func(rec log.Record) error {
		switch rec.Key.Class() {
		case keypath.SessionInfo: // by key, so before its records
			sum := summaryOf(parse(rec.Clone()))
			list, byID[sum.ID] = append(list, sum), sum
		case keypath.Remembered:
			if sum := byID[idOf(rec.Key)]; sum != nil {
				sum.count(rec)
			}
		}
		return nil
	})
	if err == nil {
		err = measure(ctx, s, c, list...)
	}
	return list, err
}

// IDs returns the ids of the sessions there are, in their order: at less cost than List.
func IDs(ctx context.Context, s *mem.Store, c mem.Caller) (ids []string, err error) {
	list, err := all(ctx, s, c)
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids, err
}

// measure sets the sizes of sessions, all of one moment.
func measure(ctx context.Context, store *mem.Store, c mem.Caller, list ...*Summary) error {
	below := make([]keypath.Prefix, len(list))
	for i, s := range list {
		below[i] = prefixOf(s.ID)
	}
	found, err := store.Reader(c).Sizes(ctx, below...)
	if err != nil {
		return err
	}
	for i, s := range list {
		s.Bytes = s.session.head().Size(found[i].Live, found[i].Deleted)
	}
	return nil
}

// each calls fn for every live record of sessions below a key.
func each(ctx context.Context, s *mem.Store, c mem.Caller, below string,
	fn func(log.Record) error) error {
	prefix, err := keypath.ParsePrefix(below)
	if err != nil {
		return err
	}
	return s.List(ctx, c, mem.Filter{Prefix: prefix}, func(rec log.Record) error {
		if rec.Key.Class() != keypath.Remembered {
			return nil
		}
		return fn(rec)
	})
}

// Show returns a session with what it holds. The error wraps ErrNotFound or ErrUnversioned.
func Show(ctx context.Context, s *mem.Store, c mem.Caller, id string) (*Summary, error) {
	one, err := Load(ctx, s, c, id)
	if err != nil {
		return nil, err
	}
	sum := summaryOf(one)
	err = each(ctx, s, c, keypath.Sessions+"/"+id, func(rec log.Record) error {
		if policy.IsUnversioned(rec) {
			return policy.UnversionedError(rec.Key)
		}
		sum.count(rec)
		return nil
	})
	if err == nil {
		err = measure(ctx, s, c, sum)
	}
	return sum, err
}

// Stats is [Show] with the session's unreadable lines, for which it reads the history.
func Stats(ctx context.Context, s *mem.Store, c mem.Caller, id string) (*Summary, error) {
	sum, err := Show(ctx, s, c, id)
	if err != nil {
		return nil, err
	}
	sum.DamagedLines, _, err = fold(ctx, s, id)
	return sum, err
}

// Rebuild folds a session anew from log and archives, as if nothing else were there, and returns
// how many entries it has, and how many of its lines cannot be read. The error wraps
// ErrNotFound or ErrUnversioned.
func Rebuild(ctx context.Context, s *mem.Store, c mem.Caller, id string) (
	entries, damaged int, err error) {
	if _, err := Load(ctx, s, c, id); err != nil {
		return 0, 0, err
	}
	damaged, newest, err := fold(ctx, s, id)
	now := nowOf(s, c)
	for key, rec := range newest {
		if key.Class() != keypath.Remembered || !rec.Valid() || content.Expired(rec.Content, now) {
			continue
		}
		if policy.IsUnversioned(rec) {
			return 0, 0, policy.UnversionedError(key)
		}
		entries++
	}
	return entries, damaged, err
}

// Unversioned returns the keys of the records of sessions that name no version, in their order.
func Unversioned(ctx context.Context, s *mem.Store, c mem.Caller) (keys []keypath.Key, err error) {
	below := keypath.MustPrefix(keypath.Sessions)
	err = s.List(ctx, c, mem.Filter{Prefix: below, Expired: true}, func(rec log.Record) error {
		if policy.IsUnversioned(rec) {
			keys = append(keys, rec.Key)
		}
		return nil
	})
	return keys, err
}

// fold returns the newest record of each key of a session in the history, and how many of its lines
// cannot be read.
func fold(ctx context.Context, s *mem.Store, id string) (
	damaged int, newest map[keypath.Key]log.Record, err error) {
	newest = map[keypath.Key]log.Record{}
	below := prefixOf(id)
	for rec, err := range s.HistoryBelow(ctx, below) {
		var d *log.Damage
		switch {
		case errors.As(err, &d):
			if shown := log.ShownKey(d.Raw).String(); strings.HasPrefix(shown, below.String()+"/") {
				damaged++
			}
			continue
		case err != nil:
			return damaged, nil, err
		}
		if !below.Holds(rec.Key) {
			continue
		}
		if old, is := newest[rec.Key]; !is || rec.Wins(old) {
			newest[rec.Key] = rec.Clone()
		}
	}
	return damaged, newest, nil
}

// InForce returns the settings of a session that hold now, its own and those of the store: for
// people, as an object.
func InForce(ctx context.Context, s *mem.Store, one *Session) ([]byte, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil {
		return nil, err
	}
	r := one.Rules(conf)
	conf = r.Config
	var decay, types, compaction, o jsontext.Object
	decay.Raw("enabled", boolean(conf.Decay.Enabled))
	for _, kind := range r.types() {
		var of jsontext.Object
		if hours, decays := r.HalfLife(kind); decays {
			of.Raw("half_life_hours", plainFloat(hours))
		} else {
			of.Raw("decay_enabled", boolean(false))
		}
		types.Raw(kind, of.Bytes())
	}
	hours, _ := r.HalfLife("")
	decay.Raw("half_life_hours", plainFloat(hours))
	decay.Raw("min_decay_factor", plainFloat(conf.Decay.MinDecayFactor))
	decay.Raw("type_specific", types.Bytes())
	compaction.Raw("auto_compact", boolean(conf.Storage.AutoCompact))
	compaction.Raw("threshold", plainFloat(conf.Storage.CompactionThreshold))
	o.Raw("decay_config", decay.Bytes())
	o.Raw("compaction_config", compaction.Bytes())
	o.Raw("max_session_size_mb", plainFloat(conf.Storage.MaxSessionSizeMB))
	return o.Bytes(), nil
}
