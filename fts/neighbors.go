package fts

import "sort"

// next returns the doc that comes after one in the order of keys, live and in scope; false where
// there is none.
func (c *corpus) next(doc uint32) (uint32, bool) {
	row, at := doc+1, 0 // the row from which to look, and the doc of the tail
	if doc >= c.rows {
		at = int(doc-c.rows) + 1
		row = c.tailPos[at-1].before
	} else {
		at = c.tailFrom(row)
	}
	for {
		if at < len(c.tailPos) && c.tailPos[at].before <= row {
			if c.tailPos[at].live {
				return c.rows + uint32(at), true
			}
			at++
			continue
		}
		if row >= c.scope.end() {
			return 0, false
		}
		if c.isLive(row) {
			return row, true
		}
		row = c.scope.from(row + 1)
	}
}

// previous returns the doc that comes before one.
func (c *corpus) previous(doc uint32) (uint32, bool) {
	row, at := int(doc)-1, 0 // the row from which to look back, and the doc of the tail
	if doc >= c.rows {
		at = int(doc-c.rows) - 1
		row = int(c.tailPos[at+1].before) - 1
	} else {
		at = c.tailFrom(doc+1) - 1
	}
	for {
		if at >= 0 && int(c.tailPos[at].before) > row {
			if c.tailPos[at].live {
				return c.rows + uint32(at), true
			}
			at--
			continue
		}
		if row < c.scope.begin() {
			return 0, false
		}
		if c.isLive(uint32(row)) {
			return uint32(row), true
		}
		row = c.scope.upTo(row - 1)
	}
}

// tailFrom returns the first doc of the tail that comes after the row before this one.
func (c *corpus) tailFrom(row uint32) int {
	if len(c.tailPos) == 0 {
		return 0
	}
	return sort.Search(len(c.tailPos), func(i int) bool { return c.tailPos[i].before >= row })
}

// compareKeys orders docs by their keys, without reading them.
func (c *corpus) compareKeys(a, b uint32) int {
	switch {
	case a < c.rows && b >= c.rows:
		// A row comes before a doc of the tail if it comes before the row that this stands before.
		if a < c.tailPos[b-c.rows].before {
			return -1
		}
		return 1
	case a >= c.rows && b < c.rows:
		return -c.compareKeys(b, a)
	}
	return int(a) - int(b)
}

// eachAfter calls fn with the two docs after one, as far as they lie in its folder.
func (c *corpus) eachAfter(doc, folder uint32, fn func(doc uint32, away int)) error {
	return c.eachInFolder(doc, folder, c.next, fn)
}

// eachBefore calls fn with the two docs before one, the nearer first, as far as they lie in its
// folder.
func (c *corpus) eachBefore(doc, folder uint32, fn func(doc uint32, away int)) error {
	return c.eachInFolder(doc, folder, c.previous, fn)
}

func (c *corpus) eachInFolder(
	doc, folder uint32, step func(uint32) (uint32, bool), fn func(doc uint32, away int),
) error {
	for away := range 2 {
		var ok bool
		if doc, ok = step(doc); !ok {
			return nil
		}
		id, err := c.folder(doc)
		if err != nil {
			return err
		}
		if id == folder {
			fn(doc, away)
		}
	}
	return nil
}
