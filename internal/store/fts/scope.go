package fts

import (
	"sort"

	"github.com/set-memory/mem/keypath"
)

// rowScope is the rows that a query is limited to: the row of the key itself and the rows below it,
// as far as the caller sees them.
type rowScope struct {
	prefix keypath.Prefix
	spans  []span // in order; other keys may stand between two
	all    []span // with the hidden rows: that of the key itself, and those below it
	hidden []span // the rows of all that the caller does not see, each span in one folder
}

// span is a range of rows.
type span struct{ from, to uint32 }

// newRowScope finds the rows of a scope, without the realms that sees refuses.
func newRowScope(
	ix *Index, prefix keypath.Prefix, sees func(keypath.Realm) bool,
) (s rowScope, err error) {
	s.prefix = prefix
	if s.all, err = spansOf(ix, prefix); err != nil {
		return s, err
	}
	s.spans = s.all
	if ix == nil || ix.rows == 0 || sees == nil {
		return s, nil
	}
	hidden, err := ix.hiddenRuns(sees)
	if len(hidden) > 0 {
		s.spans, s.hidden = splitHidden(s.all, hidden)
	}
	return s, err
}

// spansOf returns the rows of a prefix: the key itself, and those below it.
func spansOf(ix *Index, prefix keypath.Prefix) ([]span, error) {
	if ix == nil || ix.rows == 0 {
		return []span{{0, 0}}, nil
	}
	key := prefix.String()
	if key == "/" {
		return []span{{0, ix.rows}}, nil
	}
	var bounds [4]uint32
	for i, text := range [...]string{key, key + "\x00", key + "/", key + "0"} {
		var err error
		if bounds[i], err = ix.rowFrom(text); err != nil {
			return nil, err
		}
	}
	return []span{{bounds[0], bounds[1]}, {bounds[2], bounds[3]}}, nil
}

func (s *rowScope) isAll() bool { return s.prefix.String() == "/" }

func (s *rowScope) contains(row uint32) bool {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].to > row })
	return i < len(s.spans) && row >= s.spans[i].from
}

func (s *rowScope) isOwnRow(row uint32) bool {
	return len(s.all) > 1 && row >= s.all[0].from && row < s.all[0].to
}
