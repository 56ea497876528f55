package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// A command is one process to start; argv[0] is a full path, and an empty stdin or stdout is
// /dev/null.
type command struct {
	argv          []string
	stdin, stdout string
}

func cmd(argv ...string) command { return command{argv: argv} }

// planLine writes c the way floor/spawn.c reads it.
func (c command) planLine() string {
	fields := []string{cmp.Or(c.stdin, os.DevNull), cmp.Or(c.stdout, os.DevNull)}
	for _, field := range append(fields, c.argv...) {
		if strings.ContainsAny(field, "\t\n") {
			harness.Failf("a plan cannot hold the argument %q", field)
		}
	}
	return strings.Join(append(fields, c.argv...), "\t") + "\n"
}

// A spawner runs commands through the C program that measures them.
type spawner struct {
	binary string
	plan   string // the file that the commands are handed over in
}

// run starts the commands one after another. The first that fails ends it, with what that command
// said.
func (s spawner) run(ctx context.Context, cmds ...command) sample {
	var plan strings.Builder
	for _, c := range cmds {
		plan.WriteString(c.planLine())
	}
	harness.Check(os.WriteFile(s.plan, []byte(plan.String()), 0o600))
	var stderr bytes.Buffer
	spawn := exec.CommandContext(ctx, s.binary, s.plan)
	spawn.Env = cleanEnv(os.Environ())
	spawn.Stderr = &stderr
	out, err := spawn.Output()
	if err != nil {
		harness.Failf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return parseTimings(out)
}

// cleanEnv drops what would change the behaviour of mem from outside: MEM_ROOT, MEM_NOW and the
// like.
func cleanEnv(env []string) []string { return harness.CleanEnv(env, "MEM_") }

func parseTimings(out []byte) sample {
	var s sample
	for line := range strings.Lines(string(out)) {
		var ns, kib, us int64
		if _, err := fmt.Sscanf(line, "%d %d %d\n", &ns, &kib, &us); err != nil {
			harness.Failf("the spawner said %q: %w", line, err)
		}
		s = append(s, timing{time.Duration(ns), kib, time.Duration(us) * time.Microsecond})
	}
	return s
}
