package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/log"
)

// served is a database whose spaces are the tenants of a server.
type served struct{ *pgstore.Server }

var _ serve.Remote = served{}

// remoteRoot returns the root of a server on a database. Its socket is in $XDG_RUNTIME_DIR, for
// this user alone.
func remoteRoot(root string, warn func(msg string)) (*serve.Root, error) {
	place, err := pgstore.ParseURL(root)
	if err != nil {
		return nil, err
	}
	if place.Space != "" {
		return nil, cli.BadInput("root", "it names one space, and a server has those of a database",
			"leave ?space= out")
	}
	server, err := pgstore.NewServer(place, conns, warn)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"),
		filepath.Join(os.TempDir(), fmt.Sprintf("memd-%d", os.Getuid()))), "memd")
	// A crash in this leaves empty directories.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return serve.RemoteRoot(dir, served{server}), nil
}

// Tenant returns the URL of a tenant's memory.
func (s served) Tenant(ctx context.Context, id string) (string, error) {
	place, err := s.Server.Tenant(ctx, id)
	if err != nil {
		return "", tenantError(err)
	}
	return place.String(), nil
}

// tenantError returns the error for a space that is not there as the server's.
func tenantError(err error) error {
	if errors.Is(err, pgstore.ErrNoSpace) {
		return serve.ErrNoTenant
	}
	return err
}

// AddToken keeps a token.
func (s served) AddToken(ctx context.Context, t serve.StoredToken) error {
	return tenantError(s.Server.AddToken(ctx, pgstore.Token{Sum: t.Sum, ID: t.ID, Space: t.Tenant,
		Agents: append([]string{}, t.Agents...), Made: t.Created.Time(), Person: t.Person}))
}

// RemoveToken takes a token out.
func (s served) RemoveToken(ctx context.Context, id, sum string) (serve.Token, bool, error) {
	t, ok, err := s.Server.RemoveToken(ctx, id, sum)
	return tokenOf(t).Token, ok, err
}

// TokenOf returns the token of a sum.
func (s served) TokenOf(ctx context.Context, sum string) (serve.Token, bool, error) {
	t, ok, err := s.Server.TokenOf(ctx, sum)
	return tokenOf(t).Token, ok, err
}

// Tokens returns all tokens.
func (s served) Tokens(ctx context.Context) ([]serve.StoredToken, error) {
	list, err := s.Server.Tokens(ctx)
	all := make([]serve.StoredToken, len(list))
	for i, t := range list {
		all[i] = tokenOf(t)
	}
	return all, err
}

func tokenOf(t pgstore.Token) serve.StoredToken {
	return serve.StoredToken{Sum: t.Sum, Token: serve.Token{ID: t.ID, Tenant: t.Space,
		Agents: slices.Clone(t.Agents), Person: t.Person,
		Created: log.StampOf(t.Made)}}
}
