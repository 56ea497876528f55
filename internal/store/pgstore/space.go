package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/advice"
)

// Space is one memory of a database, as those who keep the database see it.
type Space struct {
	Name string `json:"name"`
	Role string `json:"role,omitempty"` // the login role that may see it, besides the owner
	Gen  int64  `json:"gen"`            // purges
	Seq  int64  `json:"seq"`            // envelopes that were ever appended
}

// groupRole is what the roles of spaces are members of: it may use the tables, and sees nothing.
const groupRole = "mem_space"

// Added is what AddSpace made; the rest was there.
type Added struct{ Space, Role bool }

// AddSpace makes a space, and with a role also that: one that may log in with the password and
// sees this space alone. An empty role leaves the space to the owner of the tables.
func AddSpace(ctx context.Context, url, name, role, password string) (made Added, err error) {
	if err := CheckSpace(name); err != nil {
		return made, err
	}
	if role == groupRole {
		return made, &Error{fmt.Errorf("%w: role %s: the roles of all spaces are its members",
			ErrURL, role), "input", advice.Say("give the role of the space another name")}
	}
	err = onConnection(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// A crash before the commit leaves neither space nor role.
			// Two at once would grant the same.
			_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock)
			if err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, `INSERT INTO mem.spaces (name, role) VALUES ($1, $2)
				ON CONFLICT (name) DO NOTHING`, name, nullable(role))
			if made.Space = tag.RowsAffected() > 0; err != nil || !made.Space || role == "" {
				return err
			}
			made.Role, err = makeRole(ctx, tx, role, password)
			return err
		})
	})
	return made, err
}

// RoleOf returns the name of the role that a space has unless it is given another.
func RoleOf(space string) string {
	if role := "mem_" + space; role != groupRole {
		return role
	}
	return "mem-" + space // no other space has it
}

// NewPassword returns a password that nobody has to remember.
func NewPassword() string { return rand.Text() }

// makeRole makes the login role of a space, unless it is there.
func makeRole(ctx context.Context, tx pgx.Tx, role, password string) (made bool, err error) {
	group, login := pgx.Identifier{groupRole}.Sanitize(), pgx.Identifier{role}.Sanitize()
	exists, err := hasRole(ctx, tx, groupRole)
	if err == nil && !exists {
		_, err = tx.Exec(ctx, "CREATE ROLE "+group+" NOLOGIN")
	}
	if err == nil {
		err = grant(ctx, tx)
	}
	if err != nil {
		return false, err
	}
	if exists, err = hasRole(ctx, tx, role); err != nil || exists {
		return false, errorOr(err, joinGroup(ctx, tx, group, login))
	}
	// A password is no parameter of the statement: it is quoted, and the server logs it only where
	// it logs all statements. doctor names that.
	_, err = tx.Exec(ctx, "CREATE ROLE "+login+" LOGIN PASSWORD "+literal(password)+
		" IN ROLE "+group)
	return err == nil, err
}

func hasRole(ctx context.Context, tx pgx.Tx, name string) (yes bool, err error) {
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name).
		Scan(&yes)
	return yes, err
}

// grant grants the group what it may do. It is the tables alone: who may read a partition of one
// sees every space in it.
func grant(ctx context.Context, tx pgx.Tx) error {
	group := pgx.Identifier{groupRole}.Sanitize()
	_, err := tx.Exec(ctx, strings.ReplaceAll(grants, "TO_GROUP", "TO "+group))
	return err
}

// grantAgain is grant where the group is there: its roles may be older than some of the tables.
func grantAgain(ctx context.Context, tx pgx.Tx) error {
	exists, err := hasRole(ctx, tx, groupRole)
	if err != nil || !exists {
		return err
	}
	return grant(ctx, tx)
}

func joinGroup(ctx context.Context, tx pgx.Tx, group, login string) error {
	_, err := tx.Exec(ctx, "GRANT "+group+" TO "+login)
	return err
}

// grants are what the role of a space may do, besides the policies of the rows.
const grants = `GRANT USAGE ON SCHEMA mem TO_GROUP;
GRANT SELECT ON mem.migrations, mem.store TO_GROUP;
GRANT SELECT ON mem.events, mem.decisions, mem.tasks, mem.artifacts TO_GROUP;
GRANT SELECT, UPDATE (gen, seq, high, config, config_version) ON mem.spaces TO_GROUP;
GRANT SELECT, INSERT, DELETE ON mem.envelopes, mem.blobs, mem.imported TO_GROUP;
GRANT SELECT, INSERT, UPDATE, DELETE ON mem.journal, mem.counters, mem.followers TO_GROUP;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA mem TO_GROUP`

// Spaces returns the spaces that a role sees, by name.
func Spaces(ctx context.Context, url string) (list []Space, err error) {
	err = onConnection(ctx, url, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT s.name, coalesce(s.role, ''), s.gen,
			greatest(s.seq, coalesce((SELECT max(seq) FROM mem.envelopes WHERE space = s.name), 0))
			FROM mem.spaces s ORDER BY s.name`)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Space])
		return err
	})
	return list, err
}

// FindSpace returns a space. The error wraps ErrNoSpace where there is none.
func FindSpace(ctx context.Context, url, name string) (found Space, err error) {
	err = onConnection(ctx, url, func(conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, "SELECT name, coalesce(role, ''), gen FROM mem.spaces "+
			"WHERE name = $1", name).Scan(&found.Name, &found.Role, &found.Gen)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%s: %w", name, ErrNoSpace)
		}
		return err
	})
	return found, err
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// literal returns a text as SQL spells it, whatever standard_conforming_strings says.
func literal(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "'", "''")
	return " E'" + text + "'"
}

// database returns the URL without the space.
func (p *Place) database() string {
	u, err := url.Parse(p.shown)
	if err != nil {
		return p.shown
	}
	return shown(u, "")
}

// PassLine returns the line of libpq's file of passwords for this place.
func (p *Place) PassLine(password string) string {
	c := p.conn.ConnConfig
	host := c.Host
	if filepath.IsAbs(host) {
		host = "localhost"
	}
	escape := strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace
	return fmt.Sprintf("%s:%d:%s:%s:%s", escape(host), c.Port, escape(c.Database), escape(c.User),
		escape(password))
}
