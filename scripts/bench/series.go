package main

import (
	"context"
	"fmt"
)

// A subject gives the command of its i-th run.
type subject func(i int) command

func always(c command) subject { return func(int) command { return c } }

// race lets the subjects take n turns. In each turn a subject runs twice, and the second run is the
// one that counts. All of it happens inside one spawner, so the harness sleeps until the end of the
// series. A subject that is nil has an empty sample.
func (l *lab) race(ctx context.Context, n int, subjects ...subject) []sample {
	var cmds []command
	var who []int
	for i := range n {
		for s, next := range subjects {
			if next != nil {
				cmds = append(cmds, next(2*i), next(2*i+1))
				who = append(who, s)
			}
		}
	}
	l.settle(ctx)
	runs := l.run(ctx, cmds...)
	hands := make([]sample, len(subjects))
	for turn, s := range who {
		hands[s] = append(hands[s], runs[2*turn+1])
	}
	return hands
}

// A stage is one long run with what has to be there before it, which is not measured.
type stage struct {
	command
	before func()
}

// rounds is race for runs that take seconds: each once in a round, and each from a synced file
// system.
func (l *lab) rounds(ctx context.Context, n int, stages ...func(i int) stage) []sample {
	hands := make([]sample, len(stages))
	for i := range n {
		for who, next := range stages {
			if next == nil {
				continue
			}
			took := l.perform(ctx, next(i))
			hands[who] = append(hands[who], took...)
		}
	}
	return hands
}

func (l *lab) perform(ctx context.Context, s stage) sample {
	if s.before != nil {
		s.before()
	}
	l.settle(ctx)
	return l.run(ctx, s.command)
}

// settle waits until the disk has what was written to it, so that no measurement pays for making a
// store.
func (l *lab) settle(ctx context.Context) {
	output(ctx, "sync", "-f", l.disk)
}

// beside returns a spawner that may run while another does.
func (l *lab) beside(name string) spawner {
	return spawner{binary: l.binary, plan: l.path(fmt.Sprint("plan-", name))}
}
