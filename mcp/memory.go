package mcp

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/note"
)

// Memory is what a request works on, for who sent it.
type Memory struct {
	Caller mem.Caller
	Reads  *mem.Store // all that may be read, as one
	// For returns where a new memory of a key goes.
	For func(keypath.Key) (Place, error)
	// Holding returns where a key has a memory; where none has, as For.
	Holding func(context.Context, keypath.Key) (Place, error)
	// Book returns the book that writes to a store.
	Book    func(*mem.Store) (*ledger.Book, error)
	Project string // its name; "" for none

	// Of a request that is over when its connection is; else nil.
	Request context.Context
	Turn    func(context.Context) (done func(), err error) // waits for a turn to read
}

// Place is one of the stores of a Memory.
type Place struct {
	Store *mem.Store
	IDs   note.IDs
	Layer string // "" where there is one store
}

// Single returns the memory of a request over HTTP: one store.
func Single(r context.Context, c mem.Caller, s *mem.Store, book *ledger.Book,
	turn func(context.Context) (func(), error)) *Memory {
	place := Place{Store: s}
	return &Memory{
		Caller: c, Reads: s, Request: r, Turn: turn,
		For:     func(keypath.Key) (Place, error) { return place, nil },
		Holding: func(context.Context, keypath.Key) (Place, error) { return place, nil },
		Book:    func(*mem.Store) (*ledger.Book, error) { return book, nil },
	}
}

// source returns where a write comes from that names no other source: the client and the agent.
func (c *call) source(kind, name string, locator ...string) []byte {
	var source, where jsontext.Object
	for i := 0; i < len(locator); i += 2 {
		where.TextUnlessEmpty(locator[i], locator[i+1])
	}
	where.Text("via", "mcp")
	where.TextUnlessEmpty("agent", c.Caller.Agent)
	where.TextUnlessEmpty("session", c.server.o.Session)
	where.TextUnlessEmpty("project", c.Project)
	source.Text("kind", kind)
	source.Text("name", name)
	source.Raw("locator", where.Bytes())
	return source.Bytes()
}
