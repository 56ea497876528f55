package main

import (
	"context"
	"os"
	"path/filepath"
)

const sortAndSync = `LC_ALL=C sort -k1,1 "$1" >"$2" && sync "$2"`

// compactRows measures folding a log of distinct keys, the worst case: nothing can be dropped.
func compactRows(ctx context.Context, l *lab) ([]row, error) {
	root, saved := l.path("raw"), l.path("saved")
	if err := l.fill(ctx, root, l.sizes.large); err != nil {
		return nil, err
	}
	if err := copyBesidesIndex(root, saved); err != nil {
		return nil, err
	}
	log := filepath.Join(saved, "log.jsonl") // compaction may move the one in the store
	info, err := os.Stat(log)
	if err != nil {
		return nil, err
	}
	took, err := l.rounds(ctx, l.sizes.rounds,
		eachTime(stage{command: l.memCompact(root), before: func() error { return rewind(root, saved) }}),
		eachTime(stage{command: l.floors.shell(sortAndSync, log, l.path("sorted"))}))
	if err != nil {
		return nil, err
	}
	what := "`mem compact`, " + records(l.sizes.large)
	speed := float64(info.Size()) / 1e6 / took[0].p50().Seconds()
	return []row{
		over(what, took[0], "`sort -k1,1` and `sync`", took[1], atMost(2)),
		alone(what, took[0]).measuredAs(speed, "MB/s", atLeast(50)),
		alone(what+", peak memory", took[0]).measuredAs(took[0].peak(), "MiB", goal{}),
	}, nil
}
