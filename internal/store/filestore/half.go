package filestore

import (
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
)

// halfFile is the note of an update of this store and others, in cache/: see backend.Halves.
// Without it an update that was killed stays as it is, until the same command runs again.
const (
	halfFile = "half"
	maxHalf  = 256 << 20
)

var _ backend.Halves = (*Store)(nil)

// Half returns the note; nil for none.
func (s *Store) Half() ([]byte, error) {
	r, err := s.root()
	if r == nil || err != nil {
		return nil, err
	}
	text, err := r.ReadFile(state.CacheDir+"/"+halfFile, maxHalf)
	if disk.IsNotExist(err) {
		return nil, nil
	}
	return text, disk.Ignore(err, disk.ErrIrregular)
}

// SetHalf replaces the note; nil removes it.
func (s *Store) SetHalf(text []byte) error {
	r, err := s.root()
	if r == nil || err != nil {
		return err
	}
	if text == nil {
		// A crash before this leaves a note of an update that came to its end.
		return disk.IgnoreNotExist(r.Remove(state.CacheDir + "/" + halfFile))
	}
	cache, err := r.Sub(state.CacheDir, true)
	if err != nil {
		return err
	}
	defer cache.Close()
	// A crash after this leaves a note of an update of which nothing is stored.
	return cache.WriteBytesSync(halfFile, text)
}
