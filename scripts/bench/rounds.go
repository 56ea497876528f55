package main

import (
	"context"
	"fmt"
	"os/exec"
)

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
	if err := exec.CommandContext(ctx, "sync", "-f", l.disk).Run(); err != nil {
		return nil, fmt.Errorf("sync: %w", err)
	}
	took, err := l.run(ctx, s.command)
	if err == nil && s.after != nil {
		err = s.after()
	}
	return took, err
}
