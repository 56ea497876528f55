package main

import (
	"github.com/set-memory/mem/internal/view/ledger"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/set-memory/mem/internal/base/seal"
)

// currentKeys are those of a file, as it is now: a server outlives a rotation.
type currentKeys struct {
	path  string
	roots []string

	mu   sync.Mutex
	keys *seal.Keys
	info fs.FileInfo
}

// load returns the keys, read again if the file has changed.
func (c *currentKeys) load() (*seal.Keys, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := os.Stat(c.path)
	if err == nil && c.keys != nil && os.SameFile(now, c.info) &&
		now.ModTime().Equal(c.info.ModTime()) && now.Size() == c.info.Size() {
		return c.keys, nil
	}
	// Where it cannot be looked at, Load says what is wrong.
	keys, err := seal.Load(c.path, c.roots...)
	if err == nil {
		c.keys, c.info = keys, now
	}
	return keys, err
}

var _ ledger.Keys = (*currentKeys)(nil)

// Seal seals a text.
func (c *currentKeys) Seal(plain []byte) ([]byte, error) {
	return callCurrent(c, (*seal.Keys).Seal, plain)
}

// Open opens a text.
func (c *currentKeys) Open(sealed []byte) ([]byte, error) {
	return callCurrent(c, (*seal.Keys).Open, sealed)
}

// SealTo seals bytes on their way to w.
func (c *currentKeys) SealTo(w io.Writer) (io.WriteCloser, error) {
	return callCurrent(c, (*seal.Keys).SealTo, w)
}

// OpenFrom opens the bytes that it reads from r.
func (c *currentKeys) OpenFrom(r io.Reader) (io.Reader, error) {
	return callCurrent(c, (*seal.Keys).OpenFrom, r)
}

// callCurrent calls a method of the keys as they are now.
func callCurrent[In, Out any](c *currentKeys, method func(*seal.Keys, In) (Out, error), in In) (
	out Out, err error) {
	keys, err := c.load()
	if err != nil {
		return out, err
	}
	return method(keys, in)
}
