package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
)

// A failure is the panic of Check. A measurement ends at its first error, as a test does, so the
// programs have one place that looks at errors in place of one after each call.
type failure struct{ error }

// Check ends what Try runs if there is an error.
func Check(errs ...error) {
	if err := errors.Join(errs...); err != nil {
		if len(errs) == 1 {
			err = errs[0]
		}
		panic(failure{err})
	}
}

// Failf ends what Try runs with an error.
func Failf(format string, args ...any) { Check(fmt.Errorf(format, args...)) }

// Must returns a value, or ends what Try runs.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Try returns the error that ended fn.
func Try(fn func()) (err error) {
	defer func() {
		if got := recover(); got != nil {
			f, ok := got.(failure)
			if !ok {
				panic(got)
			}
			err = f.error
		}
	}()
	fn()
	return nil
}

// Within adds a context to the error that ends fn.
func Within(what string, fn func()) {
	if err := Try(fn); err != nil {
		Failf("%s: %w", what, err)
	}
}

// Together runs fn n times at once, and ends with the errors of all.
func Together(n int, fn func(i int)) {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = Try(func() { fn(i) }) })
	}
	all.Wait()
	Check(errs...)
}

// Main runs a program up to the interrupt, and exits with 1 after an error.
func Main(name string, run func(context.Context)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := Try(func() { run(ctx) }); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
