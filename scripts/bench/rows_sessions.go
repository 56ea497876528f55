package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

const (
	sessionID      = "bench"
	sessionLine    = 1800 // bytes of a record, with its newline
	sessionWriters = 10
	longWait       = 50 * time.Millisecond
)

// A conversation is a session that is nearly full: so many records, and how many MiB it may have.
type conversation struct{ n, limit int }

// sessionRows measures what agents do in a session of the usual limit, and in one of twice that
// which is so full that a compaction is due after every 116 records, and drops nothing.
func sessionRows(ctx context.Context, l *lab) {
	tenth := 1
	if l.sizes == quickSizes {
		tenth = 10
	}
	for _, c := range []conversation{{5000, 10}, {11200, 20}} {
		c.n /= tenth
		l.conversation(ctx, c, float64(c.limit)/float64(tenth))
	}
	l.droppedRows(ctx, 5000/tenth)
}

// conversation measures one session: ten writers, then questions, then a rebuild.
func (l *lab) conversation(ctx context.Context, c conversation, limit float64) {
	root := l.path(fmt.Sprintf("session-%d", c.n))
	config := fmt.Sprintf(`{"storage":{"max_session_size_mb":%v}}`, limit)
	l.converse(ctx, root, config, c.n, func(int) string { return spokenAt })
	what := fmt.Sprintf("%s, %.0f %% of %v MiB", records(c.n),
		100*float64(c.n*sessionLine)/(limit*(1<<20)), limit)
	for _, fn := range []func(context.Context, string, string, int){
		l.rememberRows, l.waitRows, l.querySessionRows, l.rebuildRows,
	} {
		fn(ctx, root, what, c.n)
	}
}

// converse makes a session of n records, each spoken when at says.
func (l *lab) converse(ctx context.Context, root, config string, n int, at func(int) string) {
	input := l.file(filepath.Base(root)+".jsonl", func(out *bufio.Writer) {
		for i := range n {
			fmt.Fprintln(out, spokenLine(i, at(i)))
		}
	})
	harness.Check(os.MkdirAll(root, 0o700))
	harness.Check(os.WriteFile(filepath.Join(root, "config.json"), []byte(config), 0o600))
	l.run(ctx, cmd(l.mem, "session", "create", "--id", sessionID, "--root", root),
		cmd(l.mem, "import", input, "--root", root), l.memCompact(root))
}

// rememberRows lets ten processes write to the session at once, beside as many that set keys.
func (l *lab) rememberRows(ctx context.Context, root, what string, _ int) {
	var took [3]sample
	var rate float64
	each := max(2, l.sizes.reps/sessionWriters)
	for who, next := range []subject{
		func(i int) command { return l.remember(root, i) },
		func(i int) command {
			return cmd(l.mem, "set", "/bench/spoken/"+newName(i), spokenContent(i, spokenAt), "--source",
				recordAt(i).source, "--root", root)
		},
		func(i int) command {
			return cmd(l.least, l.path("c-lock"), l.path("c-log"), l.path("c-spoken-"+newName(i)))
		},
	} {
		l.settle(ctx)
		all, wall := l.crowd(ctx, each, next)
		if took[who] = all; who == 0 {
			rate = float64(len(all)) / wall.Seconds()
		}
	}
	l.add(row{fmt.Sprintf("`mem remember`, %d processes, %s", sessionWriters, what), took[0],
		"`mem set` of as many bytes, likewise", took[1], took[2],
		fmt.Sprintf("%s; set: p95 %s; %.0f a second", slow(took[0]),
			harness.Duration(took[1].quantile(0.95)), rate)})
}

// waitRows tells how long ten writers wait for the lock. They are not timed: each tells it in a log
// that takes time of its own.
func (l *lab) waitRows(ctx context.Context, root, what string, n int) {
	told := l.path(fmt.Sprintf("waits-%d", n))
	l.crowd(ctx, max(2, l.sizes.reps/sessionWriters), func(i int) command {
		c := l.remember(root, 1000+i)
		return l.shell(`to=$1; shift; exec "$@" --log-level debug 2>>"$to"`,
			append([]string{told}, c.argv...)...)
	})
	text := harness.Must(os.ReadFile(told))
	waits := parseWaits(text)
	long := 0
	for _, w := range waits {
		if w.wall > longWait {
			long++
		}
	}
	l.add(row{what: fmt.Sprintf("its wait for the lock, %d processes, %s", sessionWriters, what),
		mem: waits, note: fmt.Sprintf("p95 %s; %.1f %% above %s", harness.Duration(waits.quantile(0.95)),
			100*float64(long)/float64(max(1, len(waits))), longWait)})
}

var aWait = regexp.MustCompile(`"wait_ms":([0-9.]+)`)

func parseWaits(text []byte) (waits sample) {
	for _, m := range aWait.FindAllSubmatch(text, -1) {
		if ms, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			waits = append(waits, timing{wall: time.Duration(ms * float64(time.Millisecond))})
		}
	}
	return waits
}

// querySessionRows measures searches in the session, with what was remembered since.
func (l *lab) querySessionRows(ctx context.Context, root, what string, _ int) {
	state := filepath.Join(root, "state.jsonl")
	var cs []contest
	for _, q := range [][]string{{"no words"}, {"a rare word", rareWord},
		{"a common word", commonWord}} {
		argv := append([]string{l.mem, "search"}, q[1:]...)
		c := contest{what: "`mem search --session`, " + q[0] + ", " + what, floor: l.tailOf(state),
			mem: always(cmd(append(argv, "--session", sessionID, "--root", root)...))}
		if l.jq != "" {
			c.rival, c.other = "`jq -c .key`", always(cmd(l.jq, "-c", ".key", state))
		}
		cs = append(cs, c)
	}
	before := len(l.rows)
	l.contest(ctx, l.sizes.reps/2, cs...)
	for i := range l.rows[before:] {
		l.rows[before+i].note = slow(l.rows[before+i].mem)
	}
}

// rebuildRows folds the session anew from the history, beside jq doing the same unchecked.
func (l *lab) rebuildRows(ctx context.Context, root, what string, _ int) {
	const byHand = `cd "$1" && cat log.jsonl $(ls archive/*.jsonl 2>/dev/null) | jq -n ` +
		`'reduce inputs as $r ({}; if .[$r.key] < $r.ts then .[$r.key] = $r.ts else . end) | length'`
	rebuild := cmd(l.mem, "session", "rebuild", sessionID, "--root", root)
	stages := []func(int) stage{func(int) stage { return stage{command: rebuild} }, nil}
	if l.jq != "" {
		stages[1] = func(int) stage { return stage{command: l.shell(byHand, root)} }
	}
	took := l.rounds(ctx, 4*l.sizes.rounds, stages...)
	l.add(row{"`mem session rebuild`, " + what, took[0], "jq", took[1], nil, slow(took[0])})
}

// droppedRows measures the compaction of a full session, of which half is irrelevant, beside the
// deletion of the same records.
func (l *lab) droppedRows(ctx context.Context, n int) {
	saved := l.path("session-saved")
	l.converse(ctx, saved, `{"auto_compact":false}`, n, func(i int) string {
		if i%2 == 0 {
			return forgottenAt
		}
		return spokenAt
	})
	on := func(who string, argv ...string) func(int) stage {
		return func(i int) stage {
			root := l.path(fmt.Sprintf("session-%s-%d", who, i))
			return stage{cmd(append([]string{l.mem}, append(argv, "--root", root)...)...),
				func() { copyStore(ctx, saved, root) }}
		}
	}
	took := l.rounds(ctx, l.sizes.rounds, on("compacted", "session", "compact", sessionID),
		on("forgot", "forget", "--yes", "--session", sessionID, "--until", forgottenAt))
	l.add(row{fmt.Sprintf("`mem session compact`, %s, half of them dropped", records(n)), took[0],
		"`mem forget` of as many", took[1], nil, peak(took[0])})
}

func copyStore(ctx context.Context, from, to string) {
	output(ctx, "cp", "-a", from, to)
}

// slow tells of the slow runs, and of the memory that they took.
func slow(s sample) string {
	return fmt.Sprintf("p95 %s, p99 %s, %s", harness.Duration(s.quantile(0.95)), harness.Duration(s.quantile(0.99)),
		peak(s))
}

// crowd lets the writers do n things each, all at once, and returns what each took.
func (l *lab) crowd(ctx context.Context, n int, next subject) (all sample, wall time.Duration) {
	took := make([]sample, sessionWriters)
	begin := time.Now()
	together(sessionWriters, n, func(w int) {
		var cmds []command
		for i := range n {
			cmds = append(cmds, next(w*n+i))
		}
		took[w] = l.beside(fmt.Sprint(w)).run(ctx, cmds...)
	})
	wall = time.Since(begin)
	for _, s := range took {
		all = append(all, s...)
	}
	if len(all) == 0 {
		harness.Failf("nothing ran")
	}
	return all, wall
}

func (l *lab) remember(root string, i int) command {
	return cmd(l.mem, "remember", sessionID, spoken(i), "--type", "conversation",
		"--root", root)
}
