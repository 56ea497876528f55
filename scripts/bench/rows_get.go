package main

import "context"

// getRows measures one key out of many. The time should not know how many.
func getRows(ctx context.Context, l *lab) ([]row, error) {
	var rows []row
	for _, n := range []int{l.sizes.small, l.sizes.medium, l.sizes.large} {
		root, err := l.store(ctx, n)
		if err != nil {
			return rows, err
		}
		input, err := l.input(n)
		if err != nil {
			return rows, err
		}
		get := func(i int) command { return l.memGet(root, recordAt(scattered(i, n)).Key) }
		took, err := l.race(ctx, l.sizes.reps, get, always(cmd(l.floors.hello)), always(cmd(l.floors.ctail, input)))
		if err != nil {
			return rows, err
		}
		what := "`mem get`, " + records(n)
		rows = append(rows,
			over(what, took[0], "Go-hello", took[1], atMost(1.5)),
			over(what, took[0], "C-tail", took[2], atMost(2.6)))
	}
	return rows, nil
}

// scattered walks all over 0..n-1, so that neighbours in a series are not neighbours in a store. The step is a prime.
func scattered(i, n int) int { return i * 7919 % n }
