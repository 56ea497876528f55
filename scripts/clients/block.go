package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// The fences of what mem says in a conversation.
const (
	fenceBegin = "[Agent Memory]\n"
	fenceEnd   = "\n[End of Agent Memory]" // without its line end, which a client may trim
)

var errArrival = errors.New("what arrived at the model is not what it should be")

// lines returns the memories of all whole blocks in a request, one line each. A block whose end is
// missing was cut on its way.
func (r *request) lines() (found []string) {
	for _, text := range r.conversation() {
		for {
			_, rest, begun := strings.Cut(text, fenceBegin)
			if !begun {
				break
			}
			block, after, ended := strings.Cut(rest, fenceEnd)
			if !ended {
				r.fault("a block was cut: it ends in %.80q", rest[max(0, len(rest)-80):])
			}
			for line := range strings.Lines(block) {
				if line[0] == '(' { // the label that begins the line of a memory
					found = append(found, strings.TrimSuffix(line, "\n"))
				}
			}
			text = after
		}
	}
	return found
}

// fault fails the check with a fault of the request, and the file that holds it.
func (r *request) fault(format string, args ...any) {
	harness.Failf("%w: %s; see %s", errArrival, fmt.Sprintf(format, args...), r.path)
}

// brings checks that a request's blocks show a memory so many times, word for word, and that it
// stands nowhere else.
func (l *lab) brings(r *request, summary string, want int) {
	lines := r.lines()
	n := 0
	for _, line := range lines {
		if strings.HasSuffix(line, " "+l.shown(summary)) {
			n++
		}
	}
	if n != want {
		r.fault("%.40q came %d times, want %d", summary, n, want)
	}
	if all := r.times(l.shown(summary)); all != n {
		r.fault("%.40q came %d times, %d of them outside a block", summary, all, all-n)
	}
}

// last is the last request that the model could act on.
func last(requests []*request) *request {
	requests = slices.DeleteFunc(requests, func(r *request) bool { return !r.main() })
	if len(requests) == 0 {
		harness.Failf("%w: no request offers the model a shell", errArrival)
	}
	return requests[len(requests)-1]
}
