package fts

import (
	"encoding/binary"
	"sort"
)

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

// neighbors are those of a doc in its folder: up to two docs on either side, the nearest
// first.
type neighbors struct {
	before, after [2]uint32
	befores       int // how many of these there are
	afters        int
}

// neighborsOf returns the neighbors of a doc; a doc that lies in no folder has none.
func (c *corpus) neighborsOf(doc uint32) (n neighbors, err error) {
	if len(c.order) == 0 {
		if ok, err := c.neighborsOfRow(&n, doc); ok || err != nil {
			return n, err
		}
	}
	folder, err := c.folder(doc)
	if err != nil || folder == noFolder {
		return neighbors{}, err
	}
	back, err := c.walkFrom(doc, folder, 0)
	if err != nil {
		return neighbors{}, err
	}
	if n.befores, err = back.live(&n.before, back.previous); err != nil {
		return n, err
	}
	forth, err := c.walkFrom(doc, folder, 1)
	if err != nil {
		return n, err
	}
	n.afters, err = forth.live(&n.after, forth.next)
	return n, err
}

// neighborsOfRow finds the neighbors of a row with one read, where there is no tail. It is not ok
// if one of the rows beside it is not live: then the neighbors may be farther away.
func (c *corpus) neighborsOfRow(n *neighbors, row uint32) (ok bool, err error) {
	if c.scope.isOwnRow(row) {
		return true, nil
	}
	place, err := placeOf(c.ix, row)
	if err != nil {
		return false, err
	}
	if place < c.inside.first || place >= c.inside.last {
		folder, err := c.ix.folder(row)
		if err == nil {
			err = c.enter(folder, place)
		}
		if err == nil && (place < c.inside.first || place >= c.inside.last) {
			err = stale("leads out of bounds")
		}
		if err != nil {
			return false, err
		}
	}
	from, to := max(int(place)-2, int(c.inside.first)), min(place+3, c.inside.last)
	rows, err := c.ix.part(secOrder, 4*from, 4*int(to))
	if err != nil {
		return false, err
	}
	for at := from; at < int(to); at++ {
		beside := binary.LittleEndian.Uint32(rows[4*(at-from):])
		switch away := at - int(place); {
		case beside >= c.rows || !c.isLive(beside):
			return false, nil
		case away > 0:
			n.after[away-1], n.afters = beside, away
		case away < 0:
			n.before[-away-1], n.befores = beside, max(n.befores, -away)
		}
	}
	return true, nil
}

// placeRange is where the rows of a folder stand in the order of the rows.
type placeRange struct{ folder, first, last uint32 }

// enter finds the places of a folder. A folder without rows gets an empty range at the given place.
func (c *corpus) enter(folder, place uint32) error {
	if c.inside.folder == folder && c.inside.last > c.inside.first {
		return nil
	}
	f, err := c.written(folder)
	if err != nil {
		return err
	}
	c.inside = placeRange{folder, place, place}
	if f.rows > 0 {
		c.inside = placeRange{folder, f.first, f.first + f.rows}
	}
	return nil
}

// walk goes through a folder by the names in it. It stands in a gap: before a place of the rows,
// and before a doc in the order of the tail.
type walk struct {
	*corpus
	folder uint32
	place  uint32
	rank   int
}

// walkFrom begins a walk beside a doc: before it, or so many places behind that.
func (c *corpus) walkFrom(doc, folder, behind uint32) (w walk, err error) {
	w = walk{corpus: c, folder: folder}
	if d := doc - c.rows; doc >= c.rows {
		w.place, w.rank = c.tailPos[d].at, int(c.ranks[d]+behind)
	} else if w.place, err = placeOf(c.ix, doc); err == nil {
		w.rank = sort.Search(len(c.order), func(i int) bool {
			return c.tailPos[c.order[i]].at > w.place
		})
		w.place += behind
	}
	if err == nil {
		err = c.enter(folder, w.place)
	}
	return w, err
}

// live takes the next two docs that are live, and returns how many there are.
func (w *walk) live(to *[2]uint32, step func() (uint32, bool, error)) (n int, err error) {
	for n < len(to) {
		doc, ok, err := step()
		if !ok || err != nil {
			return n, err
		}
		if w.isLive(doc) {
			to[n] = doc
			n++
		}
	}
	return n, nil
}

// next returns the doc behind the gap, and goes past it.
func (w *walk) next() (doc uint32, ok bool, err error) {
	if w.rank < len(w.order) && w.tailPos[w.order[w.rank]].at <= w.place {
		doc = w.order[w.rank]
		w.rank++
		return w.rows + doc, w.tailPos[doc].folder == w.folder, nil
	}
	if w.place >= w.inside.last {
		return 0, false, nil
	}
	doc, err = rowAt(w.ix, w.place)
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
	if w.place <= w.inside.first {
		return 0, false, nil
	}
	w.place--
	doc, err = rowAt(w.ix, w.place)
	return doc, true, err
}
