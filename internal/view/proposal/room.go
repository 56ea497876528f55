package proposal

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// Room counts the proposals that a caller may still make: of more, the oldest leave.
type Room struct {
	left int
	has  map[keypath.Key]bool
}

// RoomOf returns the room of a caller.
func RoomOf(ctx context.Context, s *mem.Store, c mem.Caller) (Room, error) {
	r := Room{maxOpen, map[keypath.Key]bool{}}
	list, err := List(ctx, s, c)
	r.left -= max(0, len(list)+maxOpen-maxAll)
	for _, p := range list {
		if asker(p.Client) == asker(nameOf(c)) {
			r.has[p.Key] = true
		}
	}
	r.left = min(r.left, maxOpen-len(r.has))
	return r, err
}

// Take takes room for a proposal about a key that has none, and reports whether there was some.
func (r *Room) Take(key keypath.Key) bool {
	if r.has[key] {
		return true
	}
	r.left--
	return r.left >= 0
}
