package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Server is a database whose spaces are tenants, as the one who serves them sees it.
type Server struct {
	place *Place
	pool  *pgxpool.Pool
	conns *Conns
}

// Token is one row of mem.tokens: the bearer of the text with this sum may use a space, as these
// agents or as a person.
type Token struct {
	Sum, ID, Space string
	Agents         []string
	Made           time.Time
	Person         bool
}

// NewServer returns a server. It connects when it is first asked for something.
// Its connections, which are few, count among those of conns.
func NewServer(place *Place, conns *Conns, warn func(msg string)) (*Server, error) {
	place.warnOfRead(warn)
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

// AddToken keeps a token. The error wraps ErrNoSpace.
func (s *Server) AddToken(ctx context.Context, t Token) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO mem.tokens (sum, id, space, agents, made, person)
		SELECT $1, $2, name, $4, $5, $6 FROM mem.spaces WHERE name = $3`,
		t.Sum, t.ID, t.Space, t.Agents, t.Made, t.Person)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("%s: %w", t.Space, ErrNoSpace)
	}
	return failure(err)
}

const tokenColumns = "sum, id, space, agents, made, person"

// RemoveToken takes out the token of an id or of a sum; false where there is none.
func (s *Server) RemoveToken(ctx context.Context, id, sum string) (Token, bool, error) {
	return s.one(ctx, "DELETE FROM mem.tokens WHERE id = $1 OR sum = $2 RETURNING "+tokenColumns,
		id, sum)
}

// TokenOf returns the token of a sum; false where there is none.
func (s *Server) TokenOf(ctx context.Context, sum string) (Token, bool, error) {
	return s.one(ctx, "SELECT "+tokenColumns+" FROM mem.tokens WHERE sum = $1", sum)
}

func (s *Server) one(ctx context.Context, sql string, args ...any) (Token, bool, error) {
	list, err := s.tokens(ctx, sql, args...)
	if len(list) == 0 || err != nil {
		return Token{}, false, err
	}
	return list[0], true, nil
}

// Tokens returns all tokens, the oldest first.
func (s *Server) Tokens(ctx context.Context) ([]Token, error) {
	return s.tokens(ctx, "SELECT "+tokenColumns+" FROM mem.tokens ORDER BY made, id")
}

func (s *Server) tokens(ctx context.Context, sql string, args ...any) ([]Token, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, failure(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Token])
	return list, failure(err)
}
