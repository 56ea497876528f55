package fts

import "math"

// model is the table of everything that the score is computed with; doc.go gives the formula.
type model struct {
	fields  [fields]float64 // how much an occurrence in each field counts
	k1, b   float64         // of BM25
	pathB   float64         // b of folders
	near    [2]float64      // what a neighbour lends of its score, next to a record and one further
	folder  float64         // what its folder's score adds
	date    float64
	speaker float64
	named   float64 // of a word's weight in texts, if it is also a speaker's name
}

var standard = model{
	fields: [fields]float64{Text: 1, Summary: 1, Title: 1, Other: 1, Tags: 1, KeyPart: 1},
	k1:     1.2, b: 0.3, pathB: 0.3,
	near:   [2]float64{0.3, 0.1},
	folder: 0.2, date: 1, speaker: 3, named: 0,
}

// idf is what a term is worth that n of all docs have.
func idf(all, n int) float64 {
	return math.Log1p((float64(all-n) + 0.5) / (float64(n) + 0.5))
}

// frequency weighs the occurrences of a term in a record.
func (m *model) frequency(tf counts) (sum float64) {
	if tf == 1 {
		return m.fields[Text]
	}
	for f := range fields {
		sum += m.fields[f] * float64(tf.of(f))
	}
	return sum
}

// saturate is the part of BM25 that grows ever slower with frequency; norm is the length of a text beside the mean.
func (m *model) saturate(frequency, norm, b float64) float64 {
	return frequency * (m.k1 + 1) / (frequency + m.k1*(1-b+b*norm))
}
