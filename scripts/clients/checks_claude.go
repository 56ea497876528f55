package main

import "errors"

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
