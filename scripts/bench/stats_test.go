package main

import (
	"testing"
	"time"
)

func samples(millis ...int) sample {
	var s sample
	for _, ms := range millis {
		s = append(s, timing{wall: time.Duration(ms) * time.Millisecond})
	}
	return s
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name string
		s    sample
		q    float64
		want time.Duration
	}{
		{"empty", nil, 0.5, 0},
		{"one", samples(7), 0.1, 7 * time.Millisecond},
		{"odd, unsorted", samples(9, 1, 5), 0.5, 5 * time.Millisecond},
		{"even", samples(4, 2), 0.5, 3 * time.Millisecond},
		{"between two runs", samples(0, 10, 20), 0.1, 2 * time.Millisecond},
		{"lowest", samples(3, 2, 1), 0, time.Millisecond},
		{"highest", samples(3, 2, 1), 1, 3 * time.Millisecond},
		{"one slow run does not move the median", samples(2, 2, 2, 2, 9000), 0.5, 2 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.quantile(tt.q); got != tt.want {
				t.Errorf("quantile(%v) = %v, want %v", tt.q, got, tt.want)
			}
		})
	}
}

func TestQuantileLeavesTheSampleInItsOrder(t *testing.T) {
	s := samples(3, 1, 2)
	s.p50()
	if s[0].wall != 3*time.Millisecond {
		t.Errorf("the sample was sorted in place: %v", s)
	}
}

func TestPerDividesTimeButNotMemory(t *testing.T) {
	s := sample{{wall: time.Second, peak: 2048}}.per(1000)
	if s.p50() != time.Millisecond || s.peak() != 2 {
		t.Errorf("got %v and %v MiB, want 1ms and 2 MiB", s.p50(), s.peak())
	}
}

func TestPeakIsTheHighest(t *testing.T) {
	if got := (sample{{peak: 1024}, {peak: 5120}, {peak: 2048}}).peak(); got != 5 {
		t.Errorf("peak = %v, want 5", got)
	}
}

func TestRatioInterval(t *testing.T) {
	var old, same, slower sample
	for i := range 200 {
		noise := time.Duration(i*7919%200) * time.Microsecond
		old = append(old, timing{wall: 5*time.Millisecond + noise})
		same = append(same, timing{wall: 5*time.Millisecond + 200*time.Microsecond - noise})
		slower = append(slower, timing{wall: 5500*time.Microsecond + noise})
	}
	if low, high := ratioInterval(old, same); low > 1 || high < 1 || high-low > 0.02 {
		t.Errorf("of equal times: %v to %v", low, high)
	}
	if low, high := ratioInterval(old, slower); low < 1.08 || high > 1.11 {
		t.Errorf("of times a tenth longer: %v to %v", low, high)
	}
}
