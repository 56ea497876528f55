package main

import (
	"errors"
	"fmt"
)

// compaction: when the conversation so far was replaced by a summary, the model is told again what the session start brings, and once.
func compaction(l *lab) error {
	for i, line := range []string{greeting, "/compact"} {
		if _, _, err := l.run(l.client.ask(line, i > 0)); err != nil {
			return err
		}
	}
	requests, shown, err := l.askAgain(question)
	if err != nil {
		return err
	}
	r, err := last(requests)
	if err != nil {
		return err
	}
	return errors.Join(l.brings(r, important, 1), l.brings(r, asked, 1), answered(shown))
}

// subAgent: what the client hands on to a sub-agent goes there with memories of its own.
func subAgent(l *lab) error {
	const task, order = "Let a sub-agent count the widgets.", "Count the widgets."
	l.model.willCall(call{l.agent, map[string]any{"description": "count", "prompt": order, "subagent_type": "general-purpose", "run_in_background": false}})
	requests, shown, err := l.ask(task)
	if err != nil {
		return err
	}
	for _, r := range requests {
		if r.times(order) > 0 && r.times(task) == 0 {
			return errors.Join(l.brings(r, important, 1), answered(shown))
		}
	}
	return fmt.Errorf("%w: no request is the sub-agent's", errArrival)
}
