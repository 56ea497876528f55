package pgstore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A read by seq does not see later writes: envelopes are added at the end, and only a purge deletes
// any.

// logName is the name of the log in positions.
const logName = "mem.envelopes"

func decode(seq int64, line []byte) (log.Record, error) {
	pos := log.Pos{File: logName, Line: int(seq), Len: int64(len(line)) + 1}
	e, err := log.Decode(line)
	if err != nil {
		return log.Record{}, &log.Damage{Pos: pos, Raw: line, Reason: err}
	}
	return log.Record{Envelope: e, Line: line, Canonical: true,
		Unsealed: !log.Checksummed(line), Pos: pos}, nil
}

// damageOf returns the damage of one line that an error is; nil for another error.
func damageOf(err error) (damage *log.Damage) {
	errors.As(err, &damage)
	return damage
}

// isDamage reports whether an error is of one line, and the others can be read.
func isDamage(err error) bool { return damageOf(err) != nil }

const newestSQL = `SELECT e.seq, e.line FROM unnest($3::text[]) AS k(key)
CROSS JOIN LATERAL (SELECT seq, line FROM mem.envelopes
	WHERE space = $1 AND key = k.key AND seq <= $2 ORDER BY seq DESC LIMIT 1) e`

// newest returns the newest record of each of these keys up to a seq, tombstones too.
func (s *database) newest(ctx context.Context, q querier, upTo int64, keys []keypath.Key) (
	map[keypath.Key]log.Record, error) {
	found := make(map[keypath.Key]log.Record, len(keys))
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = key.String()
	}
	rows, err := q.Query(ctx, newestSQL, s.place.Space, upTo, texts)
	if err != nil {
		return nil, err
	}
	err = eachLine(rows, func(rec log.Record, err error) error {
		if damage := damageOf(err); damage != nil {
			s.o.Warn(damage.LeftOut(s.o.Program)) // as if it were not there: it can be written over
			return nil
		}
		if err == nil {
			found[rec.Key] = rec
		}
		return err
	})
	return found, err
}

// eachLine calls fn with every row of seq and line. The line is its own.
func eachLine(rows pgx.Rows, fn func(log.Record, error) error) error {
	defer rows.Close()
	for rows.Next() {
		var seq int64
		var line []byte
		if err := rows.Scan(&seq, &line); err != nil {
			return err
		}
		if err := fn(decode(seq, line)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stream yields rows of seq and line. An error that is no damage is the last.
func (s *database) stream(ctx context.Context, sql string, args ...any) iter.Seq2[
	log.Record, error] {
	return streamFrom(ctx, streaming(s), sql, args...)
}

// streamFrom is stream from a connection.
func streamFrom(ctx context.Context, q querier, sql string, args ...any) iter.Seq2[
	log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		stopped := errors.New("stopped")
		rows, err := q.Query(ctx, sql, args...)
		if err == nil {
			err = eachLine(rows, func(rec log.Record, err error) error {
				if !yield(rec, err) || err != nil && !isDamage(err) {
					return stopped
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, stopped) {
			yield(log.Record{}, ofContext(ctx, failure(err)))
		}
	}
}

// Get returns the newest live record of a key, expired or not.
func (s *Store) Get(ctx context.Context, key keypath.Key) (rec log.Record, ok bool, err error) {
	if s.place.FromCopy {
		snap, err := s.Snapshot(ctx)
		if err != nil {
			return rec, false, err
		}
		defer snap.Close()
		return snap.Get(ctx, key)
	}
	err = s.reading(ctx, func() error {
		found, err := s.newest(ctx, s.spare(), maxSeq, []keypath.Key{key})
		rec, ok = found[key]
		return err
	})
	if err == nil && !ok {
		err = s.exists(ctx)
	}
	return rec, ok && rec.Valid(), err
}

// maxSeq is after all others.
const maxSeq = 1<<63 - 1

// exists returns an error where the space does not exist: nothing is there to be found then.
func (s *database) exists(ctx context.Context) error {
	if _, ok := s.known.get(); ok {
		return nil
	}
	_, err := s.askHead(ctx)
	return err
}

func (s *database) askHead(ctx context.Context) (h head, err error) {
	err = s.reading(ctx, func() error {
		h, err = s.scanHead(s.spare().QueryRow(ctx, headSQL, s.place.Space))
		return err
	})
	if err == nil {
		s.known.set(h)
	}
	return h, err
}

const belowSQL = `SELECT seq, line FROM (SELECT DISTINCT ON (key) seq, line, live
	FROM mem.envelopes WHERE space = $1 AND seq <= $2 AND key >= $3 AND key < $4
	ORDER BY key, seq DESC) newest WHERE live`

const allSQL = `SELECT seq, line FROM (SELECT DISTINCT ON (key) seq, line, live
	FROM mem.envelopes WHERE space = $1 AND seq <= $2 AND key > $3 ORDER BY key, seq DESC) newest
	WHERE live`

// allFrom yields the newest live record of every key up to a seq, by key. Where the connection
// breaks it goes on after the last key that came.
func allFrom(ctx context.Context, s *database, upTo int64) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		last := ""
		for try := 0; ; try++ {
			var failed error
			for rec, err := range streamFrom(ctx, streaming(s), allSQL, s.place.Space, upTo, last) {
				switch {
				case err == nil:
					last, try = rec.Key.String(), 0
				case !isDamage(err):
					failed = err
				}
				if failed == nil && !yield(rec, err) {
					return
				}
			}
			if failed == nil {
				return
			}
			if !isBroken(failed) || try >= tries || ctx.Err() != nil {
				yield(log.Record{}, failed)
				return
			}
			pause(ctx, try)
		}
	}
}

// belowFrom yields the newest live record of every key under a prefix up to a seq, by key.
func belowFrom(ctx context.Context, s *database, q querier, upTo int64, p keypath.Prefix) iter.Seq2[
	log.Record, error] {
	name := p.String()
	if name == "/" {
		return streamFrom(ctx, q, allSQL, s.place.Space, upTo, "")
	}
	return func(yield func(log.Record, error) bool) {
		key := keypath.MustParse(name)
		found, err := s.newest(ctx, q, upTo, []keypath.Key{key})
		if err != nil {
			yield(log.Record{}, ofContext(ctx, failure(err)))
			return
		}
		if rec, ok := found[key]; ok && rec.Valid() && !yield(rec, nil) {
			return
		}
		// The byte after the slash ends what lies below.
		for rec, err := range streamFrom(ctx, q, belowSQL, s.place.Space, upTo, name+"/",
			name+"0") {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// ScanBelow yields the newest record of every live key under a prefix, by key, expired ones too:
// what lies below a part of the keys is asked of the server, and all keys of the copy.
func (s *Store) ScanBelow(ctx context.Context, p keypath.Prefix) iter.Seq2[log.Record, error] {
	if p != (keypath.Prefix{}) && !s.place.FromCopy {
		return func(yield func(log.Record, error) bool) {
			belowFrom(ctx, s.database, streaming(s.database), maxSeq, p)(yield)
		}
	}
	return state.ReadBelow(ctx, p, func() (*state.View, func(), error) {
		snap, err := s.snapshot(ctx)
		if err != nil {
			return nil, nil, err
		}
		return snap.View, snap.Close, nil
	})
}

const sizeSQL = `SELECT coalesce(sum(size) FILTER (WHERE live), 0)::bigint,
	coalesce(sum(size) FILTER (WHERE NOT live), 0)::bigint
FROM (SELECT DISTINCT ON (key) octet_length(line) + 1 AS size, live FROM mem.envelopes
	WHERE space = $1 AND seq <= $2 AND key >= $3 AND key < $4 ORDER BY key, seq DESC) newest`

// size returns the bytes of the newest lines below a prefix up to a seq. octet_length reads no
// line.
func (s *database) size(ctx context.Context, from *lane, upTo int64,
	below keypath.Prefix) (live, deleted int64, err error) {
	if !below.Sized() {
		return 0, 0, fmt.Errorf("%s: %w", below, backend.ErrNoSize)
	}
	name := below.String()
	err = s.reading(ctx, func() error {
		return from.QueryRow(ctx, sizeSQL, s.place.Space, upTo, name+"/", name+"0").
			Scan(&live, &deleted)
	})
	return live, deleted, err
}

const historySQL = "SELECT seq, line FROM mem.envelopes WHERE space = $1 ORDER BY seq"

// History yields every envelope in the order of their commits.
func (s *Store) History(ctx context.Context) iter.Seq2[log.Record, error] {
	if err := s.online(); err != nil {
		return func(yield func(log.Record, error) bool) { yield(log.Record{}, err) }
	}
	return s.stream(ctx, historySQL, s.place.Space)
}

// Versions returns every version of a key, newest first. It was appended in the order of stamps.
func (s *Store) Versions(ctx context.Context, key keypath.Key) (v backend.Versions, err error) {
	if err := s.online(); err != nil {
		return v, err
	}
	var list []log.Record
	err = s.reading(ctx, func() error {
		list, v = nil, backend.Versions{}
		rows, err := s.spare().Query(ctx, `SELECT seq, line FROM mem.envelopes
			WHERE space = $1 AND key = $2 ORDER BY seq DESC`, s.place.Space, key.String())
		if err != nil {
			return err
		}
		return eachLine(rows, func(rec log.Record, err error) error {
			if damage := damageOf(err); damage != nil {
				v.Damaged = append(v.Damaged, damage)
				return nil
			}
			list = append(list, rec)
			return err
		})
	})
	if err != nil || len(list) == 0 {
		return v, err
	}
	v.Count = len(list)
	v.Rows = func(yield func(log.Record, error) bool) {
		for _, rec := range list {
			if !yield(rec, nil) {
				return
			}
		}
	}
	return v, nil
}

const numbersSQL = `SELECT DISTINCT e.key FROM unnest($2::text[]) AS n(stem)
CROSS JOIN LATERAL (SELECT key FROM mem.envelopes WHERE space = $1
	AND (key = n.stem OR key >= n.stem || '-' AND key < n.stem || '.')) e ORDER BY 1`

// Numbers returns the numbers of notes, deleted ones too. The keys of one number begin alike in
// each scope.
func (s *Store) Numbers(ctx context.Context) (backend.Numbers, error) {
	if s.place.FromCopy {
		return s.copiedNumbers(ctx)
	}
	return backend.NumbersFunc(func(n int64) (list []keypath.Key, err error) {
		var stems []string
		for _, stem := range [...]string{"user/m", "user/u", "workspace/m", "session/m"} {
			stems = append(stems, fmt.Sprintf("/note/%s-%d", stem, n))
		}
		err = s.reading(ctx, func() error {
			rows, err := s.spare().Query(ctx, numbersSQL, s.place.Space, stems)
			if err != nil {
				return err
			}
			texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
			list = list[:0]
			for _, text := range texts {
				if key, err := keypath.Parse(text); err == nil {
					list = append(list, key)
				}
			}
			return err
		})
		return slices.DeleteFunc(list, func(key keypath.Key) bool {
			_, m, ok := key.Number()
			return !ok || m != n
		}), err
	}), nil
}

// copiedNumbers is Numbers of what this machine's copy has.
func (s *Store) copiedNumbers(ctx context.Context) (backend.Numbers, error) {
	below := keypath.MustPrefix(keypath.Notes)
	keys := map[int64][]keypath.Key{}
	for rec, err := range s.ScanBelow(ctx, below) {
		if err != nil {
			return nil, err
		}
		if _, n, ok := rec.Key.Number(); ok {
			keys[n] = append(keys[n], rec.Key)
		}
	}
	return backend.NumbersFunc(func(n int64) ([]keypath.Key, error) { return keys[n], nil }), nil
}

// Sizes counts what the space holds on the server, each line with its end as in a file.
func (s *Store) Sizes(ctx context.Context) (z backend.Sizes, err error) {
	if err := s.online(); err != nil {
		return z, err
	}
	err = s.pool.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM mem.envelopes WHERE space = $1),
		(SELECT coalesce(sum(octet_length(line) + 1), 0)::bigint FROM mem.envelopes WHERE space = $1),
		(SELECT count(*) FROM mem.blobs WHERE space = $1 AND part = 0),
		(SELECT coalesce(sum(size), 0)::bigint FROM mem.blobs WHERE space = $1 AND part = 0)`,
		s.place.Space).Scan(&z.LogLines, &z.LogBytes, &z.Blobs, &z.BlobBytes)
	return z, ofContext(ctx, failure(err))
}
