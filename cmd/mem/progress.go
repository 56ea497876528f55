package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar shows long work on a terminal's stderr, once it has taken a second.
type bar struct {
	w     io.Writer
	start time.Time
	what  string
	shown *progressbar.ProgressBar
}

// newBar gives a bar that shows itself only to a person.
func newBar(w io.Writer, quiet bool) *bar {
	if quiet || terminal(w) == 0 {
		return &bar{}
	}
	return &bar{w: w, start: time.Now()}
}

const barDelay = time.Second

// progress is told of work now and then.
func (b *bar) progress(what string, done, total int) {
	if b.w == nil || b.shown == nil && time.Since(b.start) < barDelay {
		return
	}
	if b.shown == nil || b.what != what {
		b.what = what
		b.shown = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	b.shown.ChangeMax(total)
	b.shown.Set(done)
}

func (b *bar) finish() {
	if b.shown != nil {
		b.shown.Finish()
	}
}
