package fts

import (
	"sort"

	"github.com/set-memory/mem/keypath"
)

// rowScope is the rows that a query is limited to: that of the key itself, and those below it, as
// far as the caller sees them.
type rowScope struct {
	prefix keypath.Prefix
	spans  []span // in order; other keys may stand between two
	all    []span // also what the caller does not see: the key itself, and what is below
	hidden []span // what the caller does not see of that, each part in one folder
}

// span is a range of rows.
type span struct{ from, to uint32 }

// newRowScope finds the rows of a scope, without the realms that sees refuses; nil: it refuses
// none.
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
		s.spans, s.hidden = without(s.all, hidden)
	}
	return s, err
}

// spansOf returns the rows below a prefix: the key itself, and what begins with it and a slash.
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

// isAll reports whether the scope is everything.
func (s *rowScope) isAll() bool { return s.prefix.String() == "/" }

// contains reports whether a row is in scope.
func (s *rowScope) contains(row uint32) bool {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].to > row })
	return i < len(s.spans) && row >= s.spans[i].from
}

// from returns the first row in scope that does not come before one; where there is none the row
// behind all that is below the prefix.
func (s *rowScope) from(row uint32) uint32 {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].to > row })
	for ; i < len(s.spans); i++ {
		if sp := s.spans[i]; sp.from < sp.to {
			return max(row, sp.from)
		}
	}
	return s.end()
}

// upTo returns the last row in scope that does not come after one; where there is none the row
// before all that is below the prefix, -1 before the first of all.
func (s *rowScope) upTo(row int) int {
	i := sort.Search(len(s.spans), func(i int) bool { return int(s.spans[i].from) > row }) - 1
	for ; i >= 0; i-- {
		if sp := s.spans[i]; sp.from < sp.to {
			return min(row, int(sp.to)-1)
		}
	}
	return s.begin() - 1
}

// begin and end are the bounds of what is below the prefix, whether the caller sees it or not.
func (s *rowScope) begin() int  { return int(s.all[0].from) }
func (s *rowScope) end() uint32 { return s.all[len(s.all)-1].to }

// isOwnRow reports whether a row is that of the scope's own key.
func (s *rowScope) isOwnRow(row uint32) bool {
	return len(s.all) > 1 && row >= s.all[0].from && row < s.all[0].to
}
