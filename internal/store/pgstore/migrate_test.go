package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
)

// TestMigrationWaits is a migration beside another one, which hangs: it does not wait for ever.
func TestMigrationWaits(t *testing.T) {
	url := database(t)
	release := pgstore.HoldSchema(t, url)
	defer release()
	_, err := pgstore.Migrate(context.Background(), url)
	if err == nil || !strings.Contains(err.Error(), "another migration") {
		t.Errorf("%v, want another migration to have the lock", err)
	}
	if _, err := pgstore.AddSpace(context.Background(), url, "waits", nil); err == nil {
		t.Error("a space was added during a migration")
	}
}

// A step has the number that its name begins with.
func TestMigrationsAreNumbered(t *testing.T) {
	list, err := pgstore.Migrations()
	must(t, err)
	for i, m := range list {
		prefix := fmt.Sprintf("%04d_", i+1)
		if m.Number != i+1 || !strings.HasPrefix(m.Name, prefix) {
			t.Errorf("step %d is called %s, want %s...", m.Number, m.Name, prefix)
		}
	}
}

// TestCapitals is a space, and a role, with capitals and more to quote: the role sees its space
// alone, and what it writes is there.
func TestCapitals(t *testing.T) {
	ctx, url := context.Background(), database(t)
	for space, login := range map[string]pgstore.Login{
		"Acme.Team-A": {Password: "x"}, "acme.team-a": {Password: "x"},
		"Other": {Role: `Ada "L" O'Neil`, Password: "it's"},
	} {
		made, err := pgstore.AddSpace(ctx, url, space, &login)
		must(t, err)
		sql := connect(t, url)
		_, err = sql.Exec(ctx, "SET ROLE "+pgx.Identifier{made.Role}.Sanitize())
		must(t, err)
		var names string
		must(t, sql.QueryRow(ctx, "SELECT string_agg(name, ' ') FROM mem.spaces").Scan(&names))
		if names != space {
			t.Errorf("role %s sees %q, want %q", made.Role, names, space)
		}
		place, err := pgstore.ParseURL(url + "&space=" + space)
		must(t, err)
		s := openPlace(t, place.As(made.Role, space))
		must(t, put(ctx, s, "/a", `"there"`, true))
		if _, found, err := s.Get(ctx, keypath.MustParse("/a")); !found || err != nil {
			t.Errorf("%s: %t, %v", space, found, err)
		}
	}
}

// The step that drops the table of marks is refused where it has some, and drops nothing then.
func TestMarksAreNotDropped(t *testing.T) {
	ctx, url := context.Background(), database(t)
	execute(t, url, `DELETE FROM mem.migrations WHERE number = 11`)
	execute(t, url, `CREATE TABLE mem.imported (space text, line bytea)`)
	execute(t, url, `INSERT INTO mem.imported VALUES ('acme', 'x')`)
	_, err := pgstore.Migrate(ctx, url)
	if !errors.Is(err, pgstore.ErrSchema) || !strings.Contains(err.Error(), "acme") ||
		!strings.Contains(err.Error(), content.ConvertedBy) {
		t.Errorf("with a mark: %v", err)
	}
	if n := number(t, url, `SELECT count(*)::int FROM mem.imported`); n != 1 {
		t.Errorf("%d marks are left, want 1", n)
	}
	execute(t, url, `DELETE FROM mem.imported`)
	if list, err := pgstore.Migrate(ctx, url); err != nil || len(list) != 1 {
		t.Errorf("without marks: %v, %v", list, err)
	}
}
