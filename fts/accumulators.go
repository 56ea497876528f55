package fts

// accumulators are the scores of docs, or of folders, made as they are touched: most searches touch
// few of very many.
type accumulators struct {
	pages []*[accumulatorPage]accumulator
}

const accumulatorPage = 64

// maskedTerms is how many terms of a query have a bit in what a search knows of a doc.
const maskedTerms = 64

// accumulator is what a search knows of one doc.
type accumulator struct {
	self    float64 // its score by itself
	covered float64 // the worth of the terms that it has
	sum     float64 // its score with that of its neighbors, and later all else
	has     uint64  // a bit for each of the first terms that were counted in it
}

func newAccumulators(n int) accumulators {
	return accumulators{make([]*[accumulatorPage]accumulator, blocksOf(n, accumulatorPage))}
}

// at returns the accumulator of a doc.
func (a *accumulators) at(doc uint32) *accumulator {
	p := &a.pages[doc/accumulatorPage]
	if *p == nil {
		*p = new([accumulatorPage]accumulator)
	}
	return &(*p)[doc%accumulatorPage]
}
