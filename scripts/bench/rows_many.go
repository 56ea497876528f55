package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// manyWriters is how many write at once.
const manyWriters = 32

// manyRows measures many processes that write to one store, beside the sqlite3 shell doing the
// same. BenchmarkSet of package mem does it for goroutines.
func manyRows(ctx context.Context, l *lab) {
	root, db := l.path("many"), l.path("many.db")
	l.fillTable(ctx, db, 0, 0)
	var took [2]sample
	for round := range l.sizes.rounds {
		for who, next := range []subject{
			func(i int) command { return l.memSet(root, "/many/"+newName(i), recordAt(i)) },
			l.query(db, func(i int) string { return sqlInsert(recordAt(i)) }),
		} {
			if next == nil {
				continue
			}
			each := max(1, 4*l.sizes.reps/manyWriters)
			wall := together(manyWriters, each, func(w int) {
				var cmds []command
				for i := range each {
					cmds = append(cmds, next((round*manyWriters+w)*each+i))
				}
				l.beside(fmt.Sprint(w)).run(ctx, cmds...)
			})
			took[who] = append(took[who], wall)
		}
	}
	set := fmt.Sprintf("`mem set`, %d processes", manyWriters)
	l.add(row{set, took[0], "sqlite3, one row", took[1], nil, ""})
}

// together lets the writers do n things each, and returns what one thing took on average.
func together(writers, n int, write func(w int)) timing {
	begin := time.Now()
	harness.Together(writers, write)
	return timing{wall: time.Since(begin) / time.Duration(writers*n)}
}

// millionRows measures what the other sections do at the size that no peer reaches, in memory.
func millionRows(ctx context.Context, l *lab) {
	if l.shm == "" {
		l.add(row{what: "not measured: there is no memory file system at -shm"})
		return
	}
	n := l.sizes.huge
	root, empty := filepath.Join(l.shm, "million"), filepath.Join(l.shm, "empty")
	defer os.RemoveAll(root)
	l.fill(ctx, root, 0, n)
	for _, what := range []string{"all of it new", "nothing new"} {
		took := l.perform(ctx, stage{command: l.memCompact(root)})
		what = "`mem compact`, " + records(n) + ", " + what
		l.add(row{what: what, mem: took, note: peak(took)})
	}
	set := func(root string) subject {
		return func(i int) command { return l.memSet(root, "/bench/new/"+newName(i), recordAt(i)) }
	}
	log := l.tailOf(filepath.Join(root, "state.jsonl"))
	l.contest(ctx, l.sizes.reps,
		contest{what: "`mem read`, " + records(n), mem: always(l.memRead(root)), floor: log},
		contest{what: "`mem search`, a rare word, " + records(n),
			mem: always(l.memSearch(root, rareWord))},
		contest{what: "`mem get`, " + records(n), floor: log,
			mem: func(i int) command { return l.memGet(root, keyOf(scattered(i, n))) }},
		contest{what: "`mem set`, new key, " + records(n), mem: set(root), rival: "in an empty store",
			other: set(empty)})
	l.setBesideCompaction(ctx, root)
}

// setBesideCompaction sets keys without and with compactions that run one after another.
func (l *lab) setBesideCompaction(ctx context.Context, root string) {
	set := func(i int) command { return l.memSet(root, "/bench/beside/"+newName(i), recordAt(i)) }
	alone := l.race(ctx, 5*l.sizes.reps, set)
	ctx, stop := context.WithCancel(ctx)
	running := l.beside("compactor")
	var compactions sync.WaitGroup
	compactions.Go(func() {
		for harness.Try(func() { running.run(ctx, l.memCompact(root)) }) == nil {
		}
	})
	var beside []sample
	err := harness.Try(func() { beside = l.race(ctx, 5*l.sizes.reps, set) })
	stop()
	compactions.Wait()
	harness.Check(err)
	p99 := func(s sample) string { return harness.Duration(s.quantile(0.99)) }
	what := "`mem set` while " + records(l.sizes.huge) + " are compacted"
	note := fmt.Sprintf("p99 %s, without %s", p99(beside[0]), p99(alone[0]))
	l.add(row{what, beside[0], "without", alone[0], nil, note})
}
