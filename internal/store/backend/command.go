package backend

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
)

// Command is one command of a program. It may write to several stores, and to each by several
// operations; their journals name it, so that it can be taken back as a whole.
type Command struct {
	id string

	mu       sync.Mutex
	roots    []string // of the stores that it has written to
	journals []Journal
}

// NewCommand returns a command with an id of its own.
func NewCommand() *Command {
	var id [8]byte
	rand.Read(id[:]) // it never fails
	return &Command{id: hex.EncodeToString(id[:])}
}

// ID returns the id; "" for no command.
func (c *Command) ID() string {
	if c == nil {
		return ""
	}
	return c.id
}

// Enter adds a store that the command is about to write to, and returns the journals of the stores
// before it; none where the store is known.
func (c *Command) Enter(root string, j Journal) []Journal {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.roots, root) {
		return nil
	}
	c.roots, c.journals = append(c.roots, root), append(c.journals, j)
	return c.journals[:len(c.journals)-1]
}

// Others returns the roots of the stores that the command has written to, but for this one.
func (c *Command) Others(root string) []string {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.roots), func(r string) bool { return r == root })
}
