package serve

import (
	"context"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
)

// Remote is what holds the memories of the tenants where that is no directory: a database server.
type Remote interface {
	// Shown returns where it is, without what is secret.
	Shown() string
	// Check returns an error where it cannot be reached.
	Check(ctx context.Context) error
	// Tenant returns the URL of a tenant's memory. The error wraps ErrNoTenant where there is none:
	// who keeps the server makes them.
	Tenant(ctx context.Context, id string) (url string, err error)

	// AddToken keeps a token by its sum. The error wraps ErrNoTenant.
	AddToken(ctx context.Context, t StoredToken) error
	// RemoveToken takes out the token of an id, or of a sum, and returns it; false where there is
	// none.
	RemoveToken(ctx context.Context, id, sum string) (Token, bool, error)
	// Tokens returns all tokens, the oldest first.
	Tokens(ctx context.Context) ([]StoredToken, error)
	// TokenOf returns the token of a sum, as of now.
	TokenOf(ctx context.Context, sum string) (Token, bool, error)
}

// ErrNoTenant is returned where a tenant has no memory, and none is made by writing.
var ErrNoTenant error = &fault{mem.KindNo, 404, "no such tenant",
	advice.RunAlone("space add", "NAME", "--root", "URL").Then(" makes one")}

// RemoteRoot returns the root of a server whose memories are not in a directory. Its socket is in
// dir, which is for this user alone.
func RemoteRoot(dir string, r Remote) *Root { return &Root{path: dir, remote: r} }

// lookTime is how long the server that holds the memories may take to answer a look.
const lookTime = 5 * time.Second

func looking() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), lookTime)
}
