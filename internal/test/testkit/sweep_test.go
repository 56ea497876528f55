package testkit

import (
	"fmt"
	"slices"
	"testing"
)

// A sample has as many cases as it says, in their order, the same for a seed, and in the end each
// case; other extents take all.
func TestSample(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		extent       string
		share, least int
		want         int
	}{
		{"", 5, 1, 10}, {"all", 5, 1, 10}, {"long", 5, 1, 10}, {"sample", 5, 1, 2},
		{"sample", 5, 4, 4}, {"sample", 100, 1, 1}, {"sample", 1, 1, 10}, {"sample", 5, 20, 10},
	} {
		t.Setenv("MEM_SWEEP", c.extent)
		seen := map[int]bool{}
		for seed := range 40 {
			t.Setenv("MEM_SEED", fmt.Sprint(seed))
			drawn := Sample(t, cases, c.share, c.least)
			if len(drawn) != c.want || !slices.IsSorted(drawn) ||
				!slices.Equal(drawn, Sample(t, cases, c.share, c.least)) {
				t.Errorf("%+v, seed %d: %v", c, seed, drawn)
			}
			for _, n := range drawn {
				seen[n] = true
			}
			if first := First(t, 4); first < 1 || first > 4 || c.extent != "sample" && first != 1 {
				t.Errorf("%+v, seed %d: first %d", c, seed, first)
			}
		}
		if len(seen) != len(cases) {
			t.Errorf("%+v: %d cases were never drawn", c, len(cases)-len(seen))
		}
	}
	if drawn := Sample(t, []int{}, 5, 1); len(drawn) > 0 {
		t.Errorf("of nothing: %v", drawn)
	}
}
