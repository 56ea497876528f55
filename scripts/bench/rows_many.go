package main

import (
	"context"
	"errors"
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
func manyRows(ctx context.Context, l *lab) ([]row, error) {
	root, db := l.path("many"), l.path("many.db")
	if err := l.fillTable(ctx, db, 0, 0); err != nil {
		return nil, err
	}
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
			wall, err := together(manyWriters, each, func(w int) error {
				var cmds []command
				for i := range each {
					cmds = append(cmds, next((round*manyWriters+w)*each+i))
				}
				_, err := l.beside(fmt.Sprint(w)).run(ctx, cmds...)
				return err
			})
			if err != nil {
				return nil, err
			}
			took[who] = append(took[who], wall)
		}
	}
	set := fmt.Sprintf("`mem set`, %d processes", manyWriters)
	return []row{{set, took[0], "sqlite3, one row", took[1], nil, ""}}, nil
}

// together lets the writers do n things each, and returns what one thing took on average.
func together(writers, n int, write func(w int) error) (timing, error) {
	errs := make([]error, writers)
	begin := time.Now()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() { errs[w] = write(w) })
	}
	all.Wait()
	return timing{wall: time.Since(begin) / time.Duration(writers*n)}, errors.Join(errs...)
}

// millionRows measures what the other sections do at the size that no peer reaches, in memory.
func millionRows(ctx context.Context, l *lab) (rows []row, err error) {
	if l.shm == "" {
		return []row{{what: "not measured: there is no memory file system at -shm"}}, nil
	}
	n := l.sizes.huge
	root, empty := filepath.Join(l.shm, "million"), filepath.Join(l.shm, "empty")
	defer os.RemoveAll(root)
	if err := l.fill(ctx, root, 0, n); err != nil {
		return nil, err
	}
	for _, what := range []string{"all of it new", "nothing new"} {
		took, err := l.perform(ctx, stage{command: l.memCompact(root)})
		if err != nil {
			return rows, err
		}
		what = "`mem compact`, " + records(n) + ", " + what
		rows = append(rows, row{what: what, mem: took, note: peak(took)})
	}
	set := func(root string) subject {
		return func(i int) command { return l.memSet(root, "/bench/new/"+newName(i), recordAt(i)) }
	}
	log := l.tailOf(filepath.Join(root, "state.jsonl"))
	more, err := l.contest(ctx, l.sizes.reps,
		contest{what: "`mem read`, " + records(n), mem: always(l.memRead(root)), floor: log},
		contest{what: "`mem search`, a rare word, " + records(n),
			mem: always(l.memSearch(root, rareWord))},
		contest{what: "`mem get`, " + records(n), floor: log,
			mem: func(i int) command { return l.memGet(root, keyOf(scattered(i, n))) }},
		contest{what: "`mem set`, new key, " + records(n), mem: set(root), rival: "in an empty store",
			other: set(empty)})
	if rows = append(rows, more...); err != nil {
		return rows, err
	}
	beside, err := l.setBesideCompaction(ctx, root)
	return append(rows, beside), err
}

// setBesideCompaction sets keys without and with compactions that run one after another.
func (l *lab) setBesideCompaction(ctx context.Context, root string) (row, error) {
	set := func(i int) command { return l.memSet(root, "/bench/beside/"+newName(i), recordAt(i)) }
	alone, err := l.race(ctx, 5*l.sizes.reps, set)
	if err != nil {
		return row{}, err
	}
	ctx, stop := context.WithCancel(ctx)
	running, ended := l.beside("compactor"), make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			_, err = running.run(ctx, l.memCompact(root))
		}
		ended <- err
	}()
	beside, err := l.race(ctx, 5*l.sizes.reps, set)
	stop()
	<-ended
	if err != nil {
		return row{}, err
	}
	p99 := func(s sample) string { return harness.Duration(s.quantile(0.99)) }
	what := "`mem set` while " + records(l.sizes.huge) + " are compacted"
	note := fmt.Sprintf("p99 %s, without %s", p99(beside[0]), p99(alone[0]))
	return row{what, beside[0], "without", alone[0], nil, note}, nil
}
