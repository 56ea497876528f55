package fts

import (
	"math"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// model is the table of everything that a score is computed with; doc.go has the formula,
// docs/search.md the figures behind the numbers.
type model struct {
	fields   [analyzer.Fields]float64 // how much an occurrence in each field counts
	k1, b    float64                  // of BM25
	neighbor [2]float64               // of the scores of its neighbors, the nearest first
	answer   float64                  // what the record after a question gets
	folder   float64                  // of the folder's score
	date     float64                  // of a date's terms
	speaker  float64                  // of the idf of a speaker whom the query names
	named    float64                  // of the weight of a word that is also a speaker's name

	mostFound int // docs that are ranked any further, if more have a score of their own
	// A term has a high document frequency that is in more docs than the first, and in more than
	// one in so many of all.
	highDFDocs, highDFShare int
}

var standard = &model{
	fields: [analyzer.Fields]float64{
		analyzer.Text: 1, analyzer.Summary: 1, analyzer.Title: 1, analyzer.Other: 1,
		analyzer.Tags: 1, analyzer.KeyPart: 0.3,
	},
	k1: 1.2, b: 0.3,
	neighbor: [2]float64{0.3, 0.1}, answer: 0.6, folder: 0.25,
	date: 1, speaker: 3, named: 0.3,
	mostFound: 10_000, highDFDocs: 20_000, highDFShare: 10,
}

// idf is what a term is worth that n of all docs have.
func idf(all, n int) float64 {
	return math.Log1p((float64(all-n) + 0.5) / (float64(n) + 0.5))
}

// maxSpeakerIDF is how rare a speaker may seem: one that hardly ever spoke should not outweigh all
// that was said.
const maxSpeakerIDF = 1.5

// frequency weighs the occurrences of a term in a record.
func (m *model) frequency(tf counts) (sum float64) {
	for f := range analyzer.Fields {
		sum += m.fields[f] * float64(tf.count(f))
	}
	return sum
}

// saturate is the part of BM25 that grows ever slower with frequency; norm is 1 for a text of mean
// length.
func (m *model) saturate(frequency, norm float64) float64 {
	return frequency * (m.k1 + 1) / (frequency + m.k1*norm)
}

// norm is how much more it takes for a text to be about a word, the longer it is.
func (m *model) norm(length, mean float64) float64 { return 1 - m.b + m.b*length/mean }
