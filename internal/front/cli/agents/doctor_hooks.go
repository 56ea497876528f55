package agents

import (
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/layers"
)

// missed returns the check of the hooks that gave no memories, or not all, in the last day.
func missed(list []inject.Injection, now time.Time) []doctor.Check {
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
	if strings.HasSuffix(last.Missed, hook.TooLate) {
		fix += "; mem config set inject.prompt_ms 2000 lets prompts wait longer"
	}
	return []doctor.Check{{What: "hooks", Level: doctor.Warn, Fix: fix,
		Message: fmt.Sprintf("%d missed in the last day, the newest %s at %s of %s: %s", n,
			text.Ago(now.Sub(last.At.Time())), last.Event, last.Client, last.Missed)}}
}

// lastInjections returns for each client the newest injection that held something, and all.
func lastInjections(l *layers.Layers) (last map[string]inject.Injection, list []inject.Injection,
	err error) {
	last = map[string]inject.Injection{}
	s, err := l.Reading()
	if err != nil {
		return last, nil, nil // the check of the root has this error already
	}
	list, err = inject.Recorded(s, "", 0)
	for _, in := range list {
		if len(in.Memories) > 0 {
			last[in.Client] = in
		}
	}
	return last, list, err
}

func lastGiven(last map[string]inject.Injection, client string, now time.Time) string {
	in, ok := last[client]
	if !ok {
		return "no memory was injected yet"
	}
	ago := text.Ago(now.Sub(in.At.Time()))
	return fmt.Sprintf("%s given %s", app.Memories(len(in.Memories)), ago)
}
