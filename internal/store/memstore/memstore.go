package memstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/overlay"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Store is a memory in memory. It may be used by several goroutines.
type Store struct {
	now  func() time.Time
	turn chan struct{} // its holder may update

	mu       sync.Mutex // guards the fields below; the first four change in a turn
	history  []log.Record
	newest   state.Fold // of each key, tombstones too
	maxTS    log.Stamp  // the newest that was ever written
	numbers  keypath.Counts
	shared   bool // a snapshot goes by newest: it is copied before it is changed
	journals map[string][]byte
	sumKey   [32]byte          // see backend.Journal
	blobs    map[string][]byte // by their sums
	config   []byte
	version  int // of config; counts its changes
}

var (
	_ backend.Backend    = (*Store)(nil)
	_ backend.Configurer = (*Store)(nil)
)

// New returns an empty store, which takes its stamps from now.
func New(now func() time.Time) *Store {
	s := &Store{
		now: now, turn: make(chan struct{}, 1), newest: state.Fold{}, maxTS: log.MinStamp,
		journals: map[string][]byte{}, blobs: map[string][]byte{},
	}
	rand.Read(s.sumKey[:])
	return s
}

// Update runs fn when its turn comes, and stores what it appended unless it fails.
func (s *Store) Update(
	ctx context.Context, c backend.Caller, _ string, fn func(backend.Tx) error,
) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("lock: %w", context.Cause(ctx))
	}
	defer func() { <-s.turn }()
	g := overlay.NewGroup(stored{s}, s.now, s.maxTS)
	t := g.Begin(ctx, c)
	if err := fn(t); err != nil {
		return err
	}
	if g.Take(t) {
		s.store(g)
	}
	return nil
}

// store takes over the appended records.
func (s *Store) store(g *overlay.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared {
		s.newest, s.shared = maps.Clone(s.newest), false
	}
	s.maxTS = g.Last
	s.numbers.Merge(g.Numbers)
	for _, e := range g.Batch {
		rec := log.Record{Envelope: e.Clone(), Line: e.Line(), Canonical: true,
			Pos: log.Pos{File: "memory", Line: len(s.history) + 1}}
		s.history = append(s.history, rec)
		s.newest[rec.Key] = rec
	}
}

// Snapshot returns the records that are live now.
func (s *Store) Snapshot(context.Context) (backend.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return &snapshot{state.NewView(nil, s.newest, nil), s.newest, s.maxTS}, nil
}

// Get returns the newest live record of a key, expired or not.
func (s *Store) Get(_ context.Context, key keypath.Key) (log.Record, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec, ok := s.newest[key]
	return rec, ok && rec.Valid(), nil
}

// ScanBelow yields the live records under a prefix, by key.
func (s *Store) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	v, _ := s.Snapshot(ctx) // it cannot fail
	return v.ScanBelow(ctx, p)
}

// Match returns the records that match.
func (s *Store) Match(_ context.Context, m backend.Matcher, w backend.Where, limit int) (
	[]log.Record, error) {
	s.mu.Lock()
	newest := s.newest
	s.shared = true
	s.mu.Unlock()
	return backend.BestMatches(m, w, func(yield func(log.Record) bool) {
		for _, rec := range newest {
			if m.MayMatch(rec.Content) && !yield(rec) {
				return
			}
		}
	}, limit), nil
}

// History yields every record in the order in which they were appended.
func (s *Store) History(ctx context.Context) iter.Seq2[log.Record, error] {
	return backend.Until(ctx, func(yield func(log.Record, error) bool) {
		s.mu.Lock()
		history := s.history
		s.mu.Unlock()
		for _, rec := range history {
			if !yield(rec, nil) {
				return
			}
		}
	})
}

// Versions returns every version of a key, newest first.
func (s *Store) Versions(ctx context.Context, key keypath.Key) (backend.Versions, error) {
	var list []log.Record
	for rec, err := range s.History(ctx) {
		if err != nil {
			return backend.Versions{}, err
		}
		if rec.Key == key {
			list = append(list, rec)
		}
	}
	return backend.VersionsOf(list, nil), nil
}

// Numbers returns the numbers of the keys, of deleted ones too.
func (s *Store) Numbers(context.Context) (backend.Numbers, error) {
	s.mu.Lock()
	newest := s.newest
	s.shared = true
	s.mu.Unlock()
	return backend.NumbersFunc(func(n int64) (list []keypath.Key, err error) {
		for key := range newest {
			if _, m, ok := key.Number(); ok && m == n {
				list = append(list, key)
			}
		}
		slices.SortFunc(list, keypath.Key.Compare)
		return list, nil
	}), nil
}

// Config returns the text of the configuration.
func (s *Store) Config(_ context.Context, have string) (text []byte, version string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.config == nil {
		return nil, "", nil
	}
	if version = strconv.Itoa(s.version); version == have {
		return nil, version, nil
	}
	return bytes.Clone(s.config), version, nil
}

// SetConfig replaces the configuration by what change makes of it, when its turn comes.
func (s *Store) SetConfig(
	ctx context.Context, c backend.Caller, change func([]byte) ([]byte, error),
) error {
	return s.Update(ctx, c, "config", func(backend.Tx) error {
		text, _, _ := s.Config(ctx, "") // it cannot fail
		next, err := change(text)
		if err == nil && !bytes.Equal(next, text) {
			s.Configure(next)
		}
		return err
	})
}

// Configure replaces the configuration; nil removes it.
func (s *Store) Configure(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config, s.version = bytes.Clone(text), s.version+1
}

// Close does nothing: the memory is there as long as the Store.
func (s *Store) Close() error { return nil }

// Journal returns a journal by its name.
func (s *Store) Journal(name string) backend.Journal { return journal{s, name} }

// journal is the lines of one name.
type journal struct {
	store *Store
	name  string
}

// Key returns the key of the store.
func (j journal) Key() []byte { return j.store.sumKey[:] }

// Append adds a line. Past limit bytes the newer half is kept, from the beginning of a line on.
func (j journal) Append(line []byte, limit int64) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	lines := append(j.store.journals[j.name], line...)
	if int64(len(lines)) > limit {
		lines = newestLines(lines, limit/2)
	}
	j.store.journals[j.name] = lines
}

// Read returns the newest lines, at most limit bytes.
func (j journal) Read(limit int64) ([]byte, error) {
	j.store.mu.Lock()
	defer j.store.mu.Unlock()
	return bytes.Clone(newestLines(j.store.journals[j.name], limit)), nil
}

// newestLines returns the last whole lines, at most limit bytes.
func newestLines(lines []byte, limit int64) []byte {
	if int64(len(lines)) <= limit {
		return lines
	}
	_, rest, _ := bytes.Cut(lines[int64(len(lines))-limit:], []byte{'\n'})
	return rest
}
