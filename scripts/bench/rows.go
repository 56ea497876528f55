package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

func (l *lab) contest(ctx context.Context, n int, cs ...contest) {
	for _, c := range cs {
		took := l.race(ctx, max(1, n), c.mem, c.other, c.floor)
		l.add(row{c.what, took[0], c.rival, took[1], took[2], ""})
	}
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

func (l *lab) setRows(ctx context.Context, n int) {
	root, db := l.both(ctx, n)
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
	l.contest(ctx, l.sizes.reps, contestOf("new", newKey), contestOf("old", oldKey))
}

func setRows(ctx context.Context, l *lab) {
	l.setRows(ctx, 0)
	l.setRows(ctx, l.sizes.large)
	// The next section expects the store compacted, as this one found it.
	l.run(ctx, l.memCompact(l.path(fmt.Sprintf("store-%d", l.sizes.large))))
}

func getRows(ctx context.Context, l *lab) {
	for _, n := range []int{l.sizes.small, l.sizes.medium, l.sizes.large} {
		root, db := l.both(ctx, n)
		l.contest(ctx, l.sizes.reps, contest{
			what:  "`mem get`, " + records(n),
			mem:   func(i int) command { return l.memGet(root, keyOf(scattered(i, n))) },
			rival: "sqlite3, primary key",
			other: l.query(db, func(i int) string {
				return "SELECT content FROM memory WHERE key='" + keyOf(scattered(i, n)) + "';"
			}),
			floor: l.tailOf(l.path(fmt.Sprintf("input-0-%d.jsonl", n))),
		})
	}
}

// tailOf is the floor of every answer: the end of a file.
func (l *lab) tailOf(file string) subject { return always(cmd(l.least, file)) }

func readRows(ctx context.Context, l *lab) {
	for _, n := range []int{l.sizes.small, l.sizes.medium, l.sizes.large} {
		root := l.store(ctx, n)
		state := filepath.Join(root, "state.jsonl")
		c := contest{what: "`mem read`, " + records(n), mem: always(l.memRead(root))}
		c.floor = l.tailOf(state)
		if l.jq != "" && n <= l.sizes.medium { // more would take minutes
			c.rival, c.other = "`jq -c .key`", always(cmd(l.jq, "-c", ".key", state))
		}
		l.contest(ctx, l.sizes.reps/4, c)
	}
}

func searchRows(ctx context.Context, l *lab) {
	root, db := l.both(ctx, l.sizes.large)
	l.searchBoth(ctx, root, db, records(l.sizes.large))
}

func (l *lab) searchBoth(ctx context.Context, root, db, what string) {
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
	l.contest(ctx, l.sizes.reps/4, both...)
}

// tailRows adds records to the large store, and compacts it in the end.
func tailRows(ctx context.Context, l *lab) {
	n, more := l.sizes.large, l.sizes.medium
	root, db := l.both(ctx, n)
	l.fill(ctx, root, n, n+more)
	l.fillTable(ctx, db, n, n+more)
	what := records(n+more) + ", the last " + records(more) + " since the compaction"
	l.contest(ctx, l.sizes.reps/4, contest{what: "`mem read`, " + what,
		mem: always(l.memRead(root)), floor: l.tailOf(filepath.Join(root, "log.jsonl"))})
	l.searchBoth(ctx, root, db, what)
	l.run(ctx, l.memCompact(root))
}

// agentRows measures what agents run all day: notes, and hooks, in conversations without a name, so
// that nothing counts as delivered before.
func agentRows(ctx context.Context, l *lab) {
	root := l.store(ctx, l.sizes.medium)
	for which, event := range [][]byte{
		hookEvent("SessionStart", "", ""), hookEvent("UserPromptSubmit", aPrompt, ""),
		hookEvent("UserPromptSubmit", "ok, go on", ""),
	} {
		input := l.path(fmt.Sprintf("event-%d.json", which))
		harness.Check(os.WriteFile(input, event, 0o600))
		took := l.race(ctx, 5*l.sizes.reps/2, always(l.memHook(root, input)))
		l.add(row{
			what: "`mem hook`, " + []string{"SessionStart", "a prompt", "a prompt of small talk"}[which] +
				", " + records(l.sizes.medium),
			mem: took[0],
			note: fmt.Sprintf("p90 %s, p99 %s", harness.Duration(took[0].quantile(0.9)),
				harness.Duration(took[0].quantile(0.99))),
		})
	}
	l.captureRows(ctx, root)
	l.noteRow(ctx, "`mem note`", l.path("notes"), l.path("sets"))
	notes, sets := l.path("tailed-notes"), l.path("tailed-sets")
	for _, root := range []string{notes, sets} {
		l.fillTailed(ctx, root)
	}
	l.noteRow(ctx, "`mem note`, "+records(l.sizes.medium)+
		", the last 256 KiB since the compaction", notes, sets)
}

// fillTailed makes a compacted store, and writes as many bytes since as begin the next compaction.
func (l *lab) fillTailed(ctx context.Context, root string) {
	n := l.sizes.medium
	l.fill(ctx, root, 0, n)
	l.run(ctx, l.memCompact(root))
	l.fill(ctx, root, n, n+256<<10/len(recordAt(0).line())+1)
}

// noteRow measures a note against a set, each in a root of its own.
func (l *lab) noteRow(ctx context.Context, what, notes, sets string) {
	l.contest(ctx, l.sizes.reps, contest{what: what,
		mem:   func(i int) command { return cmd(l.mem, "note", recordAt(i).text, "--root", notes) },
		rival: "`mem set`, new key",
		other: func(i int) command { return l.memSet(sets, "/bench/"+newName(i), recordAt(i)) },
	})
}

// batchRows measures one `mem set -` for many records. The disk gets a tenth of the records: there
// the kernel takes longer to make and delete the files than everything else here takes.
func batchRows(ctx context.Context, l *lab) {
	for _, c := range []struct {
		name, place string
		n           int
	}{{"disk", l.disk, l.sizes.large / 10}, {"memory", l.shm, l.sizes.large}} {
		if c.place == "" {
			continue
		}
		input := l.input(0, c.n)
		script := l.inserts(0, c.n, false)
		took := l.rounds(ctx, l.sizes.rounds, func(i int) stage {
			root := filepath.Join(c.place, fmt.Sprintf("batch-%d", i))
			return stage{l.memBatch(root, input), func() { quiet(root) }}
		}, func(i int) stage {
			db := filepath.Join(c.place, fmt.Sprintf("batch-%d.db", i))
			return stage{command: command{argv: []string{l.sqlite, db}, stdin: script}}
		})
		each := harness.Duration(took[0].p50()/time.Duration(c.n)) + " a record"
		l.add(row{fmt.Sprintf("`mem set -`, %s, %s", records(c.n), c.name), took[0],
			"sqlite3, one transaction", took[1], nil, each})
	}
}

func peak(s sample) string { return harness.Number(s.peak()) + " MiB at its highest" }

func compactRows(ctx context.Context, l *lab) {
	const sortAndSync = `LC_ALL=C sort -k1,1 "$1" >"$2" && sync "$2"`
	root, saved := l.path("raw"), l.path("saved")
	l.fill(ctx, root, 0, l.sizes.large)
	copyBesidesIndex(root, saved)
	log := filepath.Join(saved, "log.jsonl") // a compaction may move the one in the store
	info := harness.Must(os.Stat(log))
	restore := func() { copyBesidesIndex(saved, root) }
	took := l.rounds(ctx, l.sizes.rounds,
		func(int) stage { return stage{l.memCompact(root), restore} },
		func(int) stage { return stage{command: l.shell(sortAndSync, log, l.path("sorted"))} })
	speed := float64(info.Size()) / 1e6 / took[0].p50().Seconds()
	l.add(row{what: "`mem compact`, " + records(l.sizes.large), mem: took[0], floor: took[1],
		note: harness.Number(speed) + " MB/s, " + peak(took[0])})
	growthRows(ctx, l)
}

// shell runs a script of one line with positional arguments.
func (l *lab) shell(script string, args ...string) command {
	return cmd(append([]string{lookPath("sh"), "-c", script, "sh"}, args...)...)
}

func fsckRows(ctx context.Context, l *lab) {
	const byHand = `cd "$1" && ` +
		`find . -name index -prune -o -name '*.jsonl' -exec jq . {} + >/dev/null && find index -type f -print0 | xargs -0 sha256sum >/dev/null && find index >/dev/null`
	root := l.store(ctx, l.sizes.large)
	stages := []func(int) stage{func(int) stage { return stage{command: l.memFsck(root)} }, nil}
	if l.jq != "" {
		stages[1] = func(int) stage { return stage{command: l.shell(byHand, root)} }
	}
	took := l.rounds(ctx, l.sizes.rounds, stages...)
	what := "`mem fsck`, " + records(l.sizes.large)
	l.add(row{what, took[0], "by hand", took[1], nil, peak(took[0])})
}
