package fts

// accumulators hold the scores of docs or of folders. They are allocated when first used, since
// most searches reach few docs out of very many.
type accumulators struct {
	pages []*[accumulatorPage]accumulator
}

const accumulatorPage = 64

// accumulator holds the scores of one doc.
type accumulator struct {
	self    float64 // its score by itself
	covered float64 // the worth of the terms that it has
	sum     float64 // its score with that of its neighbors, and later all else
}

func newAccumulators(n int) accumulators {
	return accumulators{make([]*[accumulatorPage]accumulator, blocksOf(n, accumulatorPage))}
}

func (a *accumulators) accumulator(doc uint32) *accumulator {
	p := &a.pages[doc/accumulatorPage]
	if *p == nil {
		*p = new([accumulatorPage]accumulator)
	}
	return &(*p)[doc%accumulatorPage]
}
