package pgstore

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
)

const (
	flushAfter = time.Second            // lines wait so long for more
	flushTime  = 500 * time.Millisecond // and may take so long at the end
	maxWaiting = 1000                   // lines; what comes then is dropped
)

// journals are the lines that wait to be written. They are best effort: those of a process that is
// killed are lost, and those that waited while another process purged something.
type journals struct {
	writing sync.Mutex // held while lines are on their way

	mu      sync.Mutex
	waiting []journalLine
	timer   *time.Timer
	ended   bool // the store is being closed
}

// journalLine is a line on its way.
type journalLine struct {
	name, line string
	limit      int64
	gen        int64 // headCache.gen
}

// Journal returns a journal by its name.
func (s *Store) Journal(name string) backend.Journal { return journal{s, name} }

// journal is the lines of one name.
type journal struct {
	store *Store
	name  string
}

// Key returns the key of this machine, beside the copies.
func (j journal) Key() []byte {
	dir, err := disk.Create(j.store.o.CacheDir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	return backend.KeyIn(dir)
}

// Append adds a line; it is written with those that come within a second.
func (j journal) Append(line []byte, limit int64) {
	if j.store.place.FromCopy {
		return
	}
	all := &j.store.journals
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.waiting) < maxWaiting {
		text := strings.ToValidUTF8(strings.ReplaceAll(string(line), "\x00", ""), "\ufffd")
		all.waiting = append(all.waiting,
			journalLine{j.name, text, limit, j.store.known.gen.Load()})
	}
	if all.timer == nil {
		all.timer = time.AfterFunc(flushAfter, func() { all.flush(j.store) })
	}
}

// flush writes the lines that wait.
func (all *journals) flush(s *Store) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	all.write(ctx, s)
}

// take returns the lines that wait, which do so no more.
func (all *journals) take() []journalLine {
	all.mu.Lock()
	defer all.mu.Unlock()
	lines := all.waiting
	all.waiting = nil
	if all.timer != nil {
		all.timer.Stop()
		all.timer = nil
	}
	return lines
}

// looseSQL is about a transaction that may be lost in a crash, and does not wait for long.
const looseSQL = `SELECT set_config('synchronous_commit', 'off', true),
	set_config('lock_timeout', '400ms', true)`

// addLinesSQL adds lines, but for those that are older than a purge and may hold purged records.
const addLinesSQL = `INSERT INTO mem.journal (space, name, line)
	SELECT $1, r.name, r.line
	FROM unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS r(name, line, gen, n)
	WHERE r.gen = 1 + (SELECT gen FROM mem.spaces WHERE name = $1) ORDER BY r.n`

// write writes the lines that wait, and waits for those that are on their way. It has the space
// meanwhile: a purge looks through the journal before or after it.
func (all *journals) write(ctx context.Context, s *Store) {
	all.writing.Lock()
	defer all.writing.Unlock()
	lines := all.take()
	if len(lines) == 0 {
		return
	}
	names, texts := make([]string, len(lines)), make([]string, len(lines))
	gens := make([]int64, len(lines))
	for i, l := range lines {
		names[i], texts[i], gens[i] = l.name, l.line, l.gen
	}
	var b pgx.Batch
	b.Queue(looseSQL)
	b.Queue(lockSQL, s.place.Space)
	b.Queue(addLinesSQL, s.place.Space, names, texts, gens)
	for name, limit := range dueToTrim(lines) {
		b.Queue(trimSQL, s.place.Space, name, limit)
	}
	var gen int64
	answers := s.pool.SendBatch(ctx, &b)
	_, err := answers.Exec()
	if err == nil {
		err = answers.QueryRow().Scan(&gen)
	}
	if err = errorOr(err, answers.Close()); err != nil {
		s.o.Debug("a journal is not written: " + failure(err).Error())
		all.putBack(s, lines)
		return
	}
	s.known.saw(gen)
}

// putBack lets lines wait that could not be written, as far as there is room.
func (all *journals) putBack(s *Store, lines []journalLine) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.waiting = append(lines[max(0, len(lines)+len(all.waiting)-maxWaiting):], all.waiting...)
	if all.timer == nil && !all.ended {
		all.timer = time.AfterFunc(flushAfter, func() { all.flush(s) })
	}
}

// end writes what waits, for the last time.
func (all *journals) end(s *Store) {
	all.mu.Lock()
	all.ended = true
	all.mu.Unlock()
	all.flush(s)
}

// dueToTrim returns the limits of the journals to trim with these lines: each is drawn about once
// while it gains a good part of its limit, from whatever process.
func dueToTrim(lines []journalLine) map[string]int64 {
	trim := map[string]int64{}
	for _, l := range lines {
		if rand.N(max(l.limit/32, 1)) < int64(len(l.line)) {
			trim[l.name] = l.limit
		}
	}
	return trim
}

// trimSQL removes the older half of a journal that is past its limit. To know that all of it is
// read.
const trimSQL = `DELETE FROM mem.journal WHERE space = $1 AND name = $2 AND id <= (
	SELECT max(id) FILTER (WHERE newer > $3 / 2) FROM (
		SELECT id, sum(octet_length(line)) OVER (ORDER BY id DESC) AS newer
		FROM mem.journal WHERE space = $1 AND name = $2) old
	HAVING max(newer) > $3)`

// Read returns the newest lines, at most limit bytes.
func (j journal) Read(limit int64) ([]byte, error) {
	if err := j.store.online(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	j.store.journals.write(ctx, j.store)
	var lines []string
	err := j.store.reading(ctx, func() error {
		rows, err := j.store.pool.Query(ctx, `SELECT line FROM (
			SELECT id, line, sum(octet_length(line)) OVER (ORDER BY id DESC) AS newer
			FROM mem.journal WHERE space = $1 AND name = $2) old
			WHERE newer <= $3 ORDER BY id`, j.store.place.Space, j.name, limit)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if len(lines) == 0 || err != nil {
		return nil, err
	}
	var text bytes.Buffer
	for _, line := range lines {
		text.WriteString(line)
	}
	return text.Bytes(), nil
}
