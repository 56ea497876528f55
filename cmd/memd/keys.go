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
	keys, err := c.load()
	if err != nil {
		return nil, err
	}
	return keys.Seal(plain)
}

// Open opens a text.
func (c *currentKeys) Open(sealed []byte) ([]byte, error) {
	keys, err := c.load()
	if err != nil {
		return nil, err
	}
	return keys.Open(sealed)
}

// SealTo seals what is written.
func (c *currentKeys) SealTo(w io.Writer) (io.WriteCloser, error) {
	keys, err := c.load()
	if err != nil {
		return nil, err
	}
	return keys.SealTo(w)
}

// OpenFrom opens what is read.
func (c *currentKeys) OpenFrom(r io.Reader) (io.Reader, error) {
	keys, err := c.load()
	if err != nil {
		return nil, err
	}
	return keys.OpenFrom(r)
}
