package fts

import (
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// corpus is what one search looks at: the rows of the sidecar that lie in its scope and that
// nothing has replaced, and the records of the tail. Both are numbered together, as docs: rows
// first.
type corpus struct {
	corpusStats
	tail  *Tail // until all terms are opened
	scope rowScope

	deleted  []uint64 // a bit for each row that the tail replaces
	replaced []uint32 // those in scope, in order
	tailDocs []*tailDoc
	tailPos  []tailPos // of each of these
	order    []uint32  // of these, by folder and name
	ranks    []uint32  // of each, where it stands in that order
	fresh    uint32    // folders that only the tail has

	inside placeRange // of the folder that was looked into last
}

// tailPos is where a doc of the tail stands in the scope.
type tailPos struct {
	before uint32 // the first row that does not come before it
	at     uint32 // the first place, by folder and name, that does not come before it
	folder uint32
	live   bool // in scope, and no tombstone
}

// newCorpus lays the scope of a query over sidecar and tail, without the realms that sees refuses.
func newCorpus(
	ix *Index, tail *Tail, q *Query, sees func(keypath.Realm) bool,
) (*corpus, error) {
	if tail == nil {
		tail = NewTail()
	}
	c := &corpus{corpusStats: newCorpusStats(ix), tail: tail}
	c.inside.folder = noFolder
	if err := tail.prepare(ix); err != nil {
		return nil, err
	}
	var err error
	if c.scope, err = newRowScope(ix, q.scope, sees); err != nil {
		return nil, err
	}
	if err := c.countScope(&c.scope); err != nil {
		return nil, err
	}
	c.addTail(sees)
	return c, c.countChangedFolders()
}

// addTail takes the docs of the tail in, and the rows that they replace out.
func (c *corpus) addTail(sees func(keypath.Realm) bool) {
	c.tailDocs, c.order, c.fresh = c.tail.docs, c.tail.order, c.tail.fresh
	if len(c.tailDocs) == 0 {
		return
	}
	c.tailPos = make([]tailPos, len(c.tailDocs))
	c.deleted = make([]uint64, (c.rows+63)/64)
	own := c.scope.prefix.String()
	for i, d := range c.tailDocs {
		if d.place.isNewer {
			c.deleteRow(&d.place)
		}
		p := tailPos{before: d.place.before, at: d.place.at, folder: d.place.folder}
		p.live = d.rec.Valid() && c.scope.prefix.Holds(d.rec.Key) &&
			(sees == nil || sees(d.realm))
		if d.rec.Key.String() == own {
			p.folder = noFolder
		}
		if p.live {
			c.change(p.folder, 1, lengthOf(d.length))
		}
		c.tailPos[i] = p
	}
	c.ranks = make([]uint32, len(c.tailDocs))
	for rank, i := range c.order {
		c.ranks[i] = uint32(rank)
	}
}

// deleteRow takes the row out that a doc of the tail is newer than.
func (c *corpus) deleteRow(p *tailPlace) {
	c.deleted[p.before/64] |= 1 << (p.before % 64)
	if !c.scope.contains(p.before) {
		return
	}
	c.replaced = append(c.replaced, p.before)
	id := p.oldFolder
	if c.scope.isOwnRow(p.before) {
		id = noFolder
	}
	c.change(id, -1, -lengthOf(p.oldLength))
}

// size is the number of docs, in scope or not.
func (c *corpus) size() int { return int(c.rows) + len(c.tailPos) }

// folderCount is the number of folders, in scope or not.
func (c *corpus) folderCount() int {
	n := int(c.fresh)
	if c.rows > 0 {
		n += c.ix.folderCount()
	}
	return n
}

// isLive reports whether a doc is in scope and the newest of its key.
func (c *corpus) isLive(doc uint32) bool {
	if doc >= c.rows {
		return c.tailPos[doc-c.rows].live
	}
	return c.scope.contains(doc) && !c.isDeleted(doc)
}

func (c *corpus) isDeleted(row uint32) bool {
	return c.deleted != nil && c.deleted[row/64]&(1<<(row%64)) != 0
}

// inTail returns a doc of the tail; nil for a row.
func (c *corpus) inTail(doc uint32) *tailDoc {
	if doc < c.rows {
		return nil
	}
	return c.tailDocs[doc-c.rows]
}

func (c *corpus) folder(doc uint32) (uint32, error) {
	switch {
	case doc >= c.rows:
		return c.tailPos[doc-c.rows].folder, nil
	case c.scope.isOwnRow(doc):
		return noFolder, nil
	}
	return c.ix.folder(doc)
}

func (c *corpus) stamp(doc uint32) (log.Stamp, error) {
	if d := c.inTail(doc); d != nil {
		return analyzer.TimeOf(&d.rec), nil
	}
	return c.ix.stamp(doc)
}

// key returns the key of a doc.
func (c *corpus) key(doc uint32) (string, error) {
	if d := c.inTail(doc); d != nil {
		return d.rec.Key.String(), nil
	}
	return c.ix.Key(doc)
}

func (c *corpus) lengthCode(doc uint32) (byte, error) {
	if d := c.inTail(doc); d != nil {
		return d.length, nil
	}
	return c.ix.lengthCode(doc)
}

func (c *corpus) marks(doc uint32) (analyzer.Marks, error) {
	if d := c.inTail(doc); d != nil {
		return d.marks, nil
	}
	return c.ix.marks(doc)
}
