// Package harness is shared by the programs that measure mem: how they end at an error (Check, Try,
// Main), reports in sections, a store of the binary, a memd that answers over a socket, a
// vocabulary as frequent as that of a language, and how figures are printed.
package harness

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

const vocabulary = 30_000

// Zipf draws the number of a word as often as a language uses it: of Zipf's law with exponent 1 the
// inverse is an exponential.
func Zipf(r *rand.Rand) int { return int(math.Exp(r.Float64()*math.Log(vocabulary))) - 1 }

// Word returns the n-th most frequent word.
func Word(n int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var out strings.Builder
	for n += 70; n > 0; n /= 70 {
		out.WriteByte(consonants[n%70%14])
		out.WriteByte(vowels[n%70/14])
	}
	return out.String()
}

// Quantile interpolates between the two nearest values; it returns 0 for an empty list.
func Quantile[T ~int64 | ~float64](all []T, q float64) T {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + T((at-float64(low))*float64(sorted[high]-sorted[low]))
}

// Duration prints three digits or so, in the unit that reads best.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return Number(float64(d)/1e3) + " µs"
	case d < time.Second:
		return Number(float64(d)/1e6) + " ms"
	}
	return Number(d.Seconds()) + " s"
}

// Number prints three digits or so.
func Number(x float64) string {
	digits := 0
	switch {
	case x < 10:
		digits = 2
	case x < 100:
		digits = 1
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}
