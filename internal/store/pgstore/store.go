package pgstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// Options are the options of a store. The zero value is good.
type Options struct {
	Now      func() time.Time                   // takes the stamps; nil: the system's
	Clock    func() time.Time                   // measures, and dates copies; nil: the system's
	LockWait time.Duration                      // 0: five seconds; negative: does not wait
	CacheDir string                             // of the copies; "": $XDG_CACHE_HOME/mem/postgres
	Warn     func(msg string)                   // of copies that were set aside; nil: nobody hears
	Program  string                             // in warnings, like "mem --root URL"; "": mem
	Debug    func(msg string)                   // of what changes only the speed; nil: likewise
	Progress func(what string, done, total int) // of a copy that is made; nil: likewise
	// OnCopyDue is called when the copy has a long tail, see Store.Compact; nil: likewise. It must
	// not take long.
	OnCopyDue func()
	Server    *Server // whose connections it shares with other stores; nil: it has its own
}

func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.LockWait == 0 {
		o.LockWait = 5 * time.Second
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Debug == nil {
		o.Debug = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	if o.OnCopyDue == nil {
		o.OnCopyDue = func() {}
	}
	return o
}

// Store is one space of a database. It may be used by several goroutines.
type Store struct {
	*database
	turns    backend.Queue
	follow   follower
	settings settings
	journals journals
}

// database is the way to a space: it asks the server, and never the copy.
type database struct {
	place *Address
	conns *conns
	pool  *lane
	// The holder of the space reads over connections of its own: the callers that wait for it may
	// have all others.
	inside *lane
	o      Options
	known  headCache
	crowd  crowd

	reached atomic.Bool // the server has answered
}

var (
	_ backend.Backend        = (*Store)(nil)
	_ backend.Configurer     = (*Store)(nil)
	_ backend.ConfigComparer = (*Store)(nil)
	_ backend.Eraser         = (*Store)(nil)
	_ backend.Blobs          = (*Store)(nil)
)

// Open returns the store of a place. It connects when it is first asked for something.
func Open(place *Address, o Options) (*Store, error) {
	if place.Space == "" {
		return nil, inputFault(fmt.Errorf("%w: which space?", ErrURL),
			advice.Say("add ?space=NAME").Also(advice.RunAlone("space ls", "--root", "URL").
				Then(" lists them")))
	}
	if err := checkSpace(place.Space); err != nil {
		return nil, err
	}
	o = o.complete()
	if o.CacheDir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			dir = filepath.Join(os.TempDir(), fmt.Sprintf("mem-%d", os.Getuid()))
		}
		o.CacheDir = filepath.Join(dir, "mem", "postgres")
	}
	s := &Store{database: &database{place: place, o: o}}
	shared, most := "", place.conn.MaxConns
	if o.Server != nil {
		s.conns, shared, most = o.Server.conns, place.Space, spaceConns
	} else {
		var err error
		if s.conns, err = newConns(place, most, insideConns, o.Clock); err != nil {
			return nil, err
		}
	}
	s.pool = newLane(s.conns.first, shared, most)
	s.inside = newLane(s.conns.inside, shared, insideConns)
	s.follow.init(s)
	return s, nil
}

// insideConns is how many connections the holder of the space has, at most: for a walk, for reads
// in it, and for the copy. They are made when they are needed.
const insideConns = 4

// joint returns what commits for all spaces of a server; nil for a store by itself.
func (s *database) joint() *joint {
	if s.o.Server == nil {
		return nil
	}
	return s.o.Server.joint
}

// spare returns what reads over any connection that is left.
func (s *database) spare() *lane { return s.pool.orElse(s.inside) }

// streaming is spare for a long read: it leaves some connections to short ones.
func streaming(s *database) *lane {
	if len(s.inside.turns) < insideConns/2 {
		return s.spare()
	}
	return s.pool
}

// Close writes what the journals still have, and ends the connections.
func (s *Store) Close() error {
	s.journals.flush(s)
	s.follow.close()
	if s.o.Server == nil {
		s.conns.close()
	}
	return nil
}

// tries is how often a call is tried where the way to the server breaks, at least.
const tries = 4

// restartTime is for how long calls are tried again where the server has answered before: a pool
// outlives a restart.
const (
	restartTime = 5 * time.Second
	most        = 20 // tries in it
)

// reading runs a read, again where the connection broke.
func (s *database) reading(ctx context.Context, fn func() error) error {
	until := s.o.Clock().Add(restartTime)
	for try := 1; ; try++ {
		err := s.conns.retry(ctx, fn)
		if err == nil {
			s.reached.Store(true)
		}
		if err == nil || ctx.Err() != nil || !isBroken(err) ||
			try >= tries && !(s.reached.Load() && try < most && s.o.Clock().Before(until)) {
			return ofContext(ctx, failure(err))
		}
		pause(ctx, try)
	}
}

// acquire returns a connection, and waits some seconds where all are in use.
func (s *database) acquire(ctx context.Context) (conn *laneConn, err error) {
	err = s.conns.retry(ctx, func() error {
		conn, err = s.pool.acquire(ctx)
		return err
	})
	return conn, err
}

// pause waits a little, longer with each try, and not as long as others do.
func pause(ctx context.Context, try int) {
	wait := 4 * time.Millisecond << min(try, 7)
	timer := time.NewTimer(wait/2 + rand.N(wait/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ofContext returns the reason for which a call's context has ended, where that is why it failed.
func ofContext(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", ErrServer, context.Cause(ctx))
	}
	return err
}

// head is how far a space has come.
type head struct {
	seq  int64
	high log.Stamp // newest ts so far
	gen  int64     // purges
}

// stored returns the newest ts as the server has it; nil for none.
func (h head) stored() *time.Time {
	if h.high == log.MinStamp {
		return nil
	}
	t := h.high.Time()
	return &t
}

// headCache is the head that this process knows.
type headCache struct {
	mu   sync.Mutex
	head head
	ok   bool
	gen  atomic.Int64 // newest that was ever seen, and 1; 0: none was
}

func (c *headCache) get() (head, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head, c.ok
}

func (c *headCache) set(h head) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head, c.ok = h, true
	c.saw(h.gen)
}

// saw notes how many purges there were.
func (c *headCache) saw(gen int64) {
	for old := c.gen.Load(); old < gen+1; old = c.gen.Load() {
		c.gen.CompareAndSwap(old, gen+1)
	}
}

func (c *headCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ok = false
}

// was reports whether a head is the one that this process has known last, forgotten or not.
func (c *headCache) was(h head) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head == h
}

const headSQL = `SELECT s.gen, greatest(s.seq, e.seq), greatest(s.high, e.high), s.config_version
FROM mem.spaces s LEFT JOIN LATERAL (SELECT seq, high FROM mem.envelopes
	WHERE space = s.name ORDER BY space DESC, seq DESC LIMIT 1) e ON true WHERE s.name = $1`

// scanHead reads the answer to headSQL.
func (s *database) scanHead(row pgx.Row) (h head, err error) {
	err = row.Scan(&h.gen, &h.seq, stampOr{&h.high}, nil)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, s.noSpace()
	}
	return h, err
}

// noSpace is the error for a space that is not there.
func (s *database) noSpace() error {
	return inputFault(fmt.Errorf("%s: %w", s.place.Space, ErrNoSpace),
		advice.RunAlone("space add", s.place.Space, "--root", s.place.database()).Then(" makes it"))
}

// dir opens the directory of the copy, and makes it, for this user alone.
func (s *database) dir() (*disk.Dir, error) {
	path := s.copyPath()
	// A crash in this leaves empty directories.
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	return disk.Open(path)
}
