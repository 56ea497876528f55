package pgstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// replica is what reads ask first, where the URL names one (read=). An answer of it counts if it is
// not behind the floor; it is waited for a little, and then the primary is asked. What a copy is
// held against after that, and every copy that is made, is the primary's.
type replica struct {
	s    *database
	pool *pgxpool.Pool // of the replicas
	way  watcher

	held atomic.Int32 // who wants the primary alone

	mu     sync.Mutex
	rests  time.Time // it is not asked before
	warned bool      // that it cannot be asked

	keeping sync.Mutex
	kept    *head // the floor that the file has at least; nil: nobody knows
}

const (
	// lagWait is about how long a replica that lags is waited for.
	lagWait = 100 * time.Millisecond
	// lagRest is for how long it is not asked after that: else each read would wait in vain.
	lagRest = time.Second
	// failRest is the same for one that cannot be asked.
	failRest = 10 * time.Second
	// replicaTime is how long it may take to say how far it is, and what came since.
	replicaTime = 2 * time.Second
)

// errLags is why a replica is not asked.
var errLags = errors.New("it lags behind")

// openReplica returns the replicas of a place; nil where it has none.
func openReplica(s *database) (*replica, error) {
	if s.place.read == nil || s.place.FromCopy {
		return nil, nil
	}
	r, config := &replica{s: s}, s.place.read.Copy()
	r.way = watcher{place: s.place, saw: s.known.saw}
	r.way.watch(config)
	var err error
	r.pool, err = pgxpool.NewWithConfig(context.Background(), config)
	return r, failure(err)
}

func (r *replica) close() {
	if r != nil {
		r.pool.Close()
	}
}

// hold lets nobody ask a replica until it is released.
func (r *replica) hold() (release func()) {
	if r == nil {
		return func() {}
	}
	r.held.Add(1)
	return func() { r.held.Add(-1) }
}

// isOpen reports whether a replica is to be asked at all.
func (r *replica) isOpen() bool {
	if r == nil || r.held.Load() > 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.s.o.Clock().Before(r.rests)
}

// rest lets the replica alone for a while.
func (r *replica) rest(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rests = r.s.o.Clock().Add(d)
}

// failed notes that a replica could not be asked, and warns of it once, until it answers again. ctx
// is that of who asked.
func (r *replica) failed(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil: // who asked has gone
		return
	case errors.Is(err, errLags), isCode(err, codeSerial): // or a query stood in the replay's way
		r.rest(lagRest)
		r.s.o.Debug("the replica is not asked for a while: " + err.Error())
		return
	}
	r.rest(failRest)
	r.mu.Lock()
	warned := r.warned
	r.warned = true
	r.mu.Unlock()
	if !warned {
		r.s.o.Warn("the replica cannot be asked, so the primary is: " + failure(err).Error())
	}
}

// least returns the floor of this machine, from where on an answer counts; ok is false where only
// the primary knows.
func (r *replica) least() (h head, ok bool) {
	h, _, sure := r.s.known.floor.get()
	dir, err := r.s.dir()
	if err != nil || !sure {
		return h, false
	}
	defer dir.Close()
	there, ok := readFloor(dir)
	return h.raised(there), ok
}

// wait asks a replica how far it is until it is not behind a floor, for a little while. The error
// says why it does not count.
func (r *replica) wait(ctx context.Context, least head, ask func() (head, error)) error {
	wait := time.Millisecond
	for waited := time.Duration(0); ; wait = min(2*wait, lagWait/5) {
		h, err := ask()
		if err == nil && !h.isBehind(least) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.warned = false
			return nil
		}
		if err != nil && !errors.Is(err, ErrNoSpace) { // which may have been made a moment ago
			return err
		}
		if waited >= lagWait {
			return errLags
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			waited += wait
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// headKey is where a connection has the head that was last seen on it. A replica never goes back.
const headKey = "mem.head"

// acquire returns a connection to a replica that is not behind the floor; nil where the primary has
// to be asked.
func (r *replica) acquire(ctx context.Context) *pgxpool.Conn {
	if !r.isOpen() {
		return nil
	}
	least, ok := r.least()
	if !ok { // nobody has looked yet
		if _, err := r.s.askHead(ctx); err != nil {
			return nil // the primary says it again
		}
		r.keep()
		if least, ok = r.least(); !ok {
			return nil
		}
	}
	limited, cancel := r.limit(ctx)
	defer cancel()
	conn, err := r.pool.Acquire(limited)
	if err == nil {
		err = r.reaches(limited, conn, least)
	}
	if err != nil {
		r.failed(ctx, err)
		if conn != nil {
			conn.Release()
		}
		return nil
	}
	return conn
}

// reaches waits until the replica of a connection is not behind a floor.
func (r *replica) reaches(ctx context.Context, conn *pgxpool.Conn, least head) error {
	seen := conn.Conn().PgConn().CustomData()
	if h, ok := seen[headKey].(head); ok && !h.isBehind(least) {
		return nil
	}
	return r.wait(ctx, least, func() (head, error) {
		h, err := r.s.scanHead(conn.QueryRow(ctx, headSQL, r.s.place.Space))
		if err == nil {
			seen[headKey] = h
		}
		return h, err
	})
}

// keep writes the floor of this process into the file, so that no process of this machine is told
// less from now on. It is called before what raised the floor is acknowledged.
func (r *replica) keep() {
	if r == nil {
		return
	}
	h, _, _ := r.s.known.floor.get()
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if r.kept != nil && !r.kept.isBehind(h) {
		return
	}
	if err := writeFloor(r.s, func(there head) head { return there.raised(h) }); err != nil {
		r.s.o.Debug("how far the space is known is not noted: " + err.Error())
		return
	}
	r.kept = &h
}

// acknowledge is called before a writer is told that all went well: what it wrote is below the
// floor from then on.
func (r *replica) acknowledge(ctx context.Context, err error) {
	if r == nil || err != nil {
		return
	}
	if _, _, sure := r.s.known.floor.get(); !sure {
		r.look(ctx)
		return
	}
	r.keep()
}

// look raises the floor to where the primary is by now, after a transaction of which nobody knows
// the head. Where it cannot be asked the floor is taken away, so that it has to be asked first.
func (r *replica) look(ctx context.Context) {
	if _, err := r.s.askHead(context.WithoutCancel(ctx)); err == nil {
		r.keep()
		return
	}
	r.keeping.Lock()
	defer r.keeping.Unlock()
	r.kept = nil
	if dir, err := r.s.dir(); err == nil {
		defer dir.Close()
		_ = dir.Remove(floorName) // none is as good
	}
}

// toPrimary is a question to the primary, while there is a replica.
type toPrimary struct {
	r      *replica
	doubts int  // so many there were when it was asked
	own    head // the floor of this process by then
	file   head // and that of this machine
}

// askPrimary begins a question to the primary.
func (r *replica) askPrimary() (q toPrimary) {
	if r == nil {
		return q
	}
	q.r = r
	q.own, q.doubts, _ = r.s.known.floor.get()
	if dir, err := r.s.dir(); err == nil {
		defer dir.Close()
		q.file, _ = readFloor(dir)
	}
	return q
}

// answered takes its answer. Where the primary has less than was known before it was asked, it was
// restored to earlier, and the floor is what it has now.
func (q toPrimary) answered(h head) {
	if q.r == nil {
		return
	}
	q.r.s.known.floor.settle(q.own, h, q.doubts)
	if !h.isBehind(q.file) {
		return
	}
	q.r.keeping.Lock()
	defer q.r.keeping.Unlock()
	q.r.kept = nil
	err := writeFloor(q.r.s, func(there head) head {
		if there.gen == q.file.gen && there.seq == q.file.seq {
			return h
		}
		return there // somebody has raised it meanwhile
	})
	if err != nil {
		q.r.s.o.Debug("how far the space is known is not noted: " + err.Error())
	}
}
