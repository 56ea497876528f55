package server

import (
	"context"
	"fmt"
	"os"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/store/pgstore"
)

// served is the database of memd serve, whose connections all its stores share; nil: each store has
// its own.
var served *pgstore.Server

// Connect opens the memory at a URL.
func Connect(url string, o mem.Options) (*mem.Store, error) {
	place, err := pgstore.ParseURL(url)
	if err != nil {
		return nil, err
	}
	place.FromCopy = place.FromCopy || o.FromCopy
	kept, err := pgstore.Open(place, pgstore.Options{Now: o.Now, LockWait: o.LockWait, Warn: o.Warn,
		Program: o.Program, Debug: o.Debug, Progress: o.Progress, OnCopyDue: o.OnCompactionDue,
		Server: served})
	if err != nil {
		return nil, err
	}
	return mem.New(kept, o), nil
}

// Migrate takes the migrations that a database lacks, or only lists them.
func Migrate(ctx context.Context, url string, dryRun bool) (list []app.SchemaStep, err error) {
	take := pgstore.Migrate
	if dryRun {
		take = pgstore.Missing
	}
	steps, err := take(ctx, url)
	for _, s := range steps {
		list = append(list, app.SchemaStep{Number: s.Number, Name: s.Name, SQL: s.SQL})
	}
	return list, err
}

// remoteRoot returns the root of a server on a database. Its socket is in $XDG_RUNTIME_DIR, for
// this user alone. All memories that are opened later share its connections.
func remoteRoot(root string, conns int) (*serve.Root, error) {
	place, err := pgstore.ParseURL(root)
	if err != nil {
		return nil, err
	}
	if place.Space != "" {
		return nil, app.BadInput("root", "it names one space; a server serves the whole database",
			"leave ?space= out")
	}
	server, err := pgstore.NewServer(place, conns)
	if err != nil {
		return nil, err
	}
	dir := []string{os.Getenv("XDG_RUNTIME_DIR"), "memd"}
	if dir[0] == "" {
		dir = []string{os.TempDir(), fmt.Sprintf("memd-%d", os.Getuid()), "memd"}
	}
	served = server
	return serve.DatabaseRoot(server, dir...), nil
}
