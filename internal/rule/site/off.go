package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// offFile returns the file whose presence says that no hook injects anything for a store.
func (b *Book) offFile(root string) (string, error) {
	if b.state == "" {
		return "", ErrNoState
	}
	path, err := Absolute(root)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(b.state, "off", hex.EncodeToString(sum[:16])), nil
}

// IsOff reports whether hooks are off for a store. A file that cannot be looked at says nothing.
func (b *Book) IsOff(root string) bool {
	file, err := b.offFile(root)
	if err != nil {
		return false
	}
	_, err = os.Lstat(file)
	return err == nil
}

// SetOff turns the hooks of a store off or on, and reports whether that changed anything.
func (b *Book) SetOff(root string, off bool) (changed bool, err error) {
	file, err := b.offFile(root)
	if err != nil {
		return false, err
	}
	if !off {
		// After a crash the hooks are on or off.
		err = os.Remove(file)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}
