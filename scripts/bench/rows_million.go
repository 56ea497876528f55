package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// millionRows measures what the other groups do at the size that no peer reaches. All of it is in memory, floors too: what grows with the store would show here,
// and a disk would be busy with a million files for minutes.
func millionRows(ctx context.Context, l *lab) ([]row, error) {
	if l.shm == "" {
		return []row{missing("all of it", "there is no memory file system at -shm")}, nil
	}
	root := filepath.Join(l.shm, "million")
	if err := l.fill(ctx, root, l.sizes.huge); err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	first, err := l.perform(ctx, stage{command: l.memCompact(root)})
	if err != nil {
		return nil, err
	}
	again, err := l.perform(ctx, stage{command: l.memCompact(root)})
	if err != nil {
		return nil, err
	}
	what := "`mem compact`, " + records(l.sizes.huge)
	rows := []row{
		alone(what+", all of it new, peak memory", first).measuredAs(first.peak(), "MiB", atMost(400)),
		alone(what+", nothing new, peak memory", again).measuredAs(again.peak(), "MiB", atMost(400)),
	}
	for _, measure := range []func(context.Context, *lab, string) ([]row, error){millionRead, millionSet, millionP99} {
		more, err := measure(ctx, l, root)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func millionRead(ctx context.Context, l *lab, root string) ([]row, error) {
	n := l.sizes.huge
	input, err := l.input(l.sizes.small)
	if err != nil {
		return nil, err
	}
	get := func(i int) command { return l.memGet(root, recordAt(scattered(i, n)).Key) }
	took, err := l.race(ctx, l.sizes.reps, always(l.memRead(root)), get, always(cmd(l.floors.ctail, input)))
	if err != nil {
		return nil, err
	}
	return []row{
		over(readName(n), took[0], "C-tail", took[2], atMost(30)),
		over("`mem get`, "+records(n), took[1], "C-tail", took[2], atMost(2.6)),
	}, nil
}

// millionSet compares a set among a million records with one in an empty store.
func millionSet(ctx context.Context, l *lab, root string) ([]row, error) {
	empty := filepath.Join(l.shm, "empty")
	defer os.RemoveAll(empty)
	set := func(root string) subject {
		return func(i int) command { return l.memSet(root, "/bench/new/"+newName(i), recordAt(i)) }
	}
	took, err := l.race(ctx, l.sizes.reps, set(root), set(empty))
	if err != nil {
		return nil, err
	}
	return []row{over("`mem set`, new key, "+records(l.sizes.huge), took[0], "`mem set`, 0 records", took[1], atMost(1.15))}, nil
}

// millionP99 sets keys while compactions run one after another, and without.
func millionP99(ctx context.Context, l *lab, root string) ([]row, error) {
	set := func(i int) command { return l.memSet(root, "/bench/beside/"+newName(i), recordAt(i)) }
	alone, err := l.race(ctx, 5*l.sizes.reps, set)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	running := l.beside("compactor")
	ended := make(chan error, 1)
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
		return nil, err
	}
	what := fmt.Sprintf("`mem set`, 99th percentile, while %s are compacted", records(l.sizes.huge))
	r := over(what, beside[0], "the same without", alone[0], goal{})
	return []row{r.measuredAs(ratio(beside[0].p99(), alone[0].p99()), "×", atMost(3))}, nil
}

// beside gives a spawner that may run while another does.
func (l *lab) beside(name string) spawner {
	return spawner{binary: l.floors.spawn, plan: filepath.Join(l.disk, "plan-"+name)}
}
