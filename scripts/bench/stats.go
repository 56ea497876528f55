package main

import (
	"math"
	"slices"
	"time"
)

// A timing is what one process took.
type timing struct {
	wall time.Duration
	peak int64 // resident memory at its highest, KiB
}

// A sample is the runs of one subject in one series.
type sample []timing

func (s sample) p50() time.Duration { return s.quantile(0.5) }
func (s sample) p10() time.Duration { return s.quantile(0.1) }

func (s sample) p99() time.Duration { return s.quantile(0.99) }

// quantile interpolates between the two nearest runs; 0 for an empty sample.
func (s sample) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	walls := make([]time.Duration, len(s))
	for i, r := range s {
		walls[i] = r.wall
	}
	slices.Sort(walls)
	at := q * float64(len(walls)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(walls)-1)
	return walls[low] + time.Duration((at-float64(low))*float64(walls[high]-walls[low]))
}

// per divides every run among n records.
func (s sample) per(n int) sample {
	share := make(sample, len(s))
	for i, r := range s {
		share[i] = timing{r.wall / time.Duration(n), r.peak}
	}
	return share
}

// peak is the highest memory of any run, in MiB.
func (s sample) peak() float64 {
	var kib int64
	for _, r := range s {
		kib = max(kib, r.peak)
	}
	return float64(kib) / 1024
}
