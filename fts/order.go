package fts

import "sort"

// next gives the doc that comes after one in the order of keys, live and in scope; false where there is none.
func (s *space) next(doc uint32) (uint32, bool) {
	row, at := doc+1, 0 // the row from which to look, and the doc of the tail
	if doc >= s.rows {
		at = int(doc-s.rows) + 1
		row = s.placed[at-1].before
	} else {
		at = s.tailFrom(row)
	}
	for {
		if at < len(s.placed) && s.placed[at].before <= row {
			if s.placed[at].live {
				return s.rows + uint32(at), true
			}
			at++
			continue
		}
		if row >= s.rows {
			return 0, false
		}
		if s.isLive(row) {
			return row, true
		}
		if !s.inScope(row) {
			return 0, false
		}
		row++
	}
}

// previous gives the doc that comes before one.
func (s *space) previous(doc uint32) (uint32, bool) {
	row, at := int(doc)-1, 0 // the row from which to look back, and the doc of the tail
	if doc >= s.rows {
		at = int(doc-s.rows) - 1
		row = int(s.placed[at+1].before) - 1
	} else {
		at = s.tailFrom(doc+1) - 1
	}
	for {
		if at >= 0 && int(s.placed[at].before) > row {
			if s.placed[at].live {
				return s.rows + uint32(at), true
			}
			at--
			continue
		}
		if row < 0 {
			return 0, false
		}
		if s.isLive(uint32(row)) {
			return uint32(row), true
		}
		if !s.inScope(uint32(row)) {
			return 0, false
		}
		row--
	}
}

// tailFrom gives the first doc of the tail that comes after the row before this one.
func (s *space) tailFrom(row uint32) int {
	if len(s.placed) == 0 {
		return 0
	}
	return sort.Search(len(s.placed), func(i int) bool { return s.placed[i].before >= row })
}

// compareKeys orders docs by their keys, without reading them.
func (s *space) compareKeys(a, b uint32) int {
	switch {
	case a < s.rows && b >= s.rows: // a row comes before a doc of the tail if it comes before the row that this stands before
		if a < s.placed[b-s.rows].before {
			return -1
		}
		return 1
	case a >= s.rows && b < s.rows:
		return -s.compareKeys(b, a)
	}
	return int(a) - int(b)
}
