package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
)

// maxConfig bounds the file, in bytes.
const maxConfig = 1 << 20

// Config returns the text of config.json. Its version is its inode, size and time of change.
func (s *Store) Config(_ context.Context, have string) (
	text []byte, version string, err error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, "", err
	}
	return readConfig(r.Dir, have)
}

func readConfig(dir *disk.Dir, have string) (text []byte, version string, err error) {
	fi, err := dir.Lstat(backend.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	version = fmt.Sprintf("%d %d %d", disk.Ino(fi), fi.Size(), fi.ModTime().UnixNano())
	if version == have {
		return nil, version, nil
	}
	text, err = dir.ReadFile(backend.ConfigFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	return text, version, err
}

// SetConfig replaces config.json under the lock, in a root that it may make.
func (s *Store) SetConfig(ctx context.Context, _ backend.Caller,
	change func([]byte) ([]byte, error)) (err error) {
	if !s.Exists() {
		if _, err := change(nil); err != nil {
			return err // for that no root is made
		}
	}
	if _, err := s.Create(); err != nil {
		return err
	}
	dir, err := s.Dir()
	if dir == nil || err != nil {
		return errors.Join(err, fs.ErrNotExist)
	}
	unlock, err := s.Lock(ctx, dir, "config")
	if err != nil {
		return err
	}
	defer disk.Finish(&err, unlock)
	const tries = 3 // of a file that an editor, which takes no lock, changes again and again
	for range tries {
		if err = replaceConfig(dir, change); !errors.Is(err, backend.ErrChanged) {
			break
		}
	}
	return err
}

// replaceConfig replaces config.json unless it was changed since it was read. Only what happens
// between the last look and the rename is lost. A crash before the rename leaves the old file and
// perhaps a temporary one, after it the new file.
func replaceConfig(dir *disk.Dir, change func([]byte) ([]byte, error)) error {
	text, _, err := readConfig(dir, "")
	if err != nil {
		return err
	}
	next, err := change(text)
	if err != nil || bytes.Equal(next, text) {
		return err
	}
	temp, err := dir.TempFileSync(func(w io.Writer) error { _, err := w.Write(next); return err })
	if err != nil {
		return err
	}
	// By its bytes, for two changes may be within the grain of a file's time.
	if now, _, err := readConfig(dir, ""); err != nil || !bytes.Equal(now, text) {
		// A crash before this leaves the temporary file, which nothing refers to.
		_ = dir.Remove(temp)
		return errors.Join(err, fmt.Errorf("%s: %w", backend.ConfigFile, backend.ErrChanged))
	}
	return dir.CommitSync(temp, backend.ConfigFile)
}
