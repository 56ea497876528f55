package pgstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/log"
)

// follower keeps the newest view of a space: a copy on this machine, and what the log has gained
// since. Every read first asks the server whether that is all.
type follower struct {
	store *Store
	ctx   context.Context // of the questions: they outlive the callers' contexts
	stop  context.CancelFunc

	asking sync.Mutex // guards these; held by a question or a compaction
	copy   *localCopy
	moved  []*disk.Dir // of copies that are gone; views may still use them
	noted  synced      // the newest content of the file synced

	rounds rounds

	mu   sync.Mutex
	last *shared // nil: nothing is known yet
}

// shared is a view that several snapshots may use. The last to release it closes its file.
type shared struct {
	view    *state.View
	file    *state.File // nil: everything is in the view's memory
	of      string      // id of the copy
	head    head        // of the space, when it was asked
	last    last        // the newest envelope of the view
	damaged []*log.Damage
	refs    atomic.Int32
}

// row is an envelope of the server.
type row struct {
	seq  int64
	line string
}

func (r row) mark() last { return last{r.seq, log.Sum([]byte(r.line))} }

// last identifies the last envelope of a view; the zero last is none.
type last struct {
	seq int64
	sum string
}

func (sh *shared) hold() *shared { sh.refs.Add(1); return sh }

func (sh *shared) release() {
	if sh.refs.Add(-1) > 0 {
		return
	}
	sh.view.Close()
	if sh.file != nil {
		sh.file.Close()
	}
}

func (f *follower) init(s *Store) {
	f.store = s
	f.ctx, f.stop = context.WithCancel(context.Background())
}

func (f *follower) close() {
	f.stop()
	f.publish(nil)
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.copy != nil {
		f.copy.close()
		f.copy = nil
	}
	for _, dir := range f.moved {
		dir.Close()
	}
	f.moved = nil
}

// publish makes a view, held for it, the one that readers get.
func (f *follower) publish(sh *shared) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil {
		f.last.release()
	}
	f.last = sh
}

// current returns a view that is not older than this call, held for the caller.
func (f *follower) current(ctx context.Context) (*shared, error) {
	switch err := f.rounds.join(ctx, f.ask); {
	case err != nil && ctx.Err() != nil:
		return nil, f.tooEarly(ctx)
	case err != nil:
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		return nil, fmt.Errorf("%w: the store is closed", ErrServer)
	}
	return f.last.hold(), nil
}

// tooEarly is the error of a reader that could not wait for the copy.
func (f *follower) tooEarly(ctx context.Context) error {
	return &backend.CatchingUpError{Name: f.store.place.Space,
		Err: fmt.Errorf("reading: %w", context.Cause(ctx))}
}

// ask makes the view as new as the server.
func (f *follower) ask() error {
	f.asking.Lock()
	defer f.asking.Unlock()
	sh, err := f.begin()
	if err != nil {
		return err
	}
	if f.store.place.FromCopy {
		return f.answerFromCopy(sh)
	}
	return f.catchUp(sh)
}

// catchUp makes a view, held for it, as new as the server, and publishes it.
func (f *follower) catchUp(sh *shared) error {
	var asked time.Time
	for more := true; more; {
		asked = f.store.o.Clock()
		next, left, err := f.gain(sh)
		if errors.Is(err, errForeign) {
			next, err = f.rebuild(err)
			left = true
		}
		if err != nil {
			sh.release()
			return err
		}
		if next != sh {
			sh.release()
		}
		sh, more = next, left
	}
	f.store.known.set(sh.head)
	f.copy.stale = false
	f.publish(sh)
	f.copy.save(f.store)
	f.noteSynced(sh, asked)
	return nil
}

// answerFromCopy publishes what the copy has, and says of when that is.
func (f *follower) answerFromCopy(sh *shared) error {
	if f.copy.empty() {
		sh.release()
		return f.store.ofCopy("there is no copy on this machine")
	}
	f.mu.Lock()
	told := f.last != nil
	f.mu.Unlock()
	if !told {
		f.store.o.Warn(asOf(f.copy, sh))
	}
	f.publish(sh)
	return nil
}

// begin returns the view to go on from, held for it: the last one, or that of the copy.
func (f *follower) begin() (*shared, error) {
	f.mu.Lock()
	last := f.last
	if last != nil {
		last.hold()
	}
	f.mu.Unlock()
	if last != nil && f.copy != nil && !f.copy.stale {
		f.copy.trim(last.last.seq)
		return last, nil
	}
	if last != nil {
		last.release()
	}
	return f.open()
}

// open opens the copy that is on the disk now.
func (f *follower) open() (*shared, error) {
	if f.copy != nil && isThere(f.copy.dir) {
		c, sh := f.copy.reopen(f.store)
		f.copy = c
		return sh.hold(), nil
	}
	c, sh, err := openCopy(f.store)
	if err != nil {
		return nil, err
	}
	if f.copy != nil {
		f.moved = append(f.moved, f.copy.dir)
	}
	f.copy = c
	return sh.hold(), nil
}

// extend returns the view with rows that came after it, held for the caller.
func (f *follower) extend(sh *shared, h head, rows []row) *shared {
	if len(rows) == 0 && h == sh.head {
		return sh
	}
	fresh, damaged := folded(rows)
	next := &shared{file: sh.file.Share(), of: sh.of, head: h, last: sh.last,
		damaged: append(sh.damaged[:len(sh.damaged):len(sh.damaged)], damaged...)}
	next.view = sh.view.Extend(next.file, fresh, nil)
	if len(rows) > 0 {
		next.last = rows[len(rows)-1].mark()
	}
	f.copy.add(sh.last.seq, rows)
	return next.hold()
}

// folded returns the fold of rows, without those that cannot be read.
func folded(rows []row) (fold state.Fold, damaged []*log.Damage) {
	fold = make(state.Fold, len(rows))
	for _, r := range rows {
		rec, err := decode(r.seq, []byte(r.line))
		if damage := damageOf(err); damage != nil {
			damaged = append(damaged, damage)
			continue
		}
		fold[rec.Key] = rec
	}
	return fold, damaged
}

// rebuild makes the copy anew, and returns its view, held for the caller.
func (f *follower) rebuild(why error) (*shared, error) {
	if !isThere(f.copy.dir) {
		return f.open()
	}
	f.copy.stale = true // until a view of what comes is there for the readers
	c, sh, err := f.copy.rebuild(f.ctx, f.store, why)
	if err != nil {
		return nil, err
	}
	c.stale, f.copy = true, c
	f.noted = synced{Copy: c.pos.Copy, Seen: log.StampOf(f.store.o.Clock())}
	return sh.hold(), nil
}

// whole returns the fold of the space as of a view, whose state is damaged.
func (s *database) whole(ctx context.Context, upTo int64) (state.Fold, error) {
	fold := state.Fold{}
	for rec, err := range allFrom(ctx, s, upTo) {
		if isDamage(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fold[rec.Key] = rec
	}
	s.o.Debug(fmt.Sprintf("the copy is damaged: %d memories read from the server", len(fold)))
	return fold, nil
}

// errForeign is returned where a copy is not one of this space as it is now.
var errForeign = errors.New("not of the current state of this space")

// batchRows is how many envelopes are fetched at once. In gainSQL it is a literal, for a plan that
// knows how few that are.
const batchRows = 10_000

// gainSQL asks for the head and what comes from a seq on, at one moment.
const gainSQL = `SELECT (SELECT id::text FROM mem.store), h.gen, h.seq, h.high, n.seq, n.line
FROM (` + headSQL + `) AS h(gen, seq, high)
LEFT JOIN LATERAL (SELECT seq, line FROM mem.envelopes
	WHERE space = $1 AND seq >= $2 ORDER BY seq LIMIT 10000) n ON true`

// gain returns the view with what the log has gained since, and whether there is more. The error
// wraps errForeign where the view is not one of the space as it is now.
func (f *follower) gain(sh *shared) (next *shared, more bool, err error) {
	var n news
	err = f.store.reading(f.ctx, func() error {
		n, err = f.fetch(max(sh.last.seq, 1))
		return err
	})
	if err == nil {
		err = f.fits(sh, n)
	}
	if err == nil {
		err = f.stay(sh)
	}
	if err != nil {
		return nil, false, err
	}
	if sh.last.seq > 0 {
		n.rows = n.rows[1:]
	}
	return f.extend(sh, n.head, n.rows), n.cut || len(n.rows) >= batchRows-1, nil
}

// news is what the server has, from a seq on.
type news struct {
	store string // which database
	head  head
	rows  []row
	cut   bool // the connection broke before the last of them
}

// fits returns why a view is not one of the space as it is now.
func (f *follower) fits(sh *shared, n news) error {
	pos, last := f.copy.pos, sh.last
	switch {
	case f.copy.empty():
		return errForeign
	case pos.Store == n.store && n.head.gen > sh.head.gen:
		return fmt.Errorf("%w: something was purged", errForeign)
	case last.seq > 0 && (pos.Store != n.store || n.head.gen != sh.head.gen ||
		len(n.rows) == 0 || n.rows[0].mark() != last):
		return fmt.Errorf("%w: %w", errForeign, errAhead)
	case pos.Store != n.store, n.head.gen != sh.head.gen,
		last.seq == 0 && len(n.rows) > 0 && n.head.seq > worthBuilding:
		return errForeign
	}
	return nil
}

// errAhead is why a copy is set aside: it has what the server has not.
var errAhead = errors.New("the server lacks writes that the copy has")

// fetch asks for the head and some rows.
func (f *follower) fetch(from int64) (n news, err error) {
	s := f.store
	rows, err := s.spare().Query(f.ctx, gainSQL, s.place.Space, from)
	if err != nil {
		return n, err
	}
	defer rows.Close()
	found, h := false, &n.head
	for rows.Next() {
		var seq *int64
		var line *string
		if err := rows.Scan(&n.store, &h.gen, &h.seq, stampOr{&h.high}, &seq, &line); err != nil {
			return n, err
		}
		if found = true; seq != nil {
			n.rows = append(n.rows, row{*seq, *line})
		}
	}
	err = rows.Err()
	if n.cut = isBroken(err) && len(n.rows) > 1; n.cut { // one may be known
		err = nil
	}
	if err != nil || found {
		s.known.saw(h.gen)
		return n, err
	}
	return n, s.noSpace()
}
