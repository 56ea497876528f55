package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// A contest is runs of mem, of what people would use in its place and of a floor, in turn. Both may
// be nil.
type contest struct {
	what  string
	mem   subject
	rival string
	other subject
	floor subject
}

func (l *lab) contest(ctx context.Context, n int, cs ...contest) (rows []row, err error) {
	for _, c := range cs {
		took, err := l.race(ctx, max(1, n), c.mem, c.other, c.floor)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{c.what, took[0], c.rival, took[1], took[2], ""})
	}
	return rows, nil
}

// query is a run of the sqlite3 shell; nil where it is not installed.
func (l *lab) query(db string, sql func(i int) string) subject {
	if l.sqlite == "" {
		return nil
	}
	return func(i int) command {
		return cmd(l.sqlite, "-cmd", ".timeout 60000", db, "PRAGMA synchronous=FULL; "+sql(i))
	}
}

func (l *lab) setRows(ctx context.Context, n int) ([]row, error) {
	root, db, err := l.both(ctx, n)
	if err != nil {
		return nil, err
	}
	newKey := func(i int) record {
		r := recordAt(i)
		r.key = "/bench/new/" + newName(i)
		return r
	}
	oldKey := func(i int) record {
		r := recordAt(i)
		r.key, _ = keyAt(0)
		return r
	}
	contestOf := func(name string, next func(int) record) contest {
		return contest{
			what:  fmt.Sprintf("`mem set`, %s key, %s", name, records(n)),
			mem:   func(i int) command { return l.memSet(root, next(i).key, next(i)) },
			rival: "sqlite3, one row",
			other: l.query(db, func(i int) string { return sqlInsert(next(i)) }),
			floor: func(i int) command {
				file := strings.ReplaceAll(next(i).key, "/", "-")
				return cmd(l.least, l.path("c-lock"), l.path("c-log"), l.path("c"+file))
			},
		}
	}
	return l.contest(ctx, l.sizes.reps, contestOf("new", newKey), contestOf("old", oldKey))
}

func setRows(ctx context.Context, l *lab) ([]row, error) {
	empty, err := l.setRows(ctx, 0)
	if err != nil {
		return nil, err
	}
	large, err := l.setRows(ctx, l.sizes.large)
	if err == nil { // the next section expects the store compacted, as this one found it
		_, err = l.run(ctx, l.memCompact(l.path(fmt.Sprintf("store-%d", l.sizes.large))))
	}
	return append(empty, large...), err
}

func getRows(ctx context.Context, l *lab) (rows []row, err error) {
	for _, n := range []int{l.sizes.small, l.sizes.medium, l.sizes.large} {
		root, db, err := l.both(ctx, n)
		if err != nil {
			return rows, err
		}
		more, err := l.contest(ctx, l.sizes.reps, contest{
			what:  "`mem get`, " + records(n),
			mem:   func(i int) command { return l.memGet(root, keyOf(scattered(i, n))) },
			rival: "sqlite3, primary key",
			other: l.query(db, func(i int) string {
				return "SELECT content FROM memory WHERE key='" + keyOf(scattered(i, n)) + "';"
			}),
			floor: l.tailOf(l.path(fmt.Sprintf("input-0-%d.jsonl", n))),
		})
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// tailOf is the floor of every answer: the end of a file.
func (l *lab) tailOf(file string) subject { return always(cmd(l.least, file)) }

func readRows(ctx context.Context, l *lab) (rows []row, err error) {
	for _, n := range []int{l.sizes.small, l.sizes.medium, l.sizes.large} {
		root, err := l.store(ctx, n)
		if err != nil {
			return rows, err
		}
		state := filepath.Join(root, "state.jsonl")
		c := contest{what: "`mem read`, " + records(n), mem: always(l.memRead(root))}
		c.floor = l.tailOf(state)
		if l.jq != "" && n <= l.sizes.medium { // more would take minutes
			c.rival, c.other = "`jq -c .key`", always(cmd(l.jq, "-c", ".key", state))
		}
		more, err := l.contest(ctx, l.sizes.reps/4, c)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func searchRows(ctx context.Context, l *lab) ([]row, error) {
	root, db, err := l.both(ctx, l.sizes.large)
	if err != nil {
		return nil, err
	}
	return l.searchBoth(ctx, root, db, records(l.sizes.large))
}

func (l *lab) searchBoth(ctx context.Context, root, db, what string) ([]row, error) {
	var both []contest
	for _, c := range [][2]string{{"a rare word", rareWord}, {"a common word", commonWord}} {
		both = append(both, contest{
			what:  fmt.Sprintf("`mem search`, %s, %s", c[0], what),
			mem:   always(l.memSearch(root, c[1])),
			rival: "sqlite3, FTS5",
			other: l.query(db, func(int) string {
				return "SELECT key, text FROM words WHERE words MATCH '" + c[1] +
					"' ORDER BY bm25(words) LIMIT 20;"
			}),
		})
	}
	return l.contest(ctx, l.sizes.reps/4, both...)
}

// tailRows adds records to the large store, and compacts it in the end.
func tailRows(ctx context.Context, l *lab) ([]row, error) {
	n, more := l.sizes.large, l.sizes.medium
	root, db, err := l.both(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := l.fill(ctx, root, n, n+more); err != nil {
		return nil, err
	}
	if err := l.fillTable(ctx, db, n, n+more); err != nil {
		return nil, err
	}
	what := records(n+more) + ", the last " + records(more) + " since the compaction"
	rows, err := l.contest(ctx, l.sizes.reps/4, contest{what: "`mem read`, " + what,
		mem: always(l.memRead(root)), floor: l.tailOf(filepath.Join(root, "log.jsonl"))})
	if err != nil {
		return rows, err
	}
	both, err := l.searchBoth(ctx, root, db, what)
	if err == nil {
		_, err = l.run(ctx, l.memCompact(root))
	}
	return append(rows, both...), err
}

// agentRows measures what agents run all day: notes, and hooks, in conversations without a name, so
// that nothing counts as delivered before.
func agentRows(ctx context.Context, l *lab) (rows []row, err error) {
	root, err := l.store(ctx, l.sizes.medium)
	if err != nil {
		return nil, err
	}
	for which, event := range [][]byte{
		hookEvent("SessionStart", "", ""), hookEvent("UserPromptSubmit", aPrompt, ""),
		hookEvent("UserPromptSubmit", "ok, go on", ""),
	} {
		input := l.path(fmt.Sprintf("event-%d.json", which))
		if err := os.WriteFile(input, event, 0o600); err != nil {
			return rows, err
		}
		took, err := l.race(ctx, 5*l.sizes.reps/2, always(l.memHook(root, input)))
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{
			what: "`mem hook`, " + []string{"SessionStart", "a prompt", "a prompt of small talk"}[which] +
				", " + records(l.sizes.medium),
			mem: took[0],
			note: fmt.Sprintf("p90 %s, p99 %s", harness.Duration(took[0].quantile(0.9)),
				harness.Duration(took[0].quantile(0.99))),
		})
	}
	captured, err := l.captureRows(ctx, root)
	if rows = append(rows, captured...); err != nil {
		return rows, err
	}
	note, err := l.noteRow(ctx, "`mem note`", l.path("notes"), l.path("sets"))
	if err != nil {
		return append(rows, note...), err
	}
	notes, sets := l.path("tailed-notes"), l.path("tailed-sets")
	for _, root := range []string{notes, sets} {
		if err := l.fillTailed(ctx, root); err != nil {
			return rows, err
		}
	}
	tailed, err := l.noteRow(ctx, "`mem note`, "+records(l.sizes.medium)+
		", the last 256 KiB since the compaction", notes, sets)
	return slices.Concat(rows, note, tailed), err
}

// fillTailed makes a compacted store, and writes as many bytes since as begin the next compaction.
func (l *lab) fillTailed(ctx context.Context, root string) error {
	n := l.sizes.medium
	if err := l.fill(ctx, root, 0, n); err != nil {
		return err
	}
	if _, err := l.run(ctx, l.memCompact(root)); err != nil {
		return err
	}
	return l.fill(ctx, root, n, n+256<<10/len(recordAt(0).line())+1)
}

// noteRow measures a note against a set, each in a root of its own.
func (l *lab) noteRow(ctx context.Context, what, notes, sets string) ([]row, error) {
	return l.contest(ctx, l.sizes.reps, contest{what: what,
		mem:   func(i int) command { return cmd(l.mem, "note", recordAt(i).text, "--root", notes) },
		rival: "`mem set`, new key",
		other: func(i int) command { return l.memSet(sets, "/bench/"+newName(i), recordAt(i)) },
	})
}

// batchRows measures one `mem set -` for many records. The disk gets a tenth of the records: there
// the kernel takes longer to make and delete the files than everything else here takes.
func batchRows(ctx context.Context, l *lab) (rows []row, err error) {
	for _, c := range []struct {
		name, place string
		n           int
	}{{"disk", l.disk, l.sizes.large / 10}, {"memory", l.shm, l.sizes.large}} {
		if c.place == "" {
			continue
		}
		input, err := l.input(0, c.n)
		if err != nil {
			return rows, err
		}
		script, err := l.inserts(0, c.n, false)
		if err != nil {
			return rows, err
		}
		took, err := l.rounds(ctx, l.sizes.rounds, func(i int) stage {
			root := filepath.Join(c.place, fmt.Sprintf("batch-%d", i))
			return stage{l.memBatch(root, input), func() error { return quiet(root) }}
		}, func(i int) stage {
			db := filepath.Join(c.place, fmt.Sprintf("batch-%d.db", i))
			return stage{command: command{argv: []string{l.sqlite, db}, stdin: script}}
		})
		if err != nil {
			return rows, err
		}
		each := harness.Duration(took[0].p50()/time.Duration(c.n)) + " a record"
		rows = append(rows, row{fmt.Sprintf("`mem set -`, %s, %s", records(c.n), c.name), took[0],
			"sqlite3, one transaction", took[1], nil, each})
	}
	return rows, nil
}

func peak(s sample) string { return harness.Number(s.peak()) + " MiB at its highest" }

func compactRows(ctx context.Context, l *lab) ([]row, error) {
	const sortAndSync = `LC_ALL=C sort -k1,1 "$1" >"$2" && sync "$2"`
	root, saved := l.path("raw"), l.path("saved")
	if err := l.fill(ctx, root, 0, l.sizes.large); err != nil {
		return nil, err
	}
	if err := copyBesidesIndex(root, saved); err != nil {
		return nil, err
	}
	log := filepath.Join(saved, "log.jsonl") // a compaction may move the one in the store
	info, err := os.Stat(log)
	if err != nil {
		return nil, err
	}
	restore := func() error { return copyBesidesIndex(saved, root) }
	took, err := l.rounds(ctx, l.sizes.rounds,
		func(int) stage { return stage{l.memCompact(root), restore} },
		func(int) stage { return stage{command: l.shell(sortAndSync, log, l.path("sorted"))} })
	if err != nil {
		return nil, err
	}
	speed := float64(info.Size()) / 1e6 / took[0].p50().Seconds()
	return []row{{what: "`mem compact`, " + records(l.sizes.large), mem: took[0], floor: took[1],
		note: harness.Number(speed) + " MB/s, " + peak(took[0])}}, nil
}

// shell runs a script of one line with positional arguments.
func (l *lab) shell(script string, args ...string) command {
	return cmd(append([]string{lookPath("sh"), "-c", script, "sh"}, args...)...)
}

func fsckRows(ctx context.Context, l *lab) ([]row, error) {
	const byHand = `cd "$1" && ` +
		`find . -name index -prune -o -name '*.jsonl' -exec jq . {} + >/dev/null && find index -type f -print0 | xargs -0 sha256sum >/dev/null && find index >/dev/null`
	root, err := l.store(ctx, l.sizes.large)
	if err != nil {
		return nil, err
	}
	stages := []func(int) stage{func(int) stage { return stage{command: l.memFsck(root)} }, nil}
	if l.jq != "" {
		stages[1] = func(int) stage { return stage{command: l.shell(byHand, root)} }
	}
	took, err := l.rounds(ctx, l.sizes.rounds, stages...)
	if err != nil {
		return nil, err
	}
	what := "`mem fsck`, " + records(l.sizes.large)
	return []row{{what, took[0], "by hand", took[1], nil, peak(took[0])}}, nil
}
