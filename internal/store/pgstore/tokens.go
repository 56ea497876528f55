package pgstore

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

// Token admits its bearer to the memory of a tenant: as one of some agents, or as a person, whose
// decisions it carries.
type Token struct {
	ID      string    `json:"id"`
	Tenant  string    `json:"tenant_id"`
	Agents  []string  `json:"agents"` // of a person's token it may be empty
	Person  bool      `json:"person,omitempty"`
	Member  string    `json:"member,omitempty"` // of the team; "" of an older token, see Name
	Created log.Stamp `json:"created"`
}

// Name returns the name of the member that a token belongs to. An older token has that of its first
// agent, and one whose agents have no such name its own id: each write by a token has a name.
func (t *Token) Name() string {
	if t.Member == "" && len(t.Agents) > 0 && content.IsMember(t.Agents[0]) {
		return t.Agents[0]
	}
	return cmp.Or(t.Member, t.ID)
}

// StoredToken is a token with the only trace of its secret that is stored.
type StoredToken struct {
	Token
	Sum string `json:"sha256"` // of the secret, in hex
}

// AddToken stores a token. The error wraps ErrNoSpace.
func (s *Server) AddToken(ctx context.Context, t StoredToken) error {
	tag, err := s.pool.Exec(ctx, `INSERT INTO mem.tokens (sum, id, space, agents, made, person,
			member)
		SELECT $1, $2, name, $4, $5, $6, $7 FROM mem.spaces WHERE name = $3`, t.Sum, t.ID,
		t.Tenant, append([]string{}, t.Agents...), t.Created.Time(), t.Person, t.Member)
	if err == nil && tag.RowsAffected() == 0 {
		err = fmt.Errorf("%s: %w", t.Tenant, ErrNoSpace)
	}
	return failure(err)
}

const tokenColumns = "sum, id, space, agents, made, person, member"

// RemoveToken deletes the token with an id or a sum, and returns it; false if there is none.
func (s *Server) RemoveToken(ctx context.Context, id, sum string) (Token, bool, error) {
	return s.findToken(ctx, "DELETE FROM mem.tokens WHERE id = $1 OR sum = $2 RETURNING "+
		tokenColumns, id, sum)
}

// Token returns the token with a sum; false if there is none.
func (s *Server) Token(sum string) (Token, bool, error) { return s.lookups.token(sum) }

func (s *Server) askToken(sum string) (Token, bool, error) {
	return s.findToken(context.Background(), "SELECT "+tokenColumns+
		" FROM mem.tokens WHERE sum = $1", sum)
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

func (s *Server) tokens(ctx context.Context, sql string, args ...any) (list []StoredToken,
	err error) {
	scan := func(row pgx.CollectableRow) (t StoredToken, err error) {
		err = row.Scan(&t.Sum, &t.ID, &t.Tenant, &t.Agents, stampOr{&t.Created}, &t.Person,
			&t.Member)
		return t, err
	}
	err = s.look(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, sql, args...)
		if err == nil {
			list, err = pgx.CollectRows(rows, scan)
		}
		return err
	})
	return list, err
}
