// Package fault has the error that most packages return: a text, a kind, and what to do about it.
// Package mem reads the kind and the advice (KindOf, AdviceOf), and makes of them the exit code,
// and the one form that the error has as JSON (FailureOf).
//
// An error has a type of its own where its callers read more of it than that: the newest envelope,
// a list of candidates. Then it has the methods Kind or Advice itself, or embeds a Fault.
package fault

import (
	"errors"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
)

// ErrInput is wrapped when an argument, a line or the configuration is malformed in a way that no
// other error says.
var ErrInput = errors.New("bad input")

// Fault is an error with its kind and what to do. Err is its cause, or a sentinel: errors.Is and
// errors.As find it.
type Fault struct {
	Code string      // the kind, as package mem names it; "": that of Err
	What string      // is wrong; "": Why says it
	Why  string      // "": the text of Err
	Do   advice.List // nil: that of Err
	Err  error
	// Later makes Do when it is asked for: a sentinel then costs no start anything.
	Later func() advice.List
}

// New returns an error of a kind.
func New[Kind ~string](kind Kind, why string, do advice.List) error {
	return &Fault{Code: string(kind), Why: why, Do: do}
}

// Wrap returns an error of a kind with the text of another one, about what; "": about nothing else.
func Wrap[Kind ~string](kind Kind, what string, err error, do advice.List) error {
	return &Fault{Code: string(kind), What: what, Do: do, Err: err}
}

// Input returns the error for something wrong that a caller has given; errors.Is(err, ErrInput)
// holds.
func Input(what, why string, do advice.List) error {
	return &Fault{Code: "input", What: what, Why: why, Do: do, Err: ErrInput}
}

// Error returns one line. An argument in What may have several lines: the first one says enough.
func (f *Fault) Error() string {
	why := f.Why
	if why == "" && f.Err != nil {
		why = f.Err.Error()
	}
	if f.What == "" {
		return why
	}
	what, _, isCut := strings.Cut(f.What, "\n")
	if isCut {
		what += " ..."
	}
	return what + ": " + why
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Kind returns the name of the kind; "" where only a sentinel of Err has one.
func (f *Fault) Kind() string {
	var inner interface{ Kind() string }
	if f.Code == "" && errors.As(f.Err, &inner) {
		return inner.Kind()
	}
	return f.Code
}

// Advice returns what to do.
func (f *Fault) Advice() advice.List {
	var inner interface{ Advice() advice.List }
	if f.Later != nil {
		return f.Later()
	}
	if f.Do == nil && errors.As(f.Err, &inner) {
		return inner.Advice()
	}
	return f.Do
}
