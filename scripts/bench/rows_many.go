package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// manyWriters is how many write at once.
const manyWriters = 32

// manyRows measures many writers on one store: processes over the sqlite3 shell doing the same, and goroutines over one.
func manyRows(ctx context.Context, l *lab) ([]row, error) {
	rows, err := l.manyProcesses(ctx)
	if err != nil {
		return rows, err
	}
	more, err := l.manyGoroutines()
	return append(rows, more...), err
}

func (l *lab) manyProcesses(ctx context.Context) ([]row, error) {
	what := fmt.Sprintf("`mem set`, %d processes at once", manyWriters)
	if l.floors.sqlite3 == "" {
		return []row{missing(what, "sqlite3 is not installed")}, nil
	}
	root, db := l.path("many"), l.path("many.db")
	if _, err := l.run(ctx, l.floors.sqliteCreate(db)); err != nil {
		return nil, err
	}
	set := func(i int) command { return l.memSet(root, "/many/"+newName(i), recordAt(i)) }
	insert := func(i int) command { return l.floors.sqliteInsert(db, recordAt(i)) }
	var took [2]sample
	for range max(1, l.sizes.rounds/2) {
		for who, next := range []subject{set, insert} {
			each, err := l.crowd(ctx, len(took[who]), next)
			if err != nil {
				return nil, err
			}
			took[who] = append(took[who], each)
		}
	}
	r := over(what, took[0], "sqlite3 shell, WAL, FULL", took[1], goal{})
	return []row{r.measuredAs(ratio(took[1].p50(), took[0].p50()), "× its rate", atLeast(1))}, nil
}

// crowd lets the writers run l.sizes.reps commands, each as soon as its last has ended, and gives what one took on average.
func (l *lab) crowd(ctx context.Context, round int, next subject) (timing, error) {
	if err := l.settle(ctx); err != nil {
		return timing{}, err
	}
	each := max(1, 4*l.sizes.reps/manyWriters)
	errs := make([]error, manyWriters)
	begin := time.Now()
	var all sync.WaitGroup
	for w := range manyWriters {
		var cmds []command
		for i := range each {
			cmds = append(cmds, next((round*manyWriters+w)*each+i))
		}
		all.Go(func() { _, errs[w] = l.beside(fmt.Sprint(w)).run(ctx, cmds...) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return timing{}, err
		}
	}
	return timing{wall: time.Since(begin) / time.Duration(manyWriters*each)}, nil
}

// manyGoroutines measures group commit in one process, on the disk.
func (l *lab) manyGoroutines() ([]row, error) {
	var took [2]sample
	for round := range l.sizes.rounds {
		for which, writers := range []int{manyWriters, 1} {
			s, err := mem.Open(l.path(fmt.Sprintf("goroutines-%d", which)), mem.Options{})
			if err != nil {
				return nil, err
			}
			each, err := writeAll(s, round, writers, 4*l.sizes.reps)
			s.Close()
			if err != nil {
				return nil, err
			}
			took[which] = append(took[which], each)
		}
	}
	r := over(fmt.Sprintf("Store.Set, %d goroutines", manyWriters), took[0], "one goroutine", took[1], goal{})
	return []row{r.measuredAs(ratio(took[1].p50(), took[0].p50()), "× its rate", atLeast(2.5))}, nil
}

// writeAll writes n records and gives what one took on average.
func writeAll(s *mem.Store, round, writers, n int) (timing, error) {
	errs := make([]error, writers)
	begin := time.Now()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < n && errs[w] == nil; i += writers {
				r := recordAt(i)
				key := keypath.MustParse(fmt.Sprintf("/many/%d/%s", round, newName(i)))
				_, errs[w] = s.Set(context.Background(), mem.Caller{}, mem.Write{Key: key, Content: encode(r.Content), Source: encode(r.Source)}, mem.SetOptions{})
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return timing{}, err
		}
	}
	return timing{wall: time.Since(begin) / time.Duration(n)}, nil
}
