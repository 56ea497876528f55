package life

import (
	"math/bits"

	"pgregory.net/rapid"
)

// draw draws a number below n, each alike: the numbers of rapid are small ones mostly, and a life
// would have few kinds of steps.
func (l *life) draw(what string, n int) int {
	width := bits.Len(uint(n)) + 3
	gen := rapid.Custom(func(t *rapid.T) int {
		x := 0
		for range width {
			x <<= 1
			if rapid.Bool().Draw(t, "bit") {
				x |= 1
			}
		}
		return x * n >> width
	})
	return gen.Draw(l.rt, what)
}

// between draws a number from one to another.
func (l *life) between(what string, from, to int) int { return from + l.draw(what, to-from+1) }

// pick draws one of a list.
func pick[T any](l *life, what string, list []T) T { return list[l.draw(what, len(list))] }
