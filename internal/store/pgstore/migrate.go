package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one step of the schema. Steps are added, and never changed: a database may have
// taken them long ago.
type Migration struct {
	Number int
	Name   string
	SQL    string
}

// Migrations returns all steps in the order of their names, which begin with their numbers.
func Migrations() ([]Migration, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	list := make([]Migration, len(names))
	for i, path := range names {
		text, err := migrationFiles.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		list[i] = Migration{i + 1, name, string(text)}
	}
	return list, nil
}

// migrationLock is the advisory lock of a migration's transaction.
const migrationLock = 0x6d656d // "mem"

// migrationWait is how long a step waits for the lock, and for each table.
var migrationWait = 30 * time.Second

// lockSchema waits until nobody else changes the schema, or the spaces.
func lockSchema(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT set_config('lock_timeout', $1, true), "+pathSQL,
		spelled(migrationWait))
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock)
	}
	if isCode(err, codeLocked) {
		return ioFault(fmt.Errorf("%w: another migration, or a new space, has the lock: waited %s",
			ErrServer, migrationWait), advice.Say("try again"))
	}
	return err
}

// Missing returns the steps that a database has not taken yet. The error wraps ErrSchema for one of
// a later mem, or for one whose text is no UTF-8.
func Missing(ctx context.Context, url string) (list []Migration, err error) {
	err = onConnection(ctx, url, func(conn *pgx.Conn) error {
		list, err = missing(ctx, conn)
		return err
	})
	return list, err
}

// Migrate takes the steps that are missing, all of them or none, and returns them. Where it is in a
// deadlock with clients it begins again.
func Migrate(ctx context.Context, url string) (list []Migration, err error) {
	for try := 1; ; try++ {
		err = onConnection(ctx, url, func(conn *pgx.Conn) error {
			// A crash before the commit leaves the schema as it was.
			return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
				list, err = migrate(ctx, tx)
				return err
			})
		})
		if !isCode(err, codeDeadlock) || try == tries {
			return list, err
		}
		pause(ctx, try)
	}
}

func migrate(ctx context.Context, tx pgx.Tx) (list []Migration, err error) {
	if err = lockSchema(ctx, tx); err == nil {
		list, err = missing(ctx, tx)
	}
	for i := 0; i < len(list) && err == nil; i++ {
		err = step(ctx, tx, list[i])
	}
	if err == nil {
		err = grantAgain(ctx, tx)
	}
	return list, err
}

// step takes one step, and notes that.
func step(ctx context.Context, tx pgx.Tx, m Migration) error {
	if m.Number == 1 {
		if _, err := tx.Exec(ctx, migrationsTable); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, m.SQL) // several statements, without arguments
	if isCode(err, codeMarked) {
		return markedError(err)
	}
	if err != nil {
		return fmt.Errorf("migration %s: %w", m.Name, err)
	}
	_, err = tx.Exec(ctx, "INSERT INTO mem.migrations (number, name) VALUES ($1, $2)",
		m.Number, m.Name)
	return err
}

// markedError refuses the tables of a mem that marked lines beside them.
func markedError(err error) error {
	var from *pgconn.PgError
	errors.As(err, &from)
	return ioFault(fmt.Errorf("%w: the space %s has lines marked in mem.imported: %s", ErrSchema,
		from.Message, content.ConvertedBy),
		advice.Shell("there copy the space to a directory, which mem fsck --repair converts, "+
			"then copy that to another space and drop this one"))
}

const migrationsTable = `CREATE SCHEMA IF NOT EXISTS mem;
CREATE TABLE mem.migrations (
	number integer PRIMARY KEY,
	name   text NOT NULL,
	taken  timestamptz NOT NULL DEFAULT now()
);
-- Which database this is, whatever its address: a copy of another one is not used.
CREATE TABLE mem.store (id uuid NOT NULL DEFAULT gen_random_uuid());
INSERT INTO mem.store DEFAULT VALUES`

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func missing(ctx context.Context, q querier) ([]Migration, error) {
	var encoding string
	var has bool
	err := q.QueryRow(ctx, "SELECT current_setting('server_encoding'), "+
		"to_regclass('mem.migrations') IS NOT NULL").Scan(&encoding, &has)
	if err != nil {
		return nil, err
	}
	if encoding != "UTF8" {
		return nil, ioFault(fmt.Errorf("%w: the database is in %s, and memories are UTF-8",
			ErrSchema, encoding),
			advice.Shell("createdb --encoding UTF8 --template template0 NAME makes one"))
	}
	taken := 0
	if has {
		err = q.QueryRow(ctx, "SELECT coalesce(max(number), 0) FROM mem.migrations").Scan(&taken)
	}
	if err != nil {
		return nil, err
	}
	all, err := Migrations()
	if err == nil && taken > len(all) {
		err = ioFault(fmt.Errorf("%w: the database has taken step %d, this memd knows %d",
			ErrSchema, taken, len(all)), advice.Say("install the newer memd"))
	}
	if err != nil {
		return nil, err
	}
	return all[taken:], nil
}

// migrated returns an error where a database lacks migrations.
func migrated(ctx context.Context, q querier, p *Address) error {
	list, err := missing(ctx, q)
	if err == nil && len(list) > 0 {
		err = ioFault(fmt.Errorf("%w: migrations that are missing: %d", ErrSchema, len(list)),
			advice.RunAlone("migrate", "--root", p.database()))
	}
	return err
}

func onConnection(ctx context.Context, url string, fn func(*pgx.Conn) error) error {
	place, err := ParseURL(url)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, place.conn.ConnConfig.Copy())
	if err != nil {
		return failure(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return failure(fn(conn))
}
