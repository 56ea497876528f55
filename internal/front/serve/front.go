package serve

import (
	"context"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
)

// Front is another way to use the memories of a server, which a package above this one provides.
// The parameters of its requests are its own business.
type Front struct {
	// Path is where it is; with a slash at its end, so is all below.
	Path string
	// Admits says that it decides itself who comes in: requests over TCP need no token.
	Admits bool
	// Serve answers a request; where it returns an error and has answered nothing, the error is
	// answered as by any other route.
	Serve func(w http.ResponseWriter, r *http.Request) error
}

func serveFront(c *call) (any, error) { return nil, c.route.front(c.w, c.r) }

// CallerOf returns who has sent a request to a front, by the context of the request: the token or
// the query names the tenant, and perhaps the agent. The error wraps mem.ErrInput, or is of kind
// refused: of a request without a token, too, which a front may have let in.
func CallerOf(ctx context.Context) (mem.Caller, error) {
	c := watchedOf(ctx).call
	if c.token == nil && !isTrusted(c.r) {
		return mem.Caller{}, errUnauthorized
	}
	return c.name("", "", c.query.Get("session_id"))
}

// Memory is that of a tenant, open for a front.
type Memory struct {
	Store *mem.Store
	Book  *ledger.Book
	call  *call
}

// Open opens the memory of the caller's tenant for a request to a front. Who opens it closes it,
// before the request is answered.
func Open(ctx context.Context, caller mem.Caller) (*Memory, error) {
	c := *watchedOf(ctx).call // which goes on without this memory
	c.caller = caller
	if err := c.acquire(); err != nil {
		return nil, err
	}
	return &Memory{c.store(), c.book(), &c}, nil
}

// Close is the end of its use.
func (m *Memory) Close() { m.call.close() }

// Read waits until there is a state to read from, and for its turn among those that read. Unless
// there is an error, that of ctx, done ends the turn.
func (m *Memory) Read(ctx context.Context) (done func(), err error) {
	err = m.call.server.turn(ctx, m.call.tenant)
	return func() { <-m.call.server.reads }, err
}
