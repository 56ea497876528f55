package hook

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A question has one answer, in whichever way its function ends, or none in time.
func TestQuestion(t *testing.T) {
	failed := errors.New("no way")
	for name, tc := range map[string]struct {
		fn   func() (int, error)
		want int
		err  error
	}{
		"it answers": {func() (int, error) { return 7, nil }, 7, nil},
		"it fails":   {func() (int, error) { return 0, failed }, 0, failed},
		"it panics":  {func() (int, error) { panic("at the disco") }, 0, errPanic},
		"it hangs":   {func() (int, error) { select {} }, 0, errLate},
	} {
		limit := time.Minute
		if tc.err == errLate {
			limit = 20 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		if got, err := ask(tc.fn).waitPart(ctx, 1./2); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %d, %v", name, got, err)
		}
		cancel()
	}
}

// An answer that came too late for one wait is there for the next one.
func TestLateAnswerIsKept(t *testing.T) {
	answers := make(chan int)
	q := ask(func() (int, error) { return <-answers, nil })
	passed, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := q.wait(passed); err != errLate {
		t.Errorf("%d, %v", got, err)
	}
	answers <- 7
	if got, err := q.wait(t.Context()); got != 7 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
}
