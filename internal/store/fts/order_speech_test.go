package fts

import (
	"fmt"
	"math"
	"testing"

	"github.com/set-memory/mem/log"
)

// What records say of their speakers counts by the share of records that have one, over all stores
// of a search.
func TestLiftsGoByTheShareOfSpeakers(t *testing.T) {
	for _, c := range []struct {
		spoken, elsewhere int
		self, cover       float64
	}{
		{4, 4, -0.47, 1.56}, {0, 0, 0, 0.78}, {2, 2, -0.235, 1.17}, {4, 0, -0.235, 1.17},
	} {
		one, other := fourRepairs("/a", c.spoken), NewTail()
		for _, r := range fourRepairs("/b", c.elsewhere) {
			other.Add(r)
		}
		load := func(row int) (log.Record, error) { return one[row], nil }
		opt := Options{Load: load, ByScore: true}
		a, err := standard.prepare(sidecarOf(t, 1<<20, one), nil, Words("repaired pump"), opt)
		if err != nil {
			t.Fatal(err)
		}
		b, err := standard.prepare(nil, other, Words("repaired pump"), opt)
		if err != nil {
			t.Fatal(err)
		}
		all := a.Stats().Plus(b.Stats())
		for _, p := range []*Prepared{a, b} {
			checkLifts(t, p, &all, c.self, c.cover)
		}
	}
}

func checkLifts(t *testing.T, p *Prepared, all *Stats, self, cover float64) {
	t.Helper()
	res, err := p.Search(all)
	if err != nil || len(res.Hits) != 4 {
		t.Fatal(res, err)
	}
	v, err := res.s.features(res.Hits[0].doc)
	if err != nil {
		t.Fatal(err)
	}
	for f, want := range map[int]float64{bySelf: self, byCover: cover} {
		if got := v[f] * featureTable[f].weight; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %.3f, want %.3f", featureTable[f].name, got, want)
		}
	}
}

// fourRepairs returns four records, of which so many have a speaker.
func fourRepairs(folder string, spoken int) (records []log.Record) {
	for i := range 4 {
		text := `{"text":"I repaired the pump"}`
		if i < spoken {
			text = `{"speaker":"Anna",` + text[1:]
		}
		records = append(records, record(fmt.Sprintf("%s/m-%d", folder, i), text, log.Stamp(i)))
	}
	return records
}
