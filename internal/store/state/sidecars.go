package state

import (
	"sync"

	"github.com/set-memory/mem/internal/store/fts"
)

// openSidecars are those of a state that a read has opened. They stay mapped until the state is
// closed, for a compaction puts those of the next state in their place.
type openSidecars struct {
	words kept[*fts.Index]
	ranks kept[*columns]
}

// close forgets the sidecars. Other users of one keep it; the next read opens it again.
func (s *openSidecars) close() {
	s.words.close()
	s.ranks.close()
}

// fullText returns the full text of the state, which the caller closes.
func (f *File) fullText() (*fts.Index, error) {
	return f.sidecars.words.share(func() (*fts.Index, error) {
		return fts.Open(f.dir, f.Size, f.Sum)
	})
}

// columns returns the columns of the state, which the caller closes.
func (f *File) columns() (*columns, error) {
	return f.sidecars.ranks.share(func() (*columns, error) {
		return openColumns(f.dir, f.Size, f.Sum)
	})
}

// sharer is a sidecar that several use.
type sharer[S any] interface {
	Share() S
	Close() error
}

// kept is a sidecar, from the first read on that could open it.
type kept[S sharer[S]] struct {
	mu   sync.Mutex
	is   bool // it is open
	file S
}

func (k *kept[S]) share(open func() (S, error)) (file S, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.is {
		if k.file, err = open(); err != nil {
			return file, err
		}
		k.is = true
	}
	return k.file.Share(), nil
}

func (k *kept[S]) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.is {
		k.file.Close()
		k.is = false
	}
}
