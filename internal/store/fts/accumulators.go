package fts

// accumulators are the scores of docs, or of folders, made as they are touched: most searches touch
// few of very many.
type accumulators struct {
	pages []*[accumulatorPage]accumulator
}

const accumulatorPage = 64

// accumulator is what a search knows of one doc.
type accumulator struct {
	self    float64 // its score by itself
	covered float64 // the worth of the terms that it has
	sum     float64 // its score with that of its neighbors, and later all else
}

func newAccumulators(n int) accumulators {
	return accumulators{make([]*[accumulatorPage]accumulator, blocksOf(n, accumulatorPage))}
}

// accumulator returns the accumulator of a doc.
func (a *accumulators) accumulator(doc uint32) *accumulator {
	p := &a.pages[doc/accumulatorPage]
	if *p == nil {
		*p = new([accumulatorPage]accumulator)
	}
	return &(*p)[doc%accumulatorPage]
}
