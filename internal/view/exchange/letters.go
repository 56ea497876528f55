package exchange

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Two machines that had not met gave one id to two notes: u-3 here is another note than u-3 there.
// Then both notes go to ids with letters, which come from their lines alone, and u-3 gets a
// tombstone. All that goes on under u-3 until the others have that tombstone follows its note: each
// machine knows whose versions its own are.

// shared is one id that may be that of two notes: the versions that this machine had of it before
// the exchange, and those that came.
type shared struct{ here, came []log.Envelope }

// mayClash reports whether a key is that of a note whose id has no letters.
func mayClash(key keypath.Key) bool {
	id, isNote := keypath.NoteID(key)
	short, _ := keypath.ShortID(key)
	return isNote && id == short
}

// lettered is the name in the source of the tombstone of an id that two notes had.
const lettered = "mem sync"

func isLettered(e log.Envelope) bool {
	return !e.Valid() && strings.Contains(string(content.Member(e.Source, "name")), lettered)
}

// letter returns the lines by which the notes of clashing ids get letters.
func (x *exchange) letter() (lines []log.Envelope, err error) {
	for key, s := range x.clashing {
		// With the tombstone the versions here are those of several notes, and have been moved.
		if len(s.here) == 0 || slices.ContainsFunc(s.here, isLettered) {
			continue
		}
		apart := !slices.ContainsFunc(s.came, func(e log.Envelope) bool {
			return x.before[e.Identity()]
		})
		told := slices.ContainsFunc(s.came, func(e log.Envelope) bool {
			return isLettered(e) && !x.before[e.Identity()]
		})
		if !apart && !told {
			continue
		}
		moved, err := s.moved(told)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, moved...), x.stone(key, s)...)
	}
	return lines, nil
}

// moved returns the versions of both notes under their new keys. Where another machine has told
// that the id clashes, it has moved what came.
func (s *shared) moved(told bool) (lines []log.Envelope, err error) {
	histories := [][]log.Envelope{s.here}
	if !told {
		histories = append(histories, s.came)
	}
	keys, err := note.Letter(histories...)
	if err != nil {
		return nil, err
	}
	for i, versions := range histories {
		for _, e := range versions {
			if e.Key = keys[i]; !isLettered(e) {
				lines = append(lines, e)
			}
		}
	}
	return lines, nil
}

// stone returns a tombstone for an id, newer than all its versions, unless one is the newest.
func (x *exchange) stone(key keypath.Key, s *shared) []log.Envelope {
	newest := slices.MaxFunc(slices.Concat(s.here, s.came), func(a, b log.Envelope) int {
		if wins(a, b) {
			return 1
		}
		return -1
	})
	if isLettered(newest) {
		return nil
	}
	return []log.Envelope{{Key: key, TS: newest.TS + 1, Content: []byte("null"),
		Source: x.op.Source("user", lettered, "reason", "two notes had this id")}}
}
