package note

import (
	"context"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Full is a store with as many notes as it may have: the next one deletes the oldest.
type Full struct {
	Count int `json:"count"`
	Limit int `json:"limit"` // memory.max_total in config.json
}

// FullOf returns nil where there is room for another note.
func FullOf(ctx context.Context, s *mem.Store, c mem.Caller) (*Full, error) {
	conf, err := s.ConfigToRead(ctx)
	if err != nil || !s.Exists() {
		return nil, err
	}
	f := Full{Limit: conf.Memory.MaxTotal}
	prefix := keypath.MustPrefix(keypath.Notes)
	err = s.List(ctx, c, mem.Filter{Prefix: prefix}, func(rec log.Record) error {
		if _, ok := keypath.NoteID(rec.Key); ok && content.Parse(rec.Content).Text != "" {
			f.Count++
		}
		return nil
	})
	if err != nil || f.Count < f.Limit {
		return nil, err
	}
	return &f, nil
}

// String says what happens next.
func (f *Full) String() string {
	return fmt.Sprintf("%d of %d, the oldest are deleted", f.Count, f.Limit)
}

// Raise returns the call that makes room in the store that some arguments name.
func (f *Full) Raise(store ...string) advice.List {
	return advice.Run("config",
		append([]string{"set", "memory.max_total", fmt.Sprint(2 * f.Limit)}, store...)...)
}
