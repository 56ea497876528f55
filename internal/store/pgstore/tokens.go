package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/set-memory/mem/log"
)

// Server is a database whose spaces are tenants, as the one who serves them sees it.
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

// Shown returns the URL of the database, without what is secret.
func (s *Server) Shown() string { return s.place.database() }

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
