package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// CreateOptions are what a new session is to be.
type CreateOptions struct {
	ID     string // "": one is made of the day and the user
	User   string // what an id cannot have becomes _ in it
	Config []byte // its own settings, see Settings; nil: none
	// Beside are the stores that are read together with this one: an id that a session ever had in
	// one of them is taken.
	Beside []*mem.Store
}

// IDPrefix is the prefix of the ids that Create makes.
const IDPrefix = "sess_"

// tries is how many ids are asked about at once: each question may read the whole history.
const tries = 32

// Create makes a session and returns its id. The error wraps ErrTaken where the id was ever one,
// or mem.ErrInput.
func Create(ctx context.Context, s *mem.Store, c mem.Caller, o CreateOptions) (
	id string, err error) {
	op, err := s.Begin(c, policy.Session)
	if err != nil {
		return "", err
	}
	config, err := checkConfig(o.Config)
	if err != nil {
		return "", err
	}
	names, err := o.names(op.Now())
	if err != nil {
		return "", err
	}
	elsewhere, err := o.keysElsewhere(ctx)
	if err != nil {
		return "", err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) (err error) {
		if id, err = free(ctx, tx, names, elsewhere); err != nil {
			return err
		}
		made := newSession(id, o.user(), op.Now())
		for name, value := range jsontext.Members(config) {
			made.members = made.members.With(name, value)
		}
		// Records may have come before their session, without a version.
		if live, _, err := tx.Size(ctx, prefixOf(id)); err != nil {
			return err
		} else if live > 0 {
			made.Entries = 0
		}
		p, err := made.write(ctx, op)
		if err != nil {
			return err
		}
		return tx.Put(p)
	})
	if err != nil && mem.KindOf(err) != mem.KindIO {
		return "", err
	}
	logEvent(s, id, "Session created", err)
	return id, err
}

func (o *CreateOptions) user() string { return cmp.Or(o.User, "user") }

// names returns the ids that a session may get, in order: the one that was asked for, or
// sess_<day>_<user>, and with _2, _3 and on where that is taken.
func (o *CreateOptions) names(now log.Stamp) (func(i int) string, error) {
	if o.ID != "" {
		_, err := KeyOf(o.ID)
		return func(i int) string {
			if i > 0 {
				return ""
			}
			return o.ID
		}, err
	}
	user := strings.Map(func(c rune) rune {
		if !keypath.IsSessionID(string(c)) {
			return '_'
		}
		return c
	}, o.user())
	base := IDPrefix + now.Time().UTC().Format("20060102") + "_" + user
	return func(i int) string {
		suffix := ""
		if i > 0 {
			suffix = "_" + strconv.Itoa(i+1)
		}
		return base[:min(len(base), keypath.MaxSessionID-len(suffix))] + suffix
	}, nil
}

// keysElsewhere returns the keys of the sessions that the other stores have or ever had.
func (o *CreateOptions) keysElsewhere(ctx context.Context) (map[keypath.Key]bool, error) {
	keys := map[keypath.Key]bool{}
	for _, s := range o.Beside {
		err := s.Everything(ctx, func(rec log.Record) error {
			if rec.Key.Class() == keypath.SessionInfo {
				keys[rec.Key] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// free returns the first of the names that never was a session's, here or elsewhere.
func free(ctx context.Context, tx *mem.Tx, names func(int) string,
	elsewhere map[keypath.Key]bool) (string, error) {
	for from := 0; ; from += tries {
		var keys []keypath.Key
		for i := from; i < from+tries && names(i) != ""; i++ {
			key, err := KeyOf(names(i))
			if err != nil {
				return "", err
			}
			keys = append(keys, key)
		}
		if len(keys) == 0 {
			return "", fault.Wrap(mem.KindRefused, names(0), ErrTaken,
				advice.Say("an id is never given again").Also(advice.Run("session create").
					Then(" without --id makes one")))
		}
		taken, err := tx.NewestEver(ctx, keys)
		if err != nil {
			return "", err
		}
		for _, key := range keys {
			if _, is := taken[key]; !is && !elsewhere[key] {
				return idOf(key), nil
			}
		}
	}
}

// Load returns a session. The error wraps ErrNotFound or ErrUnversioned.
func Load(ctx context.Context, s *mem.Store, c mem.Caller, id string) (*Session, error) {
	return load(ctx, stored{s, c}, id, nowOf(s, c))
}

// Exists reports whether a session of an id may be there: it is not if the text is no id, or no
// session has it. Where a store cannot be read, the next call says so.
func Exists(ctx context.Context, s *mem.Store, c mem.Caller, id string) bool {
	_, err := Load(ctx, s, c, id)
	return !errors.Is(err, ErrNotFound) && !errors.Is(err, mem.ErrInput)
}

// stored reads a store as an update does.
type stored struct {
	store  *mem.Store
	caller mem.Caller
}

// Get returns the newest live record of a key.
func (r stored) Get(ctx context.Context, key keypath.Key) (log.Record, bool, error) {
	rec, err := r.store.Get(ctx, r.caller, key, true)
	if errors.Is(err, mem.ErrNotFound) {
		return rec, false, nil
	}
	return rec, err == nil, err
}

// change changes the metadata of a session, in one update.
func change(ctx context.Context, s *mem.Store, c mem.Caller, id string,
	fn func(*Session, log.Stamp) (changed bool, err error)) (*Session, error) {
	op, err := s.Begin(c, policy.Session)
	if err != nil {
		return nil, err
	}
	w, err := writerTo(ctx, op, id)
	if err != nil {
		return nil, err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) (err error) {
		if w.session, err = load(ctx, tx, id, op.Now()); err != nil {
			return err
		}
		if w.session.Version > Version {
			return w.session.writable()
		}
		if err := w.checkVersions(tx); err != nil {
			return err
		}
		changed, err := fn(w.session, op.Now())
		if !changed || err != nil {
			return err
		}
		return w.save(tx)
	})
	return w.session, err
}

// Close closes a session: it takes no new record. The error wraps ErrNotFound.
func Close(ctx context.Context, s *mem.Store, c mem.Caller, id string) (*Session, error) {
	closed, err := change(ctx, s, c, id, func(one *Session, now log.Stamp) (bool, error) {
		if one.Closed != 0 {
			return false, nil
		}
		one.Closed = now
		return true, nil
	})
	logEvent(s, id, "Session closed", err)
	return closed, err
}

// Reopen takes a Close back. The error wraps ErrNotFound.
func Reopen(ctx context.Context, s *mem.Store, c mem.Caller, id string) (*Session, error) {
	opened, err := change(ctx, s, c, id, func(one *Session, _ log.Stamp) (bool, error) {
		changed := one.Closed != 0
		one.Closed = 0
		return changed, nil
	})
	logEvent(s, id, "Session opened again", err)
	return opened, err
}

// Delete deletes a session with all that is in it, in one update, and returns how many
// records it had: also a session that the other verbs refuse. The error wraps ErrNotFound.
func Delete(ctx context.Context, s *mem.Store, c mem.Caller, id, reason string) (
	n int, err error) {
	if !s.Exists() {
		return 0, notFound(id)
	}
	op, err := s.Begin(c, policy.Session)
	if err != nil {
		return 0, err
	}
	_, err = op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		n = -1 // the session itself
		if _, err := find(ctx, tx, id, op.Now()); err != nil {
			return err
		}
		var list []mem.Checked
		for rec, err := range tx.ScanBelow(ctx, prefixOf(id)) {
			if err != nil {
				return err
			}
			p, err := op.Tombstone(ctx, rec.Key, "user", deletionSource(op, id, reason))
			if err != nil {
				return err
			}
			list = append(list, p)
			n++
		}
		return tx.Put(list...)
	})
	logEvent(s, id, "Session deleted", err)
	return max(n, 0), err
}

func deletionSource(op *mem.Operation, id, reason string) []byte {
	source := op.Source("user", "mem session delete", "session", id)
	if reason == "" {
		return source
	}
	return jsontext.ParseMembers(source).With("reason", jsontext.AppendString(nil, reason)).Object()
}

func isClosed(err error) bool { return errors.Is(err, ErrClosed) }

// shortNumber returns a relevance with three decimals.
func shortNumber(v float64) string { return fmt.Sprintf("%.3f", v) }
