package main

import (
	"context"
	"os"
	"time"

	"github.com/set-memory/mem"

	"github.com/set-memory/mem/scripts/harness"
)

// textsSQL makes a table of the texts, which is searched as PostgreSQL does it.
const textsSQL = `CREATE SCHEMA peer;
CREATE TABLE peer.texts AS SELECT event_id AS id, content->>'text' AS text FROM mem.events;
ALTER TABLE peer.texts ADD PRIMARY KEY (id)`

const ginSQL = `ALTER TABLE peer.texts ADD COLUMN tsv tsvector
	GENERATED ALWAYS AS (to_tsvector('pg_catalog.english', text)) STORED;
CREATE INDEX texts_tsv ON peer.texts USING gin (tsv)`

// copyRounds is how often a copy is made anew.
const copyRounds = 3

// copyFigures measures who comes to a space for the first time, beside making an index of it in
// PostgreSQL.
func copyFigures(ctx context.Context, l *lab) []figure {
	l.makeTexts(ctx)
	var read, search, gin []time.Duration
	for range copyRounds {
		for _, side := range []struct {
			took *[]time.Duration
			do   func()
		}{
			{&read, func() { l.firstRead(ctx) }},
			{&gin, func() { l.makeGIN(ctx) }},
			{&search, func() { l.firstSearch(ctx) }},
		} {
			harness.Check(os.RemoveAll(l.path("first")))
			begin := time.Now()
			side.do()
			*side.took = append(*side.took, time.Since(begin))
		}
	}
	share := func(d time.Duration) time.Duration {
		return time.Duration(float64(d) * float64(l.opt.events) / 1e6)
	}
	return []figure{
		within("until a read answers (15 s for 1,000,000)", median(read), share(15*time.Second)),
		within("until a search answers (60 s for 1,000,000)", median(search),
			share(time.Minute)),
		beside("the same", median(search), "to make tsvector and GIN", median(gin), times(0.75)),
	}
}

func (l *lab) firstRead(ctx context.Context) {
	store, _ := l.openStore(memory, "first")
	defer store.Close()
	harness.Must(store.Read(ctx, mem.Caller{}, mem.ReadOptions{Limit: 2000, Prefix: events}))
}

func (l *lab) firstSearch(ctx context.Context) {
	store, _ := l.openStore(memory, "first")
	defer store.Close()
	search(ctx, store, wordThousand)
}

// makeTexts makes the table of texts, once.
func (l *lab) makeTexts(ctx context.Context) {
	if l.textsMade {
		return
	}
	l.textsMade = true
	l.sql(ctx, textsSQL)
}

// makeGIN makes the column and its index anew.
func (l *lab) makeGIN(ctx context.Context) {
	l.sql(ctx, "ALTER TABLE peer.texts DROP COLUMN IF EXISTS tsv;"+ginSQL)
}
