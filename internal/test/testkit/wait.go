package testkit

import (
	"testing"
	"time"
)

// WaitFor returns when the condition holds. The time limit of the test binary is the only one: a
// busy machine may be slow. It fails a second before that limit, and names the event.
func WaitFor(t testing.TB, event string, holds func() bool) {
	t.Helper()
	for !holds() {
		limited, ok := t.(interface{ Deadline() (time.Time, bool) })
		if ok {
			if end, ok := limited.Deadline(); ok && time.Until(end) < time.Second {
				t.Fatal("waited in vain for " + event)
			}
		}
		time.Sleep(time.Millisecond)
	}
}
