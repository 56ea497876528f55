package main

import (
	"testing"
	"time"
)

// waitFor waits until something is so. There is no limit but that of the test itself: a machine may
// be slow.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			t.Fatal("waited in vain for " + what)
		}
	}
}
