package main

import (
	"testing"
	"time"
)

// waitFor waits until something is so. There is no limit but that of the test itself: a machine may
// be slow.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	end, limited := t.Deadline()
	for !is() {
		if limited && time.Until(end) < time.Second {
			t.Fatal("waited in vain for " + what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
