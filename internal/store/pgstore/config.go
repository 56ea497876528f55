package pgstore

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
)

// settings is the configuration that this process knows.
type settings struct {
	rounds rounds

	mu      sync.Mutex
	version int64 // counts the changes; 0: there is none
	text    []byte
}

// Config returns the text of the configuration and its version, which counts its changes.
func (s *Store) Config(ctx context.Context, have string) (text []byte, version string, err error) {
	if s.place.FromCopy {
		return nil, "", nil // each setting has its default
	}
	if err := s.settings.rounds.join(ctx, s.askConfig); err != nil {
		return nil, "", ofContext(ctx, err)
	}
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	if s.settings.version > 0 {
		version = strconv.FormatInt(s.settings.version, 10)
	}
	if version == have {
		return nil, version, nil
	}
	return bytes.Clone(s.settings.text), version, nil
}

// askConfig asks for the configuration, if it is another than the one that is known.
func (s *Store) askConfig() error {
	k := &s.settings
	return s.reading(s.follow.ctx, func() error {
		var version int64
		var text []byte
		err := s.spare().QueryRow(s.follow.ctx, `SELECT config_version,
			CASE WHEN config_version <> $2 THEN config END
			FROM mem.spaces WHERE name = $1`, s.place.Space, k.version).Scan(&version, &text)
		if errors.Is(err, pgx.ErrNoRows) {
			return s.noSpace()
		}
		if err == nil && version != k.version {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.version, k.text = version, text
		}
		return err
	})
}

// UpdateBy is Update by a version of the configuration, which the statement of the commit compares:
// nobody has to be asked for it before.
func (s *Store) UpdateBy(ctx context.Context, c backend.Caller, op, version string,
	fn func(backend.Tx) error) error {
	return s.Update(ctx, c, op, func(tx backend.Tx) error {
		if err := tx.(update).of.goBy(version); err != nil {
			return err
		}
		return fn(tx)
	})
}

type update struct {
	*overlay.Tx
	of *attempt
}

// goBy makes a version of the configuration the one that the attempt goes by. Those that go by
// another one come again: one of the two is old.
func (a *attempt) goBy(version string) error {
	n, _ := strconv.ParseInt(version, 10, 64) // "" is 0: there is none
	if a.config == nil {
		a.config = &n
	}
	if *a.config != n {
		return backend.ErrConfig
	}
	return nil
}

func (a *attempt) isAt(version int64) bool { return a.config == nil || *a.config == version }

// SetConfig replaces the configuration by what change makes of it, while nobody writes.
func (s *Store) SetConfig(ctx context.Context, _ backend.Caller,
	change func([]byte) ([]byte, error)) error {
	var wanted []byte
	run := func(t *pgx.Conn, _ head) error {
		var text []byte
		err := t.QueryRow(ctx, "SELECT config FROM mem.spaces WHERE name = $1", s.place.Space).
			Scan(&text)
		if err != nil {
			return err
		}
		next, err := change(text)
		if err != nil {
			return callersError{err}
		}
		if bytes.Equal(next, text) {
			return errNothing
		}
		_, err = t.Exec(ctx, `UPDATE mem.spaces SET config = $2,
			config_version = config_version + 1 WHERE name = $1`, s.place.Space, string(next))
		wanted = next
		return err
	}
	isDone := func(ctx context.Context, t *pgx.Conn, _ head) (done bool, err error) {
		err = t.QueryRow(ctx, "SELECT config = $2 FROM mem.spaces WHERE name = $1",
			s.place.Space, string(wanted)).Scan(&done)
		return done, err
	}
	return s.excluding(ctx, exclusive{run, isDone})
}

// errNothing ends a transaction that has nothing to commit.
var errNothing = errors.New("nothing to do")

// callersError is an error of the caller's function, which the caller gets unchanged.
type callersError struct{ error }

// exclusive is a transaction that nobody else may write beside.
type exclusive struct {
	run func(*pgx.Conn, head) error
	// isDone reports whether run was committed, by what it left; head is that which run was given.
	isDone func(context.Context, *pgx.Conn, head) (bool, error)
}

// excluding runs a transaction while nobody else writes to the space: what it did is committed
// unless it fails. A crash before the commit leaves nothing of it. Where the answer to the commit
// is lost, it is looked at what it left, and run again if that is nothing.
func (s *database) excluding(ctx context.Context, x exclusive) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.writable(); err != nil {
		return err
	}
	var lost *head
	err := s.exclude(ctx, x, &lost)
	for try := 1; try <= tries && ctx.Err() == nil && isBroken(err); try++ {
		pause(ctx, try)
		err = s.exclude(ctx, x, &lost)
	}
	if err != nil && lost != nil {
		return &backend.UnknownError{Err: err}
	}
	return err
}

// exclude is one try of excluding. lost is the head of one whose answer was lost; nil: none was.
func (s *database) exclude(ctx context.Context, x exclusive, lost **head) error {
	l, err := s.lock(ctx, s.o.LockWait)
	if err != nil {
		return ofContext(ctx, s.lockFailure(err))
	}
	defer l.release()
	if *lost != nil {
		done, err := x.isDone(ctx, l.tx, **lost)
		if err != nil || done {
			return failure(err)
		}
	}
	err = x.run(l.tx, l.head)
	if own := (callersError{}); errors.As(err, &own) {
		return own.error
	}
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return failure(err)
	}
	err = l.commit(ctx)
	s.known.forget()
	if err != nil && mayBeStored(err, l.conn.Conn) {
		at := l.head
		*lost = &at
		return broken(err)
	}
	*lost = nil
	return failure(err)
}
