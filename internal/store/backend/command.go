package backend

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
)

// Command is one command of a program. It may write to several stores, and to each by several
// operations; their journals name it, so that it can be taken back as a whole.
type Command struct {
	id string

	mu     sync.Mutex
	stores []*part
}

// part is a store of a command.
type part struct {
	root    string
	journal Journal
	writes  bool
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

// Join adds a store in which the command may have nothing to write.
func (c *Command) Join(root string, j Journal) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.part(root, j)
	}
}

// part returns the part of a store, which is added where it is new. The lock is held.
func (c *Command) part(root string, j Journal) *part {
	for _, p := range c.stores {
		if p.root == root {
			return p
		}
	}
	p := &part{root: root, journal: j}
	c.stores = append(c.stores, p)
	return p
}

// Enter adds a store that the command is about to write to, and returns the journals of the other
// stores; none where it has written to the store before.
func (c *Command) Enter(root string, j Journal) (others []Journal) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.part(root, j)
	for _, p := range c.stores {
		if p != own && !own.writes {
			others = append(others, p.journal)
		}
	}
	own.writes = true
	return others
}

// Others returns the roots of the stores of the command, but for this one.
func (c *Command) Others(root string) (roots []string) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.stores {
		if p.root != root {
			roots = append(roots, p.root)
		}
	}
	return roots
}
