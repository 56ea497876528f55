package main

import (
	"fmt"
	"testing"
)

// Of the prompts that have nothing to do with what is stored at most 5 % may be told anything,
// however little is stored, in one store or two; most that a note answers must bring it.
func TestFloor(t *testing.T) {
	t.Parallel()
	const maxOff, minOn = 5, 65
	c := readCorpus("testdata/floor")
	for _, size := range []int{20, 50, 100, 350} {
		for _, layered := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d notes, layered %v", size, layered), func(t *testing.T) {
				r, _ := c.measure(size, layered, 7)
				off, on := r.off[0].plus(r.off[1]), r.on[0].plus(r.on[1])
				if off.percent() > maxOff {
					t.Errorf("told at %d of %d prompts of other things, want %d %%", off.n, off.of, maxOff)
				}
				if on.percent() < minOn {
					t.Errorf("%d of %d prompts brought their note, want %d %%", on.n, on.of, minOn)
				}
			})
		}
	}
}

func TestShelf(t *testing.T) {
	c := corpus{projects: [][]fact{{{text: "a"}}, {{text: "b"}, {text: "c"}}, {{text: "rest"}}}}
	for _, tt := range []struct {
		first, notes int
		want         string
	}{{0, 2, "ab"}, {1, 3, "bca"}, {1, 9, "bcarest"}} {
		var got string
		for _, f := range c.shelf(tt.first, tt.notes) {
			got += f.text
		}
		if got != tt.want {
			t.Errorf("%d from %d: %s, want %s", tt.notes, tt.first, got, tt.want)
		}
	}
}
