package note

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Letter returns the key that a note gets in a store that syncs: its scope and number, with
// letters. versions are all that the note has had, in any order. The letters come from its first
// version alone, so two copies of a store choose the same; of two notes with one number on two
// machines, one pair in 457,000 gets the same, and becomes one note with two versions. The error
// wraps mem.ErrInput for no version, and for a key that is not a note's.
func Letter(versions []log.Envelope) (keypath.Key, error) {
	if len(versions) == 0 {
		return keypath.Key{}, fmt.Errorf("%w: a note without a version", mem.ErrInput)
	}
	first := slices.MinFunc(versions, byAge)
	space, _, ok := Split(first.Key)
	if !ok {
		return keypath.Key{}, fmt.Errorf("%s: %w: it is no note", first.Key.Shown(), mem.ErrInput)
	}
	short, _ := keypath.ShortID(first.Key)
	return keypath.MustParse(space.String() + "/" + short + "-" +
		site.Letters("note "+string(first.Line()))), nil
}

// byAge orders versions, the oldest first, by their lines alone.
func byAge(a, b log.Envelope) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), strings.Compare(string(a.Line()), string(b.Line())))
}
