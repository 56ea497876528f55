package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// batchRows measures one `mem set -` for many records: over the index files alone, and over as many single writes.
//
// The single writes run in memory, so that the comparison is of work per record and not of one fsync against many.
// The disk gets a tenth of the records: there the kernel takes longer to make and delete the files than everything else here takes.
func batchRows(ctx context.Context, l *lab) ([]row, error) {
	disk, err := l.batchOverFiles(ctx, l.disk, l.sizes.large/10, keep)
	if err != nil {
		return nil, err
	}
	disk.what += ", disk"
	if l.shm == "" {
		return []row{disk, missing("the same in memory", "there is no memory file system at -shm")}, nil
	}
	memory, err := l.batchOverFiles(ctx, l.shm, l.sizes.large, os.RemoveAll)
	if err != nil {
		return []row{disk}, err
	}
	memory.what += ", memory"
	single, err := l.batchOverSingle(ctx, memory.took.per(l.sizes.large))
	return []row{disk, memory, single}, err
}

// keep leaves files until the end of everything: deleting between the rounds would make each slower than the one before, for the
// reason that spreadOut gives.
func keep(string) error { return nil }

func (l *lab) batchOverFiles(ctx context.Context, place string, n int, discard func(dir string) error) (row, error) {
	input, err := l.input(n)
	if err != nil {
		return row{}, err
	}
	batch := func(i int) stage {
		root := filepath.Join(place, fmt.Sprintf("batch-%d", i))
		return stage{command: l.memBatch(root, input), before: func() error { return quiet(root) }, after: func() error { return discard(root) }}
	}
	files := func(i int) stage {
		dir := filepath.Join(place, fmt.Sprintf("files-%d", i))
		return stage{command: cmd(l.floors.files, input, dir), after: func() error { return discard(dir) }}
	}
	took, err := l.rounds(ctx, l.sizes.rounds, batch, files)
	if err != nil {
		return row{}, err
	}
	return over("`mem set -`, "+records(n), took[0], "Go-files", took[1], atMost(2)), nil
}

func (l *lab) batchOverSingle(ctx context.Context, share sample) (row, error) {
	root := filepath.Join(l.shm, "single")
	set := func(i int) command { return l.memSet(root, recordAt(i).Key, recordAt(i)) }
	took, err := l.race(ctx, l.sizes.reps, set)
	if err != nil {
		return row{}, err
	}
	r := over("one record of it", share, "one `mem set`, memory", took[0], goal{})
	return r.measuredAs(ratio(took[0].p50(), share.p50()), "× faster", atLeast(5)), os.RemoveAll(root)
}
