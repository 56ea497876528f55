package fts

import (
	"math"

	"github.com/set-memory/mem/log"
)

// corpus is what one search looks at: the rows of the sidecar that lie in its scope and that
// nothing has replaced, and the records of the tail. Both are numbered together, as docs: rows
// first.
type corpus struct {
	ix    *Index // nil where there is no sidecar
	tail  *Tail
	rows  uint32
	scope rowScope

	deleted  []uint64  // a bit for each row that the tail replaces
	replaced []uint32  // those in scope, in order
	tailPos  []tailPos // of each doc of the tail

	docs    int // in scope
	words   int // of those
	folders int // that they lie in
	changed map[uint32]folder
}

// tailPos is where a doc of the tail stands in the scope.
type tailPos struct {
	before uint32 // the first row that does not come before it
	folder uint32
	live   bool // in scope, and no tombstone
}

// noFolder is that of the record whose key is the scope itself: it lies in none of the folders
// below the scope.
const noFolder = math.MaxUint32

// newCorpus lays the scope of a query over sidecar and tail.
func newCorpus(ix *Index, tail *Tail, q *Query) (*corpus, error) {
	if tail == nil {
		tail = NewTail()
	}
	c := &corpus{ix: ix, tail: tail, changed: map[uint32]folder{}}
	if ix != nil {
		c.rows = ix.rows
	}
	err := tail.prepare(ix)
	if err == nil {
		c.scope, err = newRowScope(ix, q.scope)
	}
	for _, step := range [...]func() error{
		c.countRows, c.countFolders, c.addTail, c.countChangedFolders,
	} {
		if err == nil {
			err = step()
		}
	}
	return c, err
}

// countRows counts the rows in scope and their words, as if there were no tail.
func (c *corpus) countRows() error {
	if c.rows == 0 {
		return nil
	}
	for _, sp := range c.scope.spans {
		from, err := c.ix.wordsBefore(sp.from)
		if err != nil {
			return err
		}
		to, err := c.ix.wordsBefore(sp.to)
		if err != nil {
			return err
		}
		c.docs += int(sp.to) - int(sp.from)
		c.words += int(to) - int(from)
	}
	return nil
}

// countFolders counts the folders below the scope, as if there were no tail.
func (c *corpus) countFolders() error {
	switch {
	case c.rows == 0:
		return nil
	case c.scope.isAll():
		c.folders = c.ix.folderCount()
		return nil
	}
	key := c.scope.prefix.String()
	from, _, err := c.ix.folderNamed(key + "/")
	if err != nil {
		return err
	}
	to, _, err := c.ix.folderNamed(key + "0")
	c.folders = to - from
	return err
}

// addTail takes the docs of the tail in, and the rows that they replace out.
func (c *corpus) addTail() error {
	if len(c.tail.docs) == 0 {
		return nil
	}
	c.tailPos = make([]tailPos, len(c.tail.docs))
	c.deleted = make([]uint64, (c.rows+63)/64)
	own := c.scope.prefix.String()
	for i, d := range c.tail.docs {
		if d.place.isNewer {
			c.deleteRow(&d.place)
		}
		p := tailPos{before: d.place.before, folder: noFolder}
		if p.live = d.rec.Valid() && c.scope.prefix.Holds(d.rec.Key); p.live {
			if d.rec.Key.String() != own {
				p.folder = d.place.folder
			}
			c.change(p.folder, 1, lengthOf(d.length))
		}
		c.tailPos[i] = p
	}
	return nil
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

func (c *corpus) change(id uint32, docs, words int) {
	c.docs += docs
	c.words += words
	f := c.changed[id]
	f.rows += uint32(docs) // wraps for less, as it does where it is added
	f.words += uint64(words)
	c.changed[id] = f
}

// countChangedFolders counts the folders that the tail has begun, and not those that it has
// emptied.
func (c *corpus) countChangedFolders() error {
	for id := range c.changed {
		if id == noFolder {
			continue
		}
		was, err := c.written(id)
		if err != nil {
			return err
		}
		now := was.rows + c.changed[id].rows
		switch {
		case was.rows > 0 && now == 0:
			c.folders--
		case was.rows == 0 && now > 0:
			c.folders++
		}
	}
	return nil
}

// written returns a folder as the sidecar has it.
func (c *corpus) written(id uint32) (folder, error) {
	if c.rows == 0 || int(id) >= c.ix.folderCount() {
		return folder{}, nil
	}
	return c.ix.folderAt(int(id))
}

// folderWords returns the number of words in a folder.
func (c *corpus) folderWords(id uint32) (int, error) {
	f, err := c.written(id)
	return int(f.words + c.changed[id].words), err
}

// size is the number of docs, in scope or not.
func (c *corpus) size() int { return int(c.rows) + len(c.tailPos) }

// folderCount is the number of folders, in scope or not.
func (c *corpus) folderCount() int {
	n := int(c.tail.fresh)
	if c.rows > 0 {
		n += c.ix.folderCount()
	}
	return n
}

// meanLength is that of the texts in scope.
func (c *corpus) meanLength() float64 { return max(float64(c.words)/float64(max(c.docs, 1)), 1) }

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
	return c.tail.docs[doc-c.rows]
}

// folder returns the number of a doc's folder.
func (c *corpus) folder(doc uint32) (uint32, error) {
	switch {
	case doc >= c.rows:
		return c.tailPos[doc-c.rows].folder, nil
	case c.scope.isOwnRow(doc):
		return noFolder, nil
	}
	return c.ix.folder(doc)
}

// stamp returns ts of a doc.
func (c *corpus) stamp(doc uint32) (log.Stamp, error) {
	if d := c.inTail(doc); d != nil {
		return d.rec.TS, nil
	}
	return c.ix.stamp(doc)
}

// key returns the key of a doc.
func (c *corpus) key(doc uint32) (string, error) {
	if d := c.inTail(doc); d != nil {
		return d.rec.Key.String(), nil
	}
	return c.ix.key(doc)
}

// lengthCode returns the code of the words of a doc.
func (c *corpus) lengthCode(doc uint32) (byte, error) {
	if d := c.inTail(doc); d != nil {
		return d.length, nil
	}
	return c.ix.lengthCode(doc)
}

// isQuestion reports whether a doc ends in a question.
func (c *corpus) isQuestion(doc uint32) (bool, error) {
	if d := c.inTail(doc); d != nil {
		return d.isQuestion, nil
	}
	return c.ix.isQuestion(doc)
}
