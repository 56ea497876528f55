package fts

import "sort"

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

// eachAfter calls fn with the two docs after one in its folder, by their names, the nearer first.
func (c *corpus) eachAfter(doc, folder uint32, fn func(doc uint32, away int)) error {
	w, err := c.walkFrom(doc, folder, 1)
	if err != nil {
		return err
	}
	return w.twoLive(w.next, fn)
}

// eachBefore calls fn with the two docs before one in its folder, the nearer first.
func (c *corpus) eachBefore(doc, folder uint32, fn func(doc uint32, away int)) error {
	w, err := c.walkFrom(doc, folder, 0)
	if err != nil {
		return err
	}
	return w.twoLive(w.previous, fn)
}

// walk goes through a folder by the names in it. It stands in a gap: before a place of the rows,
// and before a doc in the order of the tail.
type walk struct {
	*corpus
	folder      uint32
	first, last uint32 // the first place of the folder, and the one behind it
	place       uint32
	rank        int
}

// walkFrom begins a walk beside a doc: before it, or so many places behind that.
func (c *corpus) walkFrom(doc, folder, behind uint32) (*walk, error) {
	w := &walk{corpus: c, folder: folder}
	var err error
	if d := doc - c.rows; doc >= c.rows {
		w.place, w.rank = c.tailPos[d].at, int(c.ranks[d]+behind)
	} else if w.place, err = c.ix.placeOf(doc); err != nil {
		return nil, err
	} else {
		w.rank = sort.Search(len(c.order), func(i int) bool {
			return c.tailPos[c.order[i]].at > w.place
		})
		w.place += behind
	}
	w.first, w.last = w.place, w.place // of a folder without rows
	if f, err := c.written(folder); err != nil {
		return nil, err
	} else if f.rows > 0 {
		w.first, w.last = f.first, f.first+f.rows
	}
	return w, nil
}

// twoLive calls fn with the next two docs that are live.
func (w *walk) twoLive(
	step func() (uint32, bool, error), fn func(doc uint32, away int),
) error {
	for away := 0; away < 2; {
		doc, ok, err := step()
		if !ok || err != nil {
			return err
		}
		if w.isLive(doc) {
			fn(doc, away)
			away++
		}
	}
	return nil
}

// next returns the doc behind the gap, and goes past it.
func (w *walk) next() (doc uint32, ok bool, err error) {
	if w.rank < len(w.order) && w.tailPos[w.order[w.rank]].at <= w.place {
		doc = w.order[w.rank]
		w.rank++
		return w.rows + doc, w.tailPos[doc].folder == w.folder, nil
	}
	if w.place >= w.last {
		return 0, false, nil
	}
	doc, err = w.ix.rowAt(w.place)
	w.place++
	return doc, true, err
}

// previous returns the doc before the gap, and goes back past it.
func (w *walk) previous() (doc uint32, ok bool, err error) {
	if w.rank > 0 && w.tailPos[w.order[w.rank-1]].at >= w.place {
		w.rank--
		doc = w.order[w.rank]
		return w.rows + doc, w.tailPos[doc].folder == w.folder, nil
	}
	if w.place <= w.first {
		return 0, false, nil
	}
	w.place--
	doc, err = w.ix.rowAt(w.place)
	return doc, true, err
}
