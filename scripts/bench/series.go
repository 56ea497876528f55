package main

import (
	"context"
	"fmt"
	"os/exec"
)

// A subject gives the command of its i-th run.
type subject func(i int) command

// race lets the subjects take n turns. In each turn a subject runs twice, and the second run is the one that counts.
// All of it happens inside one spawner, so the harness sleeps until the end of the series.
func (l *lab) race(ctx context.Context, n int, subjects ...subject) ([]sample, error) {
	var cmds []command
	for i := range n {
		for _, next := range subjects {
			cmds = append(cmds, next(2*i), next(2*i+1))
		}
	}
	if err := l.settle(ctx); err != nil {
		return nil, err
	}
	runs, err := l.run(ctx, cmds...)
	if err != nil {
		return nil, err
	}
	if len(runs) != len(cmds) {
		return nil, fmt.Errorf("%d commands gave %d timings", len(cmds), len(runs))
	}
	return deal(runs, len(subjects)), nil
}

// deal hands the second run of each turn to its subject.
func deal(runs sample, subjects int) []sample {
	hands := make([]sample, subjects)
	for i := 1; i < len(runs); i += 2 {
		who := i / 2 % subjects
		hands[who] = append(hands[who], runs[i])
	}
	return hands
}

// A stage is one long run with what has to be there before it and what has to go after it; neither is measured.
type stage struct {
	command
	before, after func() error
}

// rounds is race for runs that take seconds: each once in a round, and each from a synced file system.
func (l *lab) rounds(ctx context.Context, n int, stages ...func(i int) stage) ([]sample, error) {
	hands := make([]sample, len(stages))
	for i := range n {
		for who, next := range stages {
			took, err := l.perform(ctx, next(i))
			if err != nil {
				return nil, err
			}
			hands[who] = append(hands[who], took...)
		}
	}
	return hands, nil
}

// eachTime is for a stage that is the same in every round.
func eachTime(s stage) func(int) stage { return func(int) stage { return s } }

func (l *lab) perform(ctx context.Context, s stage) (sample, error) {
	if s.before != nil {
		if err := s.before(); err != nil {
			return nil, err
		}
	}
	if err := l.settle(ctx); err != nil {
		return nil, err
	}
	took, err := l.run(ctx, s.command)
	if err == nil && s.after != nil {
		err = s.after()
	}
	return took, err
}

// settle waits until the disk has what was written to it, so that no measurement pays for making a store.
func (l *lab) settle(ctx context.Context) error {
	if err := exec.CommandContext(ctx, "sync", "-f", l.disk).Run(); err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return nil
}
