package pgstore

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Chunk is a part of the text of an event.
type Chunk struct {
	ID     string // unique among those of all events
	Text   string
	Tokens int
}

// FillChunks brings the table of chunks up to the events as they are now, and returns how many
// chunks it stored. cut returns those of one event; an error of it ends the filling, and what was
// filled before stays. cut is not asked about what is sealed or secret: it stays out of the table.
//
// A crash leaves whole events filled, and the next call goes on behind them. Several may run at
// once.
func FillChunks(ctx context.Context, s *Store, cut func(log.Record) ([]Chunk, error)) (
	stored int, err error) {
	for {
		f := &fill{store: s, cut: cut, chunks: map[keypath.Key][]chunkRow{}}
		if err := f.read(ctx); err != nil || f.to == f.from {
			return stored, err
		}
		err := s.excluding(ctx, exclusive{
			run: func(t *pgx.Conn, h head) error { return f.put(ctx, t, h) },
			// What was put is there, or is put by the next one.
			isDone: func(context.Context, *pgx.Conn, head) (bool, error) { return true, nil },
		})
		if errors.Is(err, errMoved) {
			continue // somebody else filled the same, or purged what was read
		}
		if err != nil {
			return stored, err
		}
		for _, rows := range f.chunks {
			stored += len(rows)
		}
	}
}

var _ backend.Filler = (*Store)(nil)

// Fill brings the table of chunks up to the events, where it is wanted. Else it empties it, so that
// it does not grow old with what was deleted since.
func (s *Store) Fill(ctx context.Context, wanted bool) (stored int, err error) {
	switch {
	case s.place.FromCopy || wanted && s.o.Cut == nil:
		return 0, nil
	case wanted:
		return FillChunks(ctx, s, s.o.Cut)
	}
	if has, err := hasChunks(ctx, s.database); err != nil || !has {
		return 0, err
	}
	return 0, s.excluding(ctx, exclusive{
		run: func(t *pgx.Conn, _ head) error {
			_, err := t.Exec(ctx, emptySQL, s.place.Space)
			return err
		},
		isDone: func(context.Context, *pgx.Conn, head) (bool, error) { return false, nil },
	})
}

// hasChunks reports whether there is anything to empty: whoever removed the row of mem.chunked may
// have left chunks.
func hasChunks(ctx context.Context, s *database) (has bool, err error) {
	err = s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mem.chunked WHERE space = $1)
			OR EXISTS (SELECT FROM mem.chunks WHERE tenant_id = $1)`, s.place.Space).Scan(&has)
	})
	return has, err
}

// filled returns how far the table of chunks has been filled, and whether it was at all.
func (s *database) filled(ctx context.Context) (upTo int64, ok bool, err error) {
	err = s.reading(ctx, func() error {
		err := s.pool.QueryRow(ctx, "SELECT seq FROM mem.chunked WHERE space = $1", s.place.Space).
			Scan(&upTo)
		ok = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return upTo, ok, err
}

const emptySQL = `WITH gone AS (DELETE FROM mem.chunks WHERE tenant_id = $1)
DELETE FROM mem.chunked WHERE space = $1`

// How much one fill holds in memory, and puts while nobody else can write.
const (
	fillEvents = 256
	fillBytes  = 1 << 20
)

// fill is one step of FillChunks: what changed after from, up to to.
type fill struct {
	store    *Store
	cut      func(log.Record) ([]Chunk, error)
	gen      int64 // purges, before it was read
	from, to int64
	chunks   map[keypath.Key][]chunkRow // of each key that has changed; none for a deleted one
}

// chunkRow is what the row of a chunk is made of.
type chunkRow struct {
	Chunk
	event log.Record
}

const eventsSQL = `SELECT seq, line FROM mem.envelopes WHERE space = $1 AND seq > $2
AND seq <= $3 AND key >= '` + keypath.Events + `/' AND key < '` + keypath.Events + `0' ORDER BY seq`

// read reads what comes next and cuts it, without a lock.
func (f *fill) read(ctx context.Context) error {
	h, err := f.store.askHead(ctx)
	if err != nil {
		return err
	}
	if f.from, _, err = f.store.filled(ctx); err != nil {
		return err
	}
	f.gen, f.to = h.gen, max(h.seq, f.from)
	events, size := 0, 0
	for rec, err := range f.store.stream(ctx, eventsSQL, f.store.place.Space, f.from, f.to) {
		if isDamage(err) {
			continue
		}
		if err == nil {
			err = f.add(rec)
		}
		if err != nil {
			return err
		}
		events, size = events+1, size+len(rec.Line)
		if events >= fillEvents || size >= fillBytes {
			f.to = int64(rec.Pos.Line)
			break
		}
	}
	return nil
}

// add cuts an event in place of an older one of its key.
func (f *fill) add(rec log.Record) error {
	if rec.Key.Class() != keypath.Event {
		return nil
	}
	f.chunks[rec.Key] = nil
	label := content.LabelOf(rec.Key, rec.Content)
	switch content.SensitivityOf(label) {
	case "none", "low":
	default:
		return nil
	}
	if !rec.Valid() {
		return nil
	}
	list, err := f.cut(rec)
	for _, c := range list {
		f.chunks[rec.Key] = append(f.chunks[rec.Key], chunkRow{c, rec})
	}
	return err
}

// advanceSQL notes how far the filling has come, unless somebody else has.
const advanceSQL = `INSERT INTO mem.chunked AS c (space, seq)
SELECT $1, $2 WHERE $3 = 0 OR EXISTS (SELECT FROM mem.chunked WHERE space = $1)
ON CONFLICT (space) DO UPDATE SET seq = excluded.seq WHERE c.seq = $3`

const chunkSQL = `INSERT INTO mem.chunks (tenant_id, chunk_id, event_id, ts, kind, channel,
	sensitivity, tags, token_est, text, key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`

// put stores what was cut, unless a purge came between: that may have taken away what was read.
func (f *fill) put(ctx context.Context, t *pgx.Conn, h head) error {
	space := f.store.place.Space
	tag, err := t.Exec(ctx, advanceSQL, space, f.to, f.from)
	if err != nil {
		return err
	}
	if h.gen != f.gen || tag.RowsAffected() == 0 {
		return errMoved
	}
	keys := make([]string, 0, len(f.chunks))
	for key := range f.chunks {
		keys = append(keys, key.String())
	}
	if err := dropChunks(ctx, t, space, keys); err != nil {
		return err
	}
	// Not by COPY, which a role that policies hold for may not use.
	var b pgx.Batch
	for _, rows := range f.chunks {
		for _, row := range rows {
			b.Queue(chunkSQL, row.args(space)...)
		}
	}
	return t.SendBatch(ctx, &b).Close()
}

// args returns the arguments of chunkSQL.
func (r *chunkRow) args(space string) []any {
	rec := r.event
	key, f := rec.Key.String(), content.Parse(rec.Content)
	label := content.LabelOf(rec.Key, rec.Content)
	tags := []string{}
	for _, tag := range f.Tags {
		tags = append(tags, withoutNUL(tag))
	}
	kind := jsontext.Unquote(jsontext.ParseMembers(rec.Content).Get("type"))
	return []any{space, r.ID, key[strings.LastIndexByte(key, '/')+1:], rec.TS.Time(),
		withoutNUL(kind), content.ChannelOf(label), content.SensitivityOf(label), tags, r.Tokens,
		withoutNUL(r.Text), key}
}

// withoutNUL returns a text as PostgreSQL can have it.
func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// dropChunks removes the chunks of events.
func dropChunks(ctx context.Context, t *pgx.Conn, space string, keys []string) error {
	_, err := t.Exec(ctx, "DELETE FROM mem.chunks WHERE tenant_id = $1 AND key = ANY ($2::text[])",
		space, keys)
	return err
}
