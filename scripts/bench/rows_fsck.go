package main

import (
	"context"
	"path/filepath"
)

// checkByHand is what a careful person could do without mem: every line parses, every file is readable, the tree can be listed.
const checkByHand = `index=$1; shift; "$@" >/dev/null && find "$index" -type f -print0 | xargs -0 sha256sum >/dev/null && find "$index" >/dev/null`

// fsckRows measures a full check of a healthy store.
func fsckRows(ctx context.Context, l *lab) ([]row, error) {
	what := "`mem fsck`, " + records(l.sizes.large)
	if l.floors.jq == "" {
		return []row{missing(what, "jq is not installed")}, nil
	}
	root, err := l.store(ctx, l.sizes.large)
	if err != nil {
		return nil, err
	}
	logs, err := segments(root)
	if err != nil {
		return nil, err
	}
	args := append([]string{filepath.Join(root, "index"), l.floors.jq, "."}, logs...)
	took, err := l.rounds(ctx, l.sizes.rounds,
		eachTime(stage{command: l.memFsck(root)}),
		eachTime(stage{command: l.floors.shell(checkByHand, args...)}))
	if err != nil {
		return nil, err
	}
	return []row{
		over(what, took[0], "`jq .`, `sha256sum`, `find`", took[1], atMost(1)),
		alone(what+", peak memory", took[0]).measuredAs(took[0].peak(), "MiB", goal{}),
	}, nil
}
