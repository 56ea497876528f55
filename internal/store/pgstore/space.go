package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/backend"
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

// Login is the login role of a new space.
type Login struct {
	Role     string // an existing role, too; "": a new role of this space alone
	Password string // of a new role
}

// Added is the outcome of AddSpace: the space, with its role, and whether they are new.
type Added struct {
	Space, NewRole bool
	Role           string
}

// AddSpace makes a space and its login role, which sees this space alone. A nil login leaves the
// space to the owner of the tables. An existing space keeps its role.
func AddSpace(ctx context.Context, url, name string, login *Login) (made Added, err error) {
	if err := checkSpace(name); err != nil {
		return made, err
	}
	if login != nil && (login.Role == groupRole || strings.HasPrefix(login.Role, serverRole)) {
		return made, inputFault(fmt.Errorf("%w: role %s: mem has it for all spaces", ErrURL,
			login.Role), advice.Say("give the role of the space another name"))
	}
	err = onConnection(ctx, url, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// A crash before the commit leaves neither space nor role.
			// Two at once would grant the same.
			err := lockSchema(ctx, tx)
			if err == nil {
				made, err = addSpace(ctx, tx, name, login)
			}
			return err
		})
	})
	return made, err
}

func addSpace(ctx context.Context, tx pgx.Tx, name string, login *Login) (made Added, err error) {
	err = tx.QueryRow(ctx, "SELECT coalesce(role, '') FROM mem.spaces WHERE name = $1", name).
		Scan(&made.Role)
	if !errors.Is(err, pgx.ErrNoRows) {
		return made, err
	}
	if login != nil {
		if made.Role, made.NewRole, err = makeRole(ctx, tx, name, login); err != nil {
			return made, err
		}
	}
	made.Space = true
	_, err = tx.Exec(ctx, "INSERT INTO mem.spaces (name, role) VALUES ($1, nullif($2, ''))",
		name, made.Role)
	return made, err
}

// NewPassword returns a password that nobody has to remember.
func NewPassword() string { return rand.Text() }

// makeRole makes the login role of a space. An existing role is taken only by its name: it may be
// the role of a space of another database, since a server has one list of roles.
func makeRole(ctx context.Context, tx pgx.Tx, space string, login *Login) (role string,
	isNew bool, err error) {
	if role = login.Role; role == "" {
		role, err = ownRole(ctx, tx, space)
	}
	group := pgx.Identifier{groupRole}.Sanitize()
	if err == nil {
		err = makeGroup(ctx, tx, group)
	}
	if err == nil {
		err = makeServer(ctx, tx)
	}
	if err != nil {
		return role, false, err
	}
	exists, err := hasRole(ctx, tx, role)
	quoted := pgx.Identifier{role}.Sanitize()
	switch {
	case err != nil:
	case exists && login.Role == "":
		err = inputFault(fmt.Errorf(
			"%w: role %s exists already, and no space of this database has it", ErrURL, role),
			advice.Shell("--role NAME names the role of the space"))
	case exists:
		_, err = tx.Exec(ctx, "GRANT "+group+" TO "+quoted)
	default:
		// A password is no parameter of the statement: it is quoted, and the server logs it only
		// where it logs all statements. doctor names that.
		_, err = tx.Exec(ctx, "CREATE ROLE "+quoted+" LOGIN PASSWORD "+literal(login.Password)+
			" IN ROLE "+group)
	}
	return role, err == nil && !exists, err
}

// ownRole returns the name of the role of a space of this database: mem_SPACE_ with six digits of a
// hash, which no other database of the server has. The longest is 59 of 63 bytes.
func ownRole(ctx context.Context, tx pgx.Tx, space string) (role string, err error) {
	err = tx.QueryRow(ctx, `SELECT 'mem_' || $1 || '_' ||
		left(encode(sha256(convert_to(oid || ' ' || $1, 'UTF8')), 'hex'), 6)
		FROM pg_database WHERE datname = current_database()`, space).Scan(&role)
	return role, err
}

// makeGroup makes the group of all roles of spaces, and grants it the tables.
func makeGroup(ctx context.Context, tx pgx.Tx, group string) error {
	exists, err := hasRole(ctx, tx, groupRole)
	if err == nil && !exists {
		_, err = tx.Exec(ctx, "CREATE ROLE "+group+" NOLOGIN")
	}
	if err == nil {
		err = grant(ctx, tx)
	}
	return err
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

// grantAgain grants the group again: its roles may be older than some of the tables. Where a space
// has a role, or a server had one, it makes the missing ones.
func grantAgain(ctx context.Context, tx pgx.Tx) error {
	var needed bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM mem.spaces WHERE role IS NOT NULL)
		OR EXISTS (SELECT FROM mem.store WHERE server IS NOT NULL)`).Scan(&needed)
	if err == nil && needed {
		if err = makeGroup(ctx, tx, groupRole); err == nil {
			err = makeServer(ctx, tx)
		}
		if isCode(err, codePrivilege) {
			err = ioFault(fmt.Errorf("%w: memd serve needs a role, which this one may not make",
				ErrServer),
				advice.RunAlone("migrate", "--root", "URL").Then(", by a role with CREATEROLE"))
		}
		return err
	}
	// The group may be that of another database: the owner of this one may make no roles.
	exists, err2 := hasRole(ctx, tx, groupRole)
	if err = errorOr(err, err2); err != nil || !exists {
		return err
	}
	return grant(ctx, tx)
}

// serverRole begins the name of the role that a server of this database takes on for a space. It
// has no login, and the owner of the tables is its only member.
const serverRole = "mem_server"

// makeServer makes that role, unless it is there. Its name ends with six digits of a hash of the
// database, so that the owner of one takes on nothing in another: a restored one, which has the
// name of its original in mem.store, gets its own.
func makeServer(ctx context.Context, tx pgx.Tx) error {
	var role, owner string
	var isMember bool
	err := tx.QueryRow(ctx, `SELECT $1 ||
			left(encode(sha256(convert_to('server ' || d.oid, 'UTF8')), 'hex'), 6), t.tableowner
		FROM pg_database d, pg_tables t WHERE d.datname = current_database()
		AND t.schemaname = 'mem' AND t.tablename = 'spaces'`, serverRole).Scan(&role, &owner)
	if err != nil {
		return err
	}
	exists, err := hasRole(ctx, tx, role)
	quoted := pgx.Identifier{role}.Sanitize()
	if err == nil && !exists {
		_, err = tx.Exec(ctx, "CREATE ROLE "+quoted+" NOLOGIN IN ROLE "+groupRole)
	}
	if err == nil { // from version 16 on, a member may lack the right to take the role on
		err = tx.QueryRow(ctx, `SELECT pg_has_role($1, $2, CASE
			WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)`,
			owner, role).Scan(&isMember)
	}
	if err == nil && (!exists || !isMember) {
		_, err = tx.Exec(ctx, "GRANT "+quoted+" TO "+pgx.Identifier{owner}.Sanitize())
	}
	if err == nil {
		_, err = tx.Exec(ctx, "UPDATE mem.store SET server = $1", role)
	}
	return err
}

// grants are what the role of a space may do, besides the policies of the rows.
const grants = `GRANT USAGE ON SCHEMA mem TO_GROUP;
GRANT SELECT ON mem.migrations, mem.store TO_GROUP;
GRANT SELECT ON mem.events, mem.decisions, mem.tasks, mem.artifacts TO_GROUP;
GRANT SELECT, UPDATE (gen, seq, high, config, config_version) ON mem.spaces TO_GROUP;
GRANT SELECT, INSERT, DELETE ON mem.envelopes, mem.blobs TO_GROUP;
GRANT SELECT, INSERT, UPDATE, DELETE ON mem.counters, mem.followers TO_GROUP`

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

// literal returns a text as SQL spells it, whatever standard_conforming_strings says.
func literal(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "'", "''")
	return " E'" + text + "'"
}

// database returns the URL without the space.
func (p *Address) database() string {
	u, err := url.Parse(p.shown)
	if err != nil {
		return p.shown
	}
	return withoutSecrets(u, "")
}

// PassLine returns the line of libpq's file of passwords for this place.
func (p *Address) PassLine(password string) string {
	c := p.conn.ConnConfig
	escape := strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace
	return fmt.Sprintf("%s:%d:%s:%s:%s", escape(passHost(c.Host)), c.Port, escape(c.Database),
		escape(c.User), escape(password))
}

// Server is a database whose spaces are the tenants of memd serve. They share its connections.
type Server struct {
	place *Address
	pool  *lane // as the owner of the tables, for tokens and the names of spaces
	conns *conns
	joint *joint

	lookups *lookups
}

// NewServer returns a server of at most so many connections, two or more; a fifth of them is for
// callers that hold one already. It connects when it is first asked for something.
func NewServer(place *Address, most int) (*Server, error) {
	inside := max(int32(most)/5, 1)
	conns, err := newConns(place, int32(most)-inside, inside, Options{}.complete().Clock)
	if err != nil {
		return nil, err
	}
	s := &Server{place: place, pool: newLane(conns.first, "", spaceConns).
		orElse(newLane(conns.inside, "", spaceConns)), conns: conns, joint: newJoint(conns)}
	s.lookups = newLookups(s.askToken)
	return s, nil
}

// Location returns the URL of the database, without its secrets.
func (s *Server) Location() string { return s.place.database() }

// Close ends the connections.
func (s *Server) Close() { s.conns.close() }

// Check returns an error where the server cannot be reached or lacks migrations, or a caller found
// no connection left.
func (s *Server) Check(ctx context.Context) error {
	if err := s.conns.check(); err != nil {
		return err
	}
	err := migrated(ctx, s.pool, s.place)
	if err == nil { // a server's role may be missing after a restore: then no space can be read
		_, err = newLane(s.conns.first, "none", 1).orElse(s.pool.other).Exec(ctx, "SELECT 1")
	}
	return failure(err)
}

// lookTime is how long a tenant or a token is looked for: longer than a connection is waited for,
// whose error says more.
const lookTime = restartTime + 2*time.Second

// look asks for a tenant or tokens. The error wraps backend.ErrUnavailable where there is no
// connection, or no answer, in time.
func (s *Server) look(ctx context.Context, ask func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	err := s.conns.retry(within, func() error { return ask(within) })
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w: no answer within %s", ErrServer, backend.ErrUnavailable,
			lookTime)
	}
	return failure(err)
}

// Tenant returns the place of a space. The error is that of look, or wraps ErrNoSpace.
func (s *Server) Tenant(ctx context.Context, space string) (*Address, error) {
	there := false
	err := s.look(ctx, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM mem.spaces WHERE name = $1)",
			space).Scan(&there)
	})
	if err == nil && !there {
		err = fmt.Errorf("%s: %w", space, ErrNoSpace)
	}
	return s.place.As("", space), err
}
