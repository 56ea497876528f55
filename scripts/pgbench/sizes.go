package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem"

	"github.com/set-memory/mem/scripts/harness"
)

// seedSQL makes tables of events and of their chunks with the columns and indexes that somebody
// gives them who keeps them in PostgreSQL, without mem, and puts the events there.
const seedSQL = `CREATE SCHEMA seed;
CREATE TABLE seed.events (
	event_id text PRIMARY KEY, ts timestamptz NOT NULL DEFAULT now(), tenant_id text NOT NULL,
	session_id text NOT NULL, channel text NOT NULL, actor_type text NOT NULL,
	actor_id text NOT NULL, kind text NOT NULL, sensitivity text NOT NULL DEFAULT 'none',
	tags text[] NOT NULL DEFAULT '{}', content jsonb NOT NULL, refs text[] NOT NULL DEFAULT '{}');
CREATE INDEX ON seed.events (tenant_id, ts DESC);
CREATE INDEX ON seed.events (tenant_id, session_id, ts DESC);
CREATE INDEX ON seed.events USING gin (tags);
CREATE INDEX ON seed.events USING gin (content);
CREATE TABLE seed.chunks (
	chunk_id text PRIMARY KEY, tenant_id text NOT NULL,
	event_id text NOT NULL REFERENCES seed.events ON DELETE CASCADE, ts timestamptz NOT NULL,
	kind text NOT NULL, channel text NOT NULL, sensitivity text NOT NULL DEFAULT 'none',
	tags text[] NOT NULL DEFAULT '{}', token_est int NOT NULL, importance real DEFAULT 0.0,
	text text NOT NULL, tsv tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);
CREATE INDEX ON seed.chunks (tenant_id, ts DESC);
CREATE INDEX ON seed.chunks (tenant_id, kind);
CREATE INDEX ON seed.chunks USING gin (tsv);
CREATE INDEX ON seed.chunks USING gin (tags);
INSERT INTO seed.events SELECT event_id, ts, tenant_id, session_id, channel, actor_type, actor_id,
	kind, sensitivity, tags, content::jsonb, refs FROM mem.events ORDER BY ts;
INSERT INTO seed.chunks (chunk_id, tenant_id, event_id, ts, kind, channel, token_est, text)
	SELECT replace(event_id, 'evt_', 'chk_') || '000', tenant_id, event_id, ts, kind, channel,
		length(content->>'text') / 4, content->>'text' FROM seed.events ORDER BY ts`

const linesSQL = `SELECT sum(octet_length(line) + 1)::bigint FROM mem.envelopes WHERE space = $1`

const wholeSQL = `SELECT sum(pg_total_relation_size(t::regclass))::bigint FROM unnest($1::text[]) t`

// sizeFigures measures what the memory takes on the server and on the machine of a reader.
func sizeFigures(ctx context.Context, l *lab) []figure {
	l.sql(ctx, seedSQL)
	for _, text := range []string{"VACUUM seed.events", "VACUUM seed.chunks",
		"VACUUM mem.envelopes"} {
		l.sql(ctx, text)
	}
	lines := l.ask(ctx, linesSQL, memory)
	table := l.ask(ctx, wholeSQL, []string{"mem.envelopes"})
	seed := l.ask(ctx, wholeSQL, []string{"seed.events", "seed.chunks"})
	store, _ := l.openStore(memory, "sized")
	defer store.Close()
	harness.Must(store.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000}))
	l.sql(ctx, "DROP SCHEMA seed CASCADE")
	copied := bytesBelow(l.path("sized"))
	return []figure{
		ofBytes("mem.envelopes with its indexes", table, "the lines", lines, times(1.4)),
		ofBytes("the same", table, "tables of events and chunks with their indexes", seed,
			times(0.5)),
		ofBytes("the copy of a reader", copied, "the live lines", lines, times(1.5)),
	}
}

// bytesBelow returns the bytes of all files below a directory.
func bytesBelow(dir string) (size int64) {
	harness.Check(filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := os.Stat(name)
		if err == nil {
			size += fi.Size()
		}
		return err
	}))
	return size
}
