package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
)

// question is asked in a goroutine of its own. It has one answer, or none in time; then the caller
// goes on, and what the goroutine still does is lost.
type question[T any] chan result[T]

type result[T any] struct {
	value T
	err   error
}

var (
	// errLate is the error of a question without an answer in time.
	errLate = errors.New(inject.TooLate)
	// errPanic is wrapped by the error of a question that panicked.
	errPanic = errors.New("panic")
)

// ask asks a question.
func ask[T any](fn func() (T, error)) question[T] {
	q := make(question[T], 1) // the goroutine ends, whether somebody waits or not
	go func() {
		var a result[T]
		defer func() {
			if cause := recover(); cause != nil {
				a.err = fmt.Errorf("%w: %v", errPanic, cause)
			}
			q <- a
		}()
		a.value, a.err = fn()
	}()
	return q
}

// wait returns the answer. The error is errLate where there is none before the context ends.
func (q question[T]) wait(ctx context.Context) (T, error) {
	select {
	case a := <-q:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, errLate
	}
}

// waitPart is wait for a part of the time that the context leaves.
func (q question[T]) waitPart(ctx context.Context, part float64) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, partOf(ctx, part))
	defer cancel()
	return q.wait(ctx)
}

// partOf returns a part of the time until the deadline of a context.
func partOf(ctx context.Context, part float64) time.Duration {
	end, _ := ctx.Deadline()
	return time.Duration(float64(time.Until(end)) * part)
}
