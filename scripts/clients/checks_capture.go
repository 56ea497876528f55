package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// captured: what a person types in a terminal is a note at once; an argument, of that session or of
// claude -p, waits for the person.
func captured(l *lab) error {
	const typed, argument, printed = "the sea is salty", "the tea is green", "the sky is blue"
	if _, _, err := l.run(l.client.ask("Remember that "+printed, false)); err != nil {
		return err
	}
	if err := l.atTerminal("Remember that "+argument, "Remember that "+typed); err != nil {
		return err
	}
	notes, err := l.runMem("", "notes")
	waiting, failed := l.runMem("", "approve", "--json", "-q")
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	for _, text := range []string{typed, argument, printed} {
		if strings.Contains(notes, text) != (text == typed) ||
			strings.Contains(waiting, text) == (text == typed) {
			return fmt.Errorf("%q: the notes are %s, and what waits is %s", text, notes, waiting)
		}
	}
	return nil
}

// atTerminal runs Claude Code in a terminal, with a prompt as its argument and then one typed.
func (l *lab) atTerminal(argument, typed string) error {
	settings := fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark",`+
		`"customApiKeyResponses":{"approved":["dummy"],"rejected":[]},`+
		`"projects":{%q:{"hasTrustDialogAccepted":true}}}`, l.project)
	if err := write(filepath.Join(l.home, ".claude.json"), settings); err != nil {
		return err
	}
	program, err := l.find(l.Program)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(l.ctx, patience)
	defer stop()
	line := fmt.Sprintf("stty cols 120 rows 40; exec %s --model claude-sonnet-4-6 %q", program,
		argument)
	cmd := exec.CommandContext(ctx, "script", "-qec", line, "/dev/null")
	cmd.Dir = l.project
	cmd.Env = append(append(append(l.environment(), l.env(l.model.url)...), l.extra...),
		"TERM=xterm-256color")
	cmd.WaitDelay = time.Second
	keys, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	var shown strings.Builder
	cmd.Stdout, cmd.Stderr = &shown, &shown
	if err := cmd.Start(); err != nil {
		return err
	}
	for _, step := range []struct {
		requests int
		keys     string
	}{{1, typed}, {2, "/exit"}} {
		for len(l.model.requests(0)) < step.requests+1 && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond) // -p asked before
		}
		time.Sleep(2 * time.Second) // until it takes keys again
		_, err = io.WriteString(keys, step.keys)
		time.Sleep(time.Second)
		_, again := io.WriteString(keys, "\r")
		err = errors.Join(err, again)
	}
	failed := cmd.Wait()
	return errors.Join(err, failed, write(filepath.Join(l.dir, "terminal.txt"), shown.String()))
}
