package main

import (
	"bufio"
	"context"
	"errors"
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
func sessionRows(ctx context.Context, l *lab) (rows []row, err error) {
	tenth := 1
	if l.sizes == quickSizes {
		tenth = 10
	}
	for _, c := range []conversation{{5000, 10}, {11200, 20}} {
		c.n /= tenth
		more, err := l.conversation(ctx, c, float64(c.limit)/float64(tenth))
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	more, err := l.droppedRows(ctx, 5000/tenth)
	return append(rows, more...), err
}

// conversation measures one session: ten writers, then questions, then a rebuild.
func (l *lab) conversation(ctx context.Context, c conversation, limit float64) (
	rows []row, err error) {
	root := l.path(fmt.Sprintf("session-%d", c.n))
	config := fmt.Sprintf(`{"storage":{"max_session_size_mb":%v}}`, limit)
	if err := l.converse(ctx, root, config, c.n, func(int) string { return spokenAt }); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%s, %.0f %% of %v MiB", records(c.n),
		100*float64(c.n*sessionLine)/(limit*(1<<20)), limit)
	for _, fn := range []func(context.Context, string, string, int) ([]row, error){
		l.rememberRows, l.waitRows, l.querySessionRows, l.rebuildRows,
	} {
		more, err := fn(ctx, root, what, c.n)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// converse makes a session of n records, each spoken when at says.
func (l *lab) converse(ctx context.Context, root, config string, n int, at func(int) string) error {
	input, err := l.file(filepath.Base(root)+".jsonl", func(out *bufio.Writer) {
		for i := range n {
			fmt.Fprintln(out, spokenLine(i, at(i)))
		}
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	err = os.WriteFile(filepath.Join(root, "config.json"), []byte(config), 0o600)
	if err != nil {
		return err
	}
	_, err = l.run(ctx, cmd(l.mem, "session", "create", "--id", sessionID, "--root", root),
		cmd(l.mem, "import", input, "--root", root), l.memCompact(root))
	return err
}

// rememberRows lets ten processes write to the session at once, beside as many that set keys.
func (l *lab) rememberRows(ctx context.Context, root, what string, _ int) ([]row, error) {
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
		if err := l.settle(ctx); err != nil {
			return nil, err
		}
		all, wall, err := l.crowd(ctx, each, next)
		if err != nil {
			return nil, err
		}
		if took[who] = all; who == 0 {
			rate = float64(len(all)) / wall.Seconds()
		}
	}
	return []row{{fmt.Sprintf("`mem remember`, %d processes, %s", sessionWriters, what), took[0],
		"`mem set` of as many bytes, likewise", took[1], took[2],
		fmt.Sprintf("%s; set: p95 %s; %.0f a second", slow(took[0]),
			harness.Duration(took[1].quantile(0.95)), rate)}}, nil
}

// waitRows tells how long ten writers wait for the lock. They are not timed: each tells it in a log
// that takes time of its own.
func (l *lab) waitRows(ctx context.Context, root, what string, n int) ([]row, error) {
	told := l.path(fmt.Sprintf("waits-%d", n))
	_, _, err := l.crowd(ctx, max(2, l.sizes.reps/sessionWriters), func(i int) command {
		c := l.remember(root, 1000+i)
		return l.shell(`to=$1; shift; exec "$@" --log-level debug 2>>"$to"`,
			append([]string{told}, c.argv...)...)
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(told)
	if err != nil {
		return nil, err
	}
	waits := parseWaits(text)
	long := 0
	for _, w := range waits {
		if w.wall > longWait {
			long++
		}
	}
	return []row{{what: fmt.Sprintf("its wait for the lock, %d processes, %s", sessionWriters, what),
		mem: waits, note: fmt.Sprintf("p95 %s; %.1f %% above %s", harness.Duration(waits.quantile(0.95)),
			100*float64(long)/float64(max(1, len(waits))), longWait)}}, nil
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
func (l *lab) querySessionRows(ctx context.Context, root, what string, _ int) (
	rows []row, err error) {
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
	if rows, err = l.contest(ctx, l.sizes.reps/2, cs...); err != nil {
		return rows, err
	}
	for i := range rows {
		rows[i].note = slow(rows[i].mem)
	}
	return rows, nil
}

// rebuildRows folds the session anew from the history, beside jq doing the same unchecked.
func (l *lab) rebuildRows(ctx context.Context, root, what string, _ int) ([]row, error) {
	const byHand = `cd "$1" && cat log.jsonl $(ls archive/*.jsonl 2>/dev/null) | jq -n ` +
		`'reduce inputs as $r ({}; if .[$r.key] < $r.ts then .[$r.key] = $r.ts else . end) | length'`
	rebuild := cmd(l.mem, "session", "rebuild", sessionID, "--root", root)
	stages := []func(int) stage{func(int) stage { return stage{command: rebuild} }, nil}
	if l.jq != "" {
		stages[1] = func(int) stage { return stage{command: l.shell(byHand, root)} }
	}
	took, err := l.rounds(ctx, 4*l.sizes.rounds, stages...)
	if err != nil {
		return nil, err
	}
	return []row{{"`mem session rebuild`, " + what, took[0], "jq", took[1], nil, slow(took[0])}}, nil
}

// droppedRows measures the compaction of a full session, of which half is irrelevant, beside the
// deletion of the same records.
func (l *lab) droppedRows(ctx context.Context, n int) ([]row, error) {
	saved := l.path("session-saved")
	err := l.converse(ctx, saved, `{"auto_compact":false}`, n, func(i int) string {
		if i%2 == 0 {
			return forgottenAt
		}
		return spokenAt
	})
	if err != nil {
		return nil, err
	}
	on := func(who string, argv ...string) func(int) stage {
		return func(i int) stage {
			root := l.path(fmt.Sprintf("session-%s-%d", who, i))
			return stage{cmd(append([]string{l.mem}, append(argv, "--root", root)...)...),
				func() error { return copyStore(ctx, saved, root) }}
		}
	}
	took, err := l.rounds(ctx, l.sizes.rounds, on("compacted", "session", "compact", sessionID),
		on("forgot", "forget", "--yes", "--session", sessionID, "--until", forgottenAt))
	if err != nil {
		return nil, err
	}
	return []row{{fmt.Sprintf("`mem session compact`, %s, half of them dropped", records(n)), took[0],
		"`mem forget` of as many", took[1], nil, peak(took[0])}}, nil
}

func copyStore(ctx context.Context, from, to string) error {
	_, err := output(ctx, "cp", "-a", from, to)
	return err
}

// slow tells of the slow runs, and of the memory that they took.
func slow(s sample) string {
	return fmt.Sprintf("p95 %s, p99 %s, %s", harness.Duration(s.quantile(0.95)), harness.Duration(s.quantile(0.99)),
		peak(s))
}

// crowd lets the writers do n things each, all at once, and returns what each took.
func (l *lab) crowd(ctx context.Context, n int, next subject) (all sample, wall time.Duration,
	err error) {
	took := make([]sample, sessionWriters)
	begin := time.Now()
	_, err = together(sessionWriters, n, func(w int) error {
		var cmds []command
		for i := range n {
			cmds = append(cmds, next(w*n+i))
		}
		var err error
		took[w], err = l.beside(fmt.Sprint(w)).run(ctx, cmds...)
		return err
	})
	wall = time.Since(begin)
	for _, s := range took {
		all = append(all, s...)
	}
	if err == nil && len(all) == 0 {
		err = errors.New("nothing ran")
	}
	return all, wall, err
}

func (l *lab) remember(root string, i int) command {
	return cmd(l.mem, "remember", sessionID, spoken(i), "--type", "conversation",
		"--root", root)
}
