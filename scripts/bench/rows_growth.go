package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// growthRows measures the compaction of stores of more and more records, of which a share was
// changed since the last one. It is done in memory: a disk would be busy with the files for minutes.
func growthRows(ctx context.Context, l *lab) {
	if l.shm == "" {
		l.add(row{what: "growth: not measured: there is no memory file system at -shm"})
		return
	}
	output(ctx, "go", "build", "-trimpath", "-o", l.path("fold"), "./scripts/bench/fold")
	for n := l.sizes.small; n <= l.sizes.huge; n *= 10 {
		root, db := filepath.Join(l.shm, "growth"), filepath.Join(l.shm, "growth.db")
		l.fill(ctx, root, 0, n)
		l.run(ctx, l.memCompact(root))
		l.fillPlain(ctx, db, l.inserts(0, n, false))
		for _, share := range []int{100, 1} { // the whole is changed last
			l.growthRow(ctx, root, db, n, share)
		}
		harness.Check(os.RemoveAll(root), os.RemoveAll(db))
	}
}

// growthRow changes one record in share, and compacts that.
func (l *lab) growthRow(ctx context.Context, root, db string, n, share int) {
	saved, sorted := filepath.Join(l.shm, "saved"), filepath.Join(l.shm, "sorted")
	defer os.RemoveAll(saved)
	defer os.Remove(sorted)
	l.run(ctx, l.memCompact(root)) // the last round may have left lines behind
	l.run(ctx, l.memBatch(root, l.changes(n, n/share)))
	l.fillPlain(ctx, db, l.changedRows(n, n/share))
	copyBesidesIndex(root, saved)
	stages := []func(int) stage{
		func(int) stage {
			return stage{l.memCompact(root), func() { copyBesidesIndex(saved, root) }}
		}, nil,
		func(int) stage {
			return stage{command: l.shell(`LC_ALL=C sort -u "$1"/state.jsonl "$1"/log.jsonl >"$2"`,
				saved, sorted)}
		},
		func(int) stage { return stage{command: cmd(l.path("fold"), saved, sorted)} },
	}
	if l.sqlite != "" {
		stages[1] = func(int) stage { return stage{command: cmd(l.sqlite, db, "VACUUM")} }
	}
	took := l.rounds(ctx, l.sizes.rounds, stages...)
	l.add(row{
		what:  fmt.Sprintf("`mem compact`, %s, %d %% changed", records(n), 100/share),
		rival: "sqlite3, VACUUM", mem: took[0], other: took[1], floor: took[2], note: costs(took),
	})
}

// costs are the processor time and the memory of mem, its rival and both floors, and how many times
// that of the floor in Go mem takes.
func costs(took []sample) string {
	list := []string{harness.Number(ratio(took[0].cpu(), took[3].cpu())) + " × the CPU of fold"}
	for i, name := range []string{"mem", "sqlite3", "sort -u", "fold"} {
		if len(took[i]) > 0 {
			list = append(list, fmt.Sprintf("%s %s of CPU, %s MiB", name,
				harness.Duration(took[i].cpu()), harness.Number(took[i].peak())))
		}
	}
	return strings.Join(list, "; ")
}

// changedAt is the i-th of the records that are changed in a store of n: another text.
func changedAt(i, n int) record {
	r := recordAt(n + i)
	r.key, _ = keyAt(scattered(i, n))
	return r
}

func (l *lab) changes(n, some int) string {
	return l.file(fmt.Sprintf("changes-%d-%d.jsonl", n, some), func(out *bufio.Writer) {
		for i := range some {
			fmt.Fprintln(out, changedAt(i, n).line())
		}
	})
}

func (l *lab) changedRows(n, some int) string {
	return l.file(fmt.Sprintf("changes-%d-%d.sql", n, some), func(out *bufio.Writer) {
		out.WriteString("BEGIN;\n")
		for i := range some {
			fmt.Fprintln(out, sqlInsert(changedAt(i, n)))
		}
		out.WriteString("COMMIT;\n")
	})
}

// fillPlain runs a script on a database, where SQLite is installed.
func (l *lab) fillPlain(ctx context.Context, db, script string) {
	if l.sqlite != "" {
		l.run(ctx, command{argv: []string{l.sqlite, db}, stdin: script})
	}
}
