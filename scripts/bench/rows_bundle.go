package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

const (
	bundleTenant  = "bench"
	bundleAgents  = 12
	bundleWriters = 32
	eventSessions = 100
)

// bundleRows measures a daemon that serves bundles of context from a memory of many events, to one
// agent and to many at once, and records more.
func bundleRows(ctx context.Context, l *lab) (rows []row, err error) {
	if l.memd == "" {
		return []row{{what: "not measured: there is no memd beside mem"}}, nil
	}
	root := l.path("served")
	if err := l.fillEvents(ctx, filepath.Join(root, "tenants", bundleTenant)); err != nil {
		return nil, err
	}
	d, err := l.startDaemon(ctx, root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	for _, fn := range []func(context.Context, *lab) ([]row, error){
		d.buildRows, d.crowdRows, d.recordRows,
	} {
		more, err := fn(ctx, l)
		if rows = append(rows, more...); err != nil {
			return rows, err
		}
	}
	rows[len(rows)-1].note += fmt.Sprintf("; memd at its highest %.0f MiB", d.highest())
	cold, err := l.coldRow(ctx, d, root)
	return append(rows, cold), err
}

// fillEvents makes a memory of events, decisions, tasks and rules, compacted.
func (l *lab) fillEvents(ctx context.Context, root string) error {
	events, err := l.file("events.jsonl", func(out *bufio.Writer) {
		for i := range l.sizes.large {
			fmt.Fprintln(out, eventLine(i))
		}
	})
	if err != nil {
		return err
	}
	others, err := l.file("others.jsonl", func(out *bufio.Writer) {
		for i := range 100 {
			fmt.Fprintln(out, otherLine(i, "/decision/dec_%026d", `{"type":"decision","decision":%q}`))
			fmt.Fprintln(out, otherLine(i, "/task/task_%026d", `{"type":"task","status":"open","title":%q}`))
			fmt.Fprintln(out, otherLine(i, "/rules/project/r%d", `{"text":%q}`))
		}
	})
	if err != nil {
		return err
	}
	record := cmd(l.mem, "event", "-", "--root", root)
	record.stdin = events
	set := cmd(l.mem, "set", "-", "--yes", "--root", root)
	set.stdin = others
	_, err = l.run(ctx, record, set, l.memCompact(root))
	return err
}

// eventLine returns event i: four messages, and then a tool's result of five times their length.
func eventLine(i int) string {
	text, kind, actor := recordAt(i).text, "message", "human"
	if i%5 == 4 {
		kind, actor = "tool_result", "tool"
		text = strings.Repeat(text+"\n", 5)
	}
	return fmt.Sprintf(`{"session_id":"s%d","kind":%q,"actor":{"type":%q,"id":"user"},`+
		`"content":{"text":%q}}`, i%eventSessions, kind, actor, text)
}

func otherLine(i int, key, content string) string {
	words := strings.Join(strings.Fields(recordAt(i).text)[:12], " ")
	return fmt.Sprintf(`{"key":%q,"content":%s,"source":"bench"}`, fmt.Sprintf(key, i),
		fmt.Sprintf(content, words))
}

// daemon is a memd that runs.
type daemon struct{ *harness.Daemon }

// post sends a request and returns how long its answer took.
func (d *daemon) post(ctx context.Context, path, body string) (timing, error) {
	took, err := d.Post(ctx, path, body)
	return timing{wall: took}, err
}

// startDaemon starts memd and waits for its first answer.
func (l *lab) startDaemon(ctx context.Context, root string) (*daemon, error) {
	process := exec.CommandContext(ctx, l.memd, "serve", "--root", root)
	process.Env = cleanEnv(os.Environ())
	d, err := harness.StartDaemon(ctx, process, filepath.Join(root, "memd.sock"))
	return &daemon{d}, err
}

// highest returns the resident memory of the daemon at its highest, in MiB.
func (d *daemon) highest() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.Process.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kib / 1024
}

// asked is what bundles are asked for: nothing, and words of all kinds.
var asked = []struct{ name, query string }{
	{"fast path", ""}, {"a rare word", rareWord}, {"a common word", commonWord},
	{"a prompt", aPrompt},
}

func (d *daemon) build(ctx context.Context, i int, query string) (timing, error) {
	return d.post(ctx, "acb/build", fmt.Sprintf(`{"tenant_id":%q,"session_id":"s%d","agent_id":"a",`+
		`"query_text":%q}`, bundleTenant, i%eventSessions, query))
}

// buildRows measures one request at a time.
func (d *daemon) buildRows(ctx context.Context, l *lab) (rows []row, err error) {
	for _, q := range asked {
		var took sample
		for i := range l.sizes.reps {
			one, err := d.build(ctx, i, q.query)
			if err != nil {
				return rows, err
			}
			took = append(took, one)
		}
		rows = append(rows, row{what: "acb/build, " + q.name + ", " + events(l), mem: took,
			note: tails(took)})
	}
	return rows, nil
}

// crowdRows measures agents that all ask at once.
func (d *daemon) crowdRows(ctx context.Context, l *lab) (rows []row, err error) {
	for _, q := range asked {
		took, _, err := d.crowd(bundleAgents, max(2, l.sizes.reps/4), func(i int) (timing, error) {
			return d.build(ctx, i, q.query)
		})
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{what: fmt.Sprintf("acb/build, %s, %d agents at once", q.name,
			bundleAgents), mem: took, note: tails(took)})
	}
	return rows, nil
}

// recordRows measures writers that record at once, each event on disk before it is acknowledged.
func (d *daemon) recordRows(ctx context.Context, l *lab) ([]row, error) {
	took, wall, err := d.crowd(bundleWriters, l.sizes.reps, func(i int) (timing, error) {
		return d.post(ctx, "events", strings.Replace(eventLine(i), "{", fmt.Sprintf(
			`{"tenant_id":%q,`, bundleTenant), 1))
	})
	if err != nil {
		return nil, err
	}
	return []row{{what: fmt.Sprintf("events, %d connections", bundleWriters), mem: took,
		note: fmt.Sprintf("%s; %.0f a second", tails(took),
			float64(len(took))/wall.Seconds())}}, nil
}

// crowd lets many do n requests each, all at once.
func (d *daemon) crowd(many, n int, do func(i int) (timing, error)) (
	all sample, wall time.Duration, err error) {
	var mu sync.Mutex
	begin := time.Now()
	_, err = together(many, n, func(w int) error {
		for i := range n {
			took, err := do(w*n + i)
			if err != nil {
				return err
			}
			mu.Lock()
			all = append(all, took)
			mu.Unlock()
		}
		return nil
	})
	return all, time.Since(begin), err
}

// coldRow measures the first bundle of a daemon whose tenant has lost all that is derived.
func (l *lab) coldRow(ctx context.Context, d *daemon, root string) (row, error) {
	var took sample
	for range l.sizes.rounds {
		if err := d.Stop(); err != nil {
			return row{}, err
		}
		for _, name := range []string{"cache", "state.jsonl", "checkpoint.json"} {
			err := os.RemoveAll(filepath.Join(root, "tenants", bundleTenant, name))
			if err != nil {
				return row{}, err
			}
		}
		again, err := l.startDaemon(ctx, root)
		if err != nil {
			return row{}, err
		}
		*d = *again
		one, err := d.build(ctx, 1, aPrompt)
		if err != nil {
			return row{}, err
		}
		took = append(took, one)
	}
	return row{what: "acb/build, a prompt, nothing derived is left, " + events(l), mem: took,
		note: tails(took)}, nil
}

func events(l *lab) string {
	return strings.Replace(records(l.sizes.large), "records", "events", 1)
}

// tails tells of the slow ones.
func tails(s sample) string {
	return fmt.Sprintf("p95 %s, p99 %s", harness.Duration(s.quantile(0.95)), harness.Duration(s.quantile(0.99)))
}
