package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// A timing is what one process took.
type timing struct {
	wall time.Duration
	peak int64 // resident memory at its highest, KiB
	cpu  time.Duration
}

// A sample is the runs of one subject in one series.
type sample []timing

func (s sample) p50() time.Duration { return s.quantile(0.5) }

// quantile interpolates between the two nearest runs; 0 for an empty sample.
func (s sample) quantile(q float64) time.Duration {
	return quantileOf(s, q, func(t timing) time.Duration { return t.wall })
}

// cpu is the median of the processor time.
func (s sample) cpu() time.Duration {
	return quantileOf(s, 0.5, func(t timing) time.Duration { return t.cpu })
}

func quantileOf(s sample, q float64, of func(timing) time.Duration) time.Duration {
	if len(s) == 0 {
		return 0
	}
	list := make([]time.Duration, len(s))
	for i, r := range s {
		list[i] = of(r)
	}
	return harness.Quantile(list, q)
}

// peak is the highest memory of any run, in MiB.
func (s sample) peak() float64 {
	var kib int64
	for _, r := range s {
		kib = max(kib, r.peak)
	}
	return float64(kib) / 1024
}

// ratioInterval returns the 95 % bootstrap interval of the ratio of the medians, now over old.
// Pairs are drawn, not runs: the two of a pair met the same moment of the machine.
func ratioInterval(old, now sample) (low, high float64) {
	const resamples = 10_000
	r := rand.New(rand.NewPCG(1, 2))
	ratios := make([]float64, resamples)
	a, b := make(sample, len(old)), make(sample, len(old))
	for i := range ratios {
		for j := range a {
			at := r.IntN(len(old))
			a[j], b[j] = old[at], now[at]
		}
		ratios[i] = ratio(b.p50(), a.p50())
	}
	slices.Sort(ratios)
	return ratios[resamples*25/1000], ratios[resamples*975/1000-1]
}
