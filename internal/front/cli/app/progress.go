package app

import (
	"fmt"
	"io"
	"time"
)

// bar shows long work on a terminal's stderr, once it has taken a second. The well-kept libraries
// for that cost every start of mem more than one line of text is worth.
type bar struct {
	w       io.Writer
	start   time.Time
	what    string    // the part of the work that goes on
	since   time.Time // when it began
	drawn   time.Time // zero: nothing is on the line
	silent  bool      // stderr is no terminal
	decided bool      // silent is set; that is only checked when there is something to show
}

const (
	barDelay = time.Second
	barEvery = 100 * time.Millisecond
)

func NewBar(w io.Writer, quiet bool) *bar {
	return &bar{w: w, start: time.Now(), silent: quiet, decided: quiet}
}

// Progress is called now and then during long work, with records. It is only shown at a terminal.
func (b *bar) Progress(what string, done, total int) {
	if what != b.what {
		if b.since = time.Now(); b.what == "" {
			b.since = b.start
		}
		b.what = what
	}
	if b.silent || time.Since(b.start) < barDelay || time.Since(b.drawn) < barEvery {
		return
	}
	if !b.decided {
		b.silent, b.decided = Terminal(b.w) == 0, true
		if b.silent {
			return
		}
	}
	b.drawn = time.Now()
	fmt.Fprintf(b.w, "\r\x1b[K%s", describe(what, done, total, time.Since(b.since)))
}

// describe is the bar's one line. A total of 0 is not known.
func describe(what string, done, total int, took time.Duration) string {
	rate := float64(done) / took.Seconds()
	of := ""
	if total > 0 {
		of = fmt.Sprintf(" of %d", total)
	}
	text := fmt.Sprintf("%s: %d%s records", what, done, of)
	if took < barEvery {
		return text // too early for a rate
	}
	if text += fmt.Sprintf(", %.0f/s", rate); rate > 0 && total > done {
		left := time.Duration(float64(total-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}

// finish removes the line, before something else is printed. A nil bar has none.
func (b *bar) finish() {
	if b != nil && !b.drawn.IsZero() {
		b.drawn = time.Time{}
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}
