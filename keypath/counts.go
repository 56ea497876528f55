package keypath

import (
	"maps"
	"slices"
)

// MaxGap is how far a number may lie above all others of its counter and still count. Numbers are
// returned one after the other, so a farther one was written by another program, and does not use
// up the numbers between. Gaps come from imports: an export has the notes that are live.
const MaxGap = 1_000_000

// maxFar is how many numbers above a gap are kept of a counter, the lowest.
const maxFar = 1000

// Counts is how far each counter has come, by the numbers that there were. They may come in any
// order. The zero Counts has none.
type Counts struct {
	highest map[string]int64   // from 0, without a gap that is too wide
	far     map[string][]int64 // above such a gap, in ascending order
}

// CountsOf returns the counts that [Counts.Highest] returned.
func CountsOf(highest map[string]int64) Counts { return Counts{highest: maps.Clone(highest)} }

// Highest returns the highest number of each counter that counts.
func (c Counts) Highest() map[string]int64 {
	highest := maps.Clone(c.highest)
	if highest == nil {
		highest = map[string]int64{}
	}
	return highest
}

// Far returns the numbers of a counter that lie too far above the others to count yet, the lowest
// first.
func (c Counts) Far(counter string) []int64 { return slices.Clone(c.far[counter]) }

// Next returns the number after the highest of a counter; not ok where that was the last.
func (c Counts) Next(counter string) (n int64, ok bool) {
	n = c.highest[counter] + 1
	return n, n <= maxNumber
}

// AddKey adds the number that a key carries, if it has one.
func (c *Counts) AddKey(k Key) {
	if counter, n, ok := k.Number(); ok {
		c.Add(counter, n)
	}
}

// Add adds a number.
func (c *Counts) Add(counter string, n int64) {
	switch at := c.highest[counter]; {
	case n <= at:
	case n-at <= MaxGap:
		c.reach(counter, n)
	default:
		c.addFar(counter, n)
	}
}

func (c *Counts) addFar(counter string, n int64) {
	if c.far == nil {
		c.far = map[string][]int64{}
	}
	far := c.far[counter]
	if at, found := slices.BinarySearch(far, n); !found {
		far = slices.Insert(far, at, n)
	}
	c.far[counter] = far[:min(len(far), maxFar)]
}

// Merge adds all numbers of o.
func (c *Counts) Merge(o Counts) {
	for counter, n := range o.highest {
		if n > c.highest[counter] { // what led there is within no gap here either
			c.reach(counter, n)
		}
	}
	for counter, far := range o.far {
		for _, n := range far {
			c.Add(counter, n)
		}
	}
}

// reach sets the highest number of a counter to n, or to one that is within reach from there.
func (c *Counts) reach(counter string, n int64) {
	far := c.far[counter]
	for len(far) > 0 && far[0]-n <= MaxGap {
		n, far = max(n, far[0]), far[1:]
	}
	if c.highest == nil {
		c.highest = map[string]int64{}
	}
	c.highest[counter] = n
	if c.far != nil {
		c.far[counter] = far
	}
}

// Clone returns a copy.
func (c Counts) Clone() Counts {
	o := CountsOf(c.highest)
	for counter, far := range c.far {
		if o.far == nil {
			o.far = map[string][]int64{}
		}
		o.far[counter] = slices.Clone(far)
	}
	return o
}
