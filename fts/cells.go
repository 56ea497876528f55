package fts

// cells are the scores of docs, or of folders, made as they are touched: most searches touch few of very many.
type cells struct {
	pages []*[cellPage]cell
}

const cellPage = 64

// cell is what a search knows of one doc.
type cell struct {
	self    float64 // its score by itself
	covered float64 // the worth of the terms that it has
	sum     float64 // its score with what neighbours lend, and later all else
}

func newCells(n int) cells { return cells{make([]*[cellPage]cell, blocksOf(n, cellPage))} }

// at gives the cell of a doc.
func (c *cells) at(doc uint32) *cell {
	p := &c.pages[doc/cellPage]
	if *p == nil {
		*p = new([cellPage]cell)
	}
	return &(*p)[doc%cellPage]
}
