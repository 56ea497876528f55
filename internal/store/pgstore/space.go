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
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/log"
)

// Space is one memory of a database, as its administrator sees it.
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

// grant grants the group what it may do. It is the tables alone: a role that may read a partition
// of one sees every space in it.
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
	return withoutSecrets(u, "")
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

// Server is a database whose spaces are the tenants of memd serve.
type Server struct {
	place *Place
	pool  *pgxpool.Pool
	conns *Conns
}

// Token admits its bearer to the memory of a tenant: as one of some agents, or as a person, whose
// decisions it carries.
type Token struct {
	ID      string    `json:"id"`
	Tenant  string    `json:"tenant_id"`
	Agents  []string  `json:"agents"` // of a person's token it may be empty
	Person  bool      `json:"person,omitempty"`
	Created log.Stamp `json:"created"`
}

// StoredToken is a token with the only trace of its secret that is stored.
type StoredToken struct {
	Token
	Sum string `json:"sha256"` // of the secret, in hex
}

// NewServer returns a server. It connects when it is first asked for something.
// Its connections, which are few, count among those of conns.
func NewServer(place *Place, conns *Conns) (*Server, error) {
	if conns == nil {
		conns = NewConns(DefaultConns, Options{}.complete().Clock)
	}
	config := place.conn.Copy()
	config.MaxConns = spaceConns
	pool, err := conns.pool(config, true)
	return &Server{place, pool, conns}, err
}

// Location returns the URL of the database, without its secrets.
func (s *Server) Location() string { return s.place.database() }

// Close ends the connections.
func (s *Server) Close() { s.conns.close(s.pool) }

// Check returns an error where the server cannot be reached or lacks migrations, or a caller found
// no connection left.
func (s *Server) Check(ctx context.Context) error {
	if err := s.conns.check(); err != nil {
		return err
	}
	return failure(migrated(ctx, s.pool, s.place))
}

// Tenant returns the place of a space, for its own role: connections of its own, which see nothing
// else. The error wraps ErrNoSpace where there is none.
func (s *Server) Tenant(ctx context.Context, space string) (*Place, error) {
	var role string
	err := s.conns.retry(ctx, func() error {
		return s.pool.QueryRow(ctx, "SELECT coalesce(role, '') FROM mem.spaces WHERE name = $1",
			space).Scan(&role)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fmt.Errorf("%s: %w", space, ErrNoSpace)
	}
	if err != nil {
		return nil, failure(err)
	}
	return s.place.As(role, space).withFewConns(), nil
}

// AddToken stores a token. The error wraps ErrNoSpace.
func (s *Server) AddToken(ctx context.Context, t StoredToken) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO mem.tokens (sum, id, space, agents, made, person)
		SELECT $1, $2, name, $4, $5, $6 FROM mem.spaces WHERE name = $3`,
		t.Sum, t.ID, t.Tenant, append([]string{}, t.Agents...), t.Created.Time(), t.Person)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("%s: %w", t.Tenant, ErrNoSpace)
	}
	return failure(err)
}

const tokenColumns = "sum, id, space, agents, made, person"

// RemoveToken deletes the token with an id or a sum, and returns it; false if there is none.
func (s *Server) RemoveToken(ctx context.Context, id, sum string) (Token, bool, error) {
	return s.findToken(ctx, "DELETE FROM mem.tokens WHERE id = $1 OR sum = $2 RETURNING "+
		tokenColumns, id, sum)
}

// Token returns the token with a sum; false if there is none.
func (s *Server) Token(ctx context.Context, sum string) (Token, bool, error) {
	return s.findToken(ctx, "SELECT "+tokenColumns+" FROM mem.tokens WHERE sum = $1", sum)
}

func (s *Server) findToken(ctx context.Context, sql string, args ...any) (Token, bool, error) {
	list, err := s.tokens(ctx, sql, args...)
	if len(list) == 0 || err != nil {
		return Token{}, false, err
	}
	return list[0].Token, true, nil
}

// Tokens returns all tokens, the oldest first.
func (s *Server) Tokens(ctx context.Context) ([]StoredToken, error) {
	return s.tokens(ctx, "SELECT "+tokenColumns+" FROM mem.tokens ORDER BY made, id")
}

func (s *Server) tokens(ctx context.Context, sql string, args ...any) ([]StoredToken, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t StoredToken, err error) {
		err = row.Scan(&t.Sum, &t.ID, &t.Tenant, &t.Agents, stampOr{&t.Created}, &t.Person)
		return t, err
	})
	return list, failure(err)
}
