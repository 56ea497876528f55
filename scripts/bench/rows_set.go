package main

import (
	"context"
	"fmt"
)

// setRows measures one durable write: of a key that is new and of one that exists, in an empty store and in a large one.
func setRows(ctx context.Context, l *lab) ([]row, error) {
	var rows []row
	for _, n := range []int{0, l.sizes.large} {
		root, err := l.store(ctx, n)
		if err != nil {
			return rows, err
		}
		pair, err := l.setPair(ctx, root, n)
		if err != nil {
			return rows, err
		}
		rows = append(rows, pair...)
	}
	// The next group expects the large store compacted, as this one found it.
	_, err := l.run(ctx, l.memCompact(l.stores[l.sizes.large]))
	return rows, err
}

func (l *lab) setPair(ctx context.Context, root string, n int) ([]row, error) {
	floor, err := l.cSubjects(fmt.Sprint(n))
	if err != nil {
		return nil, err
	}
	keys := []func(i int) string{
		func(i int) string { return "/bench/new/" + newName(i) },
		func(int) string { return recordAt(0).Key },
	}
	var rows []row
	for which, name := range []string{"new", "old"} {
		set := func(i int) command { return l.memSet(root, keys[which](i), recordAt(i)) }
		took, err := l.race(ctx, l.sizes.reps, set, floor[which])
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("`mem set`, %s key, %s", name, records(n))
		rows = append(rows, over(what, took[0], "C-set", took[1], atMost(3.5)))
	}
	return rows, nil
}

func newName(i int) string { return fmt.Sprintf("%06d", i) }
