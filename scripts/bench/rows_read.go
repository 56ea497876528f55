package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// readRows measures the passive read: against a program that looks at every record, and against one that looks at none.
func readRows(ctx context.Context, l *lab) ([]row, error) {
	first, err := l.readOverJq(ctx, l.sizes.medium)
	if err != nil {
		return nil, err
	}
	rows := []row{first}
	for _, c := range []struct {
		n    int
		most float64
	}{{l.sizes.small, 4}, {l.sizes.large, 8}} {
		root, err := l.store(ctx, c.n)
		if err != nil {
			return rows, err
		}
		r, err := l.readOverTail(ctx, root, readName(c.n), atMost(c.most))
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	last := rows[len(rows)-1]
	absolute := alone(last.what, last.took).measuredAs(float64(last.took.p50())/float64(time.Millisecond), "ms", atMost(500))
	behind, err := l.readBehind(ctx)
	return append(rows, absolute, behind), err
}

// readBehind measures a read of a store that has not been compacted since its last records.
func (l *lab) readBehind(ctx context.Context) (row, error) {
	root := l.path("behind")
	what := fmt.Sprintf("`mem read`, %s, %d more in the log's tail", records(l.sizes.large), l.sizes.medium)
	if err := l.fill(ctx, root, l.sizes.large); err != nil {
		return row{}, err
	}
	if _, err := l.run(ctx, l.memCompact(root)); err != nil {
		return row{}, err
	}
	if err := l.fill(ctx, root, l.sizes.medium); err != nil {
		return row{}, err
	}
	return l.readOverTail(ctx, root, what, atMost(20))
}

func readName(n int) string { return "`mem read --token-limit 2000`, " + records(n) }

func (l *lab) readOverJq(ctx context.Context, n int) (row, error) {
	if l.floors.jq == "" {
		return missing(readName(n), "jq is not installed"), nil
	}
	root, err := l.store(ctx, n)
	if err != nil {
		return row{}, err
	}
	scan := cmd(l.floors.jq, "-c", ".key", filepath.Join(root, "state.jsonl"))
	took, err := l.race(ctx, max(1, l.sizes.reps/10), always(l.memRead(root)), always(scan))
	if err != nil {
		return row{}, err
	}
	return over(readName(n), took[0], "`jq -c .key state.jsonl`", took[1], atMost(0.2)), nil
}

func (l *lab) readOverTail(ctx context.Context, root, what string, most goal) (row, error) {
	input, err := l.input(l.sizes.small)
	if err != nil {
		return row{}, err
	}
	took, err := l.race(ctx, max(1, l.sizes.reps/4), always(l.memRead(root)), always(cmd(l.floors.ctail, input)))
	if err != nil {
		return row{}, err
	}
	return over(what, took[0], "C-tail", took[1], most), nil
}
