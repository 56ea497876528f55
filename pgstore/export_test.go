package pgstore

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Hold locks a space as another writer does.
func Hold(t testing.TB, p *Place) (release func()) {
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, p.conn.ConnConfig.Copy())
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, lockSQL, p.Space)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback(ctx)
		conn.Close(ctx)
	}
}

// URL returns the whole URL of a place.
func (p *Place) URL() string { return p.shown }
