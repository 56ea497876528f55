package testkit

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	_ "pgregory.net/rapid" // its flags
)

// A sweep is a test of one rule in hundreds of cases: a kill at each call, a session on another
// store. MEM_SWEEP says how many of them run: "sample" takes a part, drawn by MEM_SEED, as make
// test does; "long" takes all there are, in minutes each (make crash); anything else the cases of
// CI and of a plain go test.

// A history that rapid draws is a case of a sweep.
func init() {
	if err := flag.Set("rapid.checks", Extent("25", "100", "100")); err != nil {
		panic(err)
	}
}

// Extent returns the number, or what else a sweep goes by, of the extent that runs.
func Extent[T any](sample, all, long T) T {
	switch os.Getenv("MEM_SWEEP") {
	case "sample":
		return sample
	case "long":
		return long
	}
	return all
}

// Sample returns the cases of a sweep that run, in their order: each, or in a sample one of share
// and at least least of them.
func Sample[T any](t testing.TB, cases []T, share, least int) []T {
	t.Helper()
	n := Extent(min(len(cases), max(least, len(cases)/share)), len(cases), len(cases))
	if n == len(cases) {
		return cases
	}
	drawn := make([]T, 0, n)
	r := seeded(t)
	for i, c := range cases {
		if r.IntN(len(cases)-i) < n-len(drawn) {
			drawn = append(drawn, c)
		}
	}
	t.Logf("%d of %d cases, MEM_SEED=%d", n, len(cases), seed(t))
	return drawn
}

// First returns the first of the calls, each step-th, at which a sweep does something: 1, or in a
// sample a drawn one up to step.
func First(t testing.TB, step int) int {
	t.Helper()
	if Extent(false, true, true) {
		return 1
	}
	first := 1 + seeded(t).IntN(step)
	t.Logf("from call %d on each %d., MEM_SEED=%d", first, step, seed(t))
	return first
}

// seeded returns the numbers by which a test draws: others for each test, the same for each seed.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	name := fnv.New64a()
	_, _ = name.Write([]byte(t.Name())) // a hash never fails
	return rand.New(rand.NewPCG(seed(t), name.Sum64()))
}

func seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv("MEM_SEED")
	if text == "" {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("MEM_SEED=%s: want a number from 0", text)
	}
	return n
}
