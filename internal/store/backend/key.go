package backend

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
)

// KeyFile is the file with the random key of the journals.
const KeyFile = "injections.key"

// keyLen is its length.
const keyLen = 32

// KeyIn returns the key in a directory, and makes it where there is none; nil where it cannot be
// kept. Of two processes that make it at once one gets a key that is not kept: its sums are
// known to nobody.
func KeyIn(dir *disk.Dir) []byte {
	key, err := dir.ReadFile(KeyFile, keyLen)
	if len(key) == keyLen && err == nil {
		return key
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrLarger) {
		return nil
	}
	key = make([]byte, keyLen)
	rand.Read(key)
	// A crash here leaves no key or the new one, and perhaps a temporary file.
	if err := dir.WriteFile(KeyFile, key); err != nil {
		return nil
	}
	return key
}
