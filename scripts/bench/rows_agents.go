package main

import (
	"context"
	"fmt"
	"io"
)

// agentRows measures what agents run all day: the hooks of a client, whose slowest runs a person waits for, and notes.
func agentRows(ctx context.Context, l *lab) ([]row, error) {
	root := l.path("agents")
	if err := l.proseStore(ctx, root, l.sizes.medium); err != nil {
		return nil, err
	}
	rows, err := l.hookRows(ctx, root)
	if err != nil {
		return rows, err
	}
	note, err := l.noteRow(ctx)
	return append(rows, note), err
}

// hookRows runs each event five hundred times in conversations that nobody knows, so that nothing counts as told before.
func (l *lab) hookRows(ctx context.Context, root string) ([]row, error) {
	var rows []row
	for _, event := range []struct{ name, prompt string }{
		{"SessionStart", ""},
		{"UserPromptSubmit", word(300) + " " + word(2000) + " " + rareWord},
		{"UserPromptSubmit", "ok, go on"},
	} {
		input, err := l.file(fmt.Sprintf("event-%d.json", len(rows)), func(w io.Writer) {
			w.Write(encode(map[string]string{"hook_event_name": event.name, "prompt": event.prompt}))
		})
		if err != nil {
			return rows, err
		}
		hook := command{argv: []string{l.mem, "hook", "claude-code", "--root", root}, stdin: input}
		took, err := l.race(ctx, 5*l.sizes.reps/2, always(hook), always(cmd(l.floors.hello)))
		if err != nil {
			return rows, err
		}
		what := fmt.Sprintf("`mem hook`, %s, %s", event.name, records(l.sizes.medium))
		if event.prompt == "ok, go on" {
			what += ", small talk"
		}
		what += fmt.Sprintf("; p90 %s, p99 %s", duration(took[0].quantile(0.9)), duration(took[0].p99()))
		r := over(what, took[0], "Go-hello; p99 "+duration(took[1].p99()), took[1], goal{})
		rows = append(rows, r.measuredAs(ratio(took[0].p99(), took[1].p99()), "× at p99", atMost(4)))
	}
	return rows, nil
}

// noteRow compares a note with a set of the same text, each in a store of its own.
func (l *lab) noteRow(ctx context.Context) (row, error) {
	notes, sets := l.path("notes"), l.path("sets")
	for _, root := range []string{notes, sets} {
		if err := quiet(root); err != nil {
			return row{}, err
		}
	}
	note := func(i int) command { return cmd(l.mem, "note", proseAt(i), "--root", notes) }
	set := func(i int) command {
		return cmd(l.mem, "set", "/note/"+newName(i), string(encode(map[string]string{"type": "note", "text": proseAt(i)})), "--source", "bench", "--root", sets)
	}
	took, err := l.race(ctx, l.sizes.reps, note, set)
	if err != nil {
		return row{}, err
	}
	return over("`mem note`", took[0], "`mem set`, new key", took[1], atMost(1.2)), nil
}
