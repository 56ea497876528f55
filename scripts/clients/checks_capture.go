package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// captured: what a person types in a terminal is a note at once; an argument, of that session or of
// claude -p, waits for the person.
func captured(l *lab) {
	const typed, argument, printed = "the sea is salty", "the tea is green", "the sky is blue"
	l.run(l.client.ask("Remember that "+printed, false))
	l.atTerminal("Remember that "+argument, "Remember that "+typed)
	notes, waiting := l.runMem("", "notes"), l.runMem("", "approve", "--json", "-q")
	for _, text := range []string{typed, argument, printed} {
		if strings.Contains(notes, text) != (text == typed) ||
			strings.Contains(waiting, text) == (text == typed) {
			harness.Failf("%q: the notes are %s, and what waits is %s", text, notes, waiting)
		}
	}
}

// atTerminal runs Claude Code in a terminal, with a prompt as its argument and then one typed.
func (l *lab) atTerminal(argument, typed string) {
	settings := fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark",`+
		`"customApiKeyResponses":{"approved":["dummy"],"rejected":[]},`+
		`"projects":{%q:{"hasTrustDialogAccepted":true}}}`, l.project)
	write(filepath.Join(l.home, ".claude.json"), settings)
	program := l.find(l.Program)
	ctx, stop := context.WithTimeout(l.ctx, patience)
	defer stop()
	line := fmt.Sprintf("stty cols 120 rows 40; exec %s --model claude-sonnet-4-6 %q", program,
		argument)
	cmd := exec.CommandContext(ctx, "script", "-qec", line, "/dev/null")
	cmd.Dir = l.project
	cmd.Env = append(append(append(l.environment(), l.env(l.model.url)...), l.extra...),
		"TERM=xterm-256color")
	cmd.WaitDelay = time.Second
	keys := harness.Must(cmd.StdinPipe())
	var shown strings.Builder
	cmd.Stdout, cmd.Stderr = &shown, &shown
	harness.Check(cmd.Start())
	for _, step := range []struct {
		requests int
		keys     string
	}{{1, typed}, {2, "/exit"}} {
		for len(l.model.requests(0)) < step.requests+1 && ctx.Err() == nil {
			time.Sleep(100 * time.Millisecond) // -p asked before
		}
		time.Sleep(2 * time.Second) // until it takes keys again
		harness.Must(io.WriteString(keys, step.keys))
		time.Sleep(time.Second)
		harness.Must(io.WriteString(keys, "\r"))
	}
	err := cmd.Wait()
	write(filepath.Join(l.dir, "terminal.txt"), shown.String())
	harness.Check(err)
}
