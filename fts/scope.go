package fts

import "github.com/set-memory/mem/keypath"

// rowScope is the rows that a query is limited to: that of the key itself, and those below it.
type rowScope struct {
	prefix keypath.Prefix
	spans  []span // other keys may stand between the two
}

// span is a range of rows.
type span struct{ from, to uint32 }

// newRowScope finds the rows of a scope: the key itself, and what begins with it and a slash.
func newRowScope(ix *Index, prefix keypath.Prefix) (s rowScope, err error) {
	s.prefix = prefix
	rows := uint32(0)
	if ix != nil {
		rows = ix.rows
	}
	if s.isAll() || rows == 0 {
		s.spans = []span{{0, rows}}
		return s, nil
	}
	key := prefix.String()
	var bounds [4]uint32
	for i, text := range [...]string{key, key + "\x00", key + "/", key + "0"} {
		if bounds[i], err = ix.rowFrom(text); err != nil {
			return s, err
		}
	}
	s.spans = []span{{bounds[0], bounds[1]}, {bounds[2], bounds[3]}}
	return s, nil
}

// isAll reports whether the scope is everything.
func (s *rowScope) isAll() bool { return s.prefix.String() == "/" }

// contains reports whether a row is in scope.
func (s *rowScope) contains(row uint32) bool {
	for _, sp := range s.spans {
		if row >= sp.from && row < sp.to {
			return true
		}
	}
	return false
}

// isOwnRow reports whether a row is that of the scope's own key.
func (s *rowScope) isOwnRow(row uint32) bool {
	return len(s.spans) > 1 && row >= s.spans[0].from && row < s.spans[0].to
}
