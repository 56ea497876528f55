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

// ReadKey returns the key in a file of a directory; nil where there is none.
func ReadKey(dir *disk.Dir, name string) []byte {
	key, err := dir.ReadFile(name, keyLen)
	if err != nil || len(key) != keyLen {
		return nil
	}
	return key
}

// KeyIn is ReadKey, and makes the key where there is none; nil where it cannot be kept. Of two
// processes that make it at once one gets a key that is not kept: its sums are known to nobody.
func KeyIn(dir *disk.Dir, name string) ([]byte, error) {
	key, err := dir.ReadFile(name, keyLen)
	if len(key) == keyLen && err == nil {
		return key, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrLarger) {
		return nil, err
	}
	key = make([]byte, keyLen)
	rand.Read(key)
	// A crash here leaves no key or the new one, and perhaps a temporary file.
	if err := dir.WriteFile(name, key); err != nil {
		return nil, err
	}
	return key, nil
}
