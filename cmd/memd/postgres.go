package main

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/log"
)

// connect opens the memory at a URL.
func connect(url string, o mem.Options) (backend.Backend, error) {
	place, err := pgstore.ParseURL(url)
	if err != nil {
		return nil, err
	}
	place.FromCopy = place.FromCopy || o.FromCopy
	return pgstore.Open(place, pgstore.Options{Now: o.Now, LockWait: o.LockWait, Warn: o.Warn,
		Program: o.Program, Debug: o.Debug, Progress: o.Progress, OnCopyDue: o.OnCompactionDue,
		Cut: cutter(o.Warn)})
}

// cutter returns what cuts events as the ledger does. One that cannot be cut has no chunks, and
// does not keep those after it from theirs.
func cutter(warn func(string)) func(log.Record) ([]pgstore.Chunk, error) {
	return func(rec log.Record) ([]pgstore.Chunk, error) {
		parts, err := ledger.Cut(rec)
		if err != nil {
			warn(rec.Key.String() + ": not in the table of chunks: " + err.Error())
			return nil, nil
		}
		list := make([]pgstore.Chunk, len(parts))
		for i, p := range parts {
			list[i] = pgstore.Chunk{ID: ledger.ChunkID(rec.Key, i), Text: p.Text, Tokens: p.Tokens}
		}
		return list, nil
	}
}

// migrate takes the migrations that a database lacks, or only lists them.
func migrate(ctx context.Context, url string, dryRun bool) (list []cli.SchemaStep, err error) {
	take := pgstore.Migrate
	if dryRun {
		take = pgstore.Missing
	}
	steps, err := take(ctx, url)
	for _, s := range steps {
		list = append(list, cli.SchemaStep{Number: s.Number, Name: s.Name, SQL: s.SQL})
	}
	return list, err
}
