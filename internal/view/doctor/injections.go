package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/view/inject"
)

// Injections returns the check of the hooks that gave no memories, or not all, in the last day, and
// for each client the newest injection that held something.
func (e *Exam) Injections() (last map[string]inject.Injection, checks []Check) {
	last = map[string]inject.Injection{}
	s, err := e.Layers.Reading()
	if err != nil {
		return last, nil // the check of the root has this error already
	}
	list, err := inject.Recorded(s, "", 0)
	for _, in := range list {
		if len(in.Memories) > 0 {
			last[in.Client] = in
		}
	}
	checks = missed(list, e.Options.Now())
	if err != nil {
		checks = append(checks, Check{What: "injections", Message: err.Error(), Level: Warn,
			Fix: "remove that file: it is only a record"})
	}
	return last, checks
}

func missed(list []inject.Injection, now time.Time) []Check {
	n, last := 0, inject.Injection{}
	for _, in := range list {
		if in.Missed != "" && now.Sub(in.At.Time()) < 24*time.Hour {
			n, last = n+1, in
		}
	}
	if n == 0 {
		return nil
	}
	fix := "mem injections shows them"
	if strings.HasSuffix(last.Missed, inject.TooLate) {
		fix += "; mem config set inject.prompt_ms 2000 lets prompts wait longer"
	}
	return []Check{{What: "hooks", Level: Warn, Fix: fix,
		Message: fmt.Sprintf("%d missed in the last day, the newest %s at %s of %s: %s", n,
			text.Ago(now.Sub(last.At.Time())), last.Event, last.Client, last.Missed)}}
}
