package mcp

import (
	"context"

	"github.com/set-memory/mem/journal"
	"github.com/set-memory/mem/keypath"
)

// saveRequest is what the tools of the journal take.
type saveRequest struct {
	Content string `json:"content"`
}

func saveToJournal(ctx context.Context, c *call, in *saveRequest) (any, error) {
	return c.save(ctx, journal.Journal, in)
}

func saveToCore(ctx context.Context, c *call, in *saveRequest) (any, error) {
	return c.save(ctx, journal.Core, in)
}

// save stores a text. What is wrong with it is said in the words of the specification (J-20).
func (c *call) save(ctx context.Context, level journal.Level, in *saveRequest) (any, error) {
	key, err := keypath.Parse(keypath.AgentPrefix)
	if err != nil {
		return nil, err
	}
	at, err := c.For(key)
	if err != nil {
		return nil, err
	}
	m, err := journal.Save(ctx, at.Store, c.Caller, level, in.Content, journal.Options{})
	reply := journal.NewReply(m, err)
	if reply.Success {
		err = nil // stored, whatever else
	}
	return reply, err
}
