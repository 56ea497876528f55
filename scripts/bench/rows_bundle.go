package main

import (
	"bufio"
	"context"
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
func bundleRows(ctx context.Context, l *lab) {
	if l.memd == "" {
		l.add(row{what: "not measured: there is no memd beside mem"})
		return
	}
	root := l.path("served")
	l.fillEvents(ctx, filepath.Join(root, "tenants", bundleTenant))
	d := l.startDaemon(ctx, root)
	defer func() { d.Stop() }() // of the last one that was started
	d.buildRows(ctx, l)
	d.crowdRows(ctx, l)
	d.recordRows(ctx, l)
	l.rows[len(l.rows)-1].note += fmt.Sprintf("; memd at its highest %.0f MiB", d.highest())
	l.coldRow(ctx, d, root)
}

// fillEvents makes a memory of events, decisions, tasks and rules, compacted.
func (l *lab) fillEvents(ctx context.Context, root string) {
	events := l.file("events.jsonl", func(out *bufio.Writer) {
		for i := range l.sizes.large {
			fmt.Fprintln(out, eventLine(i))
		}
	})
	others := l.file("others.jsonl", func(out *bufio.Writer) {
		for i := range 100 {
			fmt.Fprintln(out, otherLine(i, "/decision/dec_%026d", `{"type":"decision","decision":%q}`))
			fmt.Fprintln(out, otherLine(i, "/task/task_%026d", `{"type":"task","status":"open","title":%q}`))
			fmt.Fprintln(out, otherLine(i, "/rules/project/r%d", `{"text":%q}`))
		}
	})
	record := cmd(l.mem, "event", "-", "--root", root)
	record.stdin = events
	set := cmd(l.mem, "set", "-", "--yes", "--root", root)
	set.stdin = others
	l.run(ctx, record, set, l.memCompact(root))
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
func (d *daemon) post(ctx context.Context, path, body string) timing {
	return timing{wall: d.Post(ctx, path, body)}
}

// startDaemon starts memd and waits for its first answer.
func (l *lab) startDaemon(ctx context.Context, root string) *daemon {
	process := exec.CommandContext(ctx, l.memd, "serve", "--root", root)
	process.Env = cleanEnv(os.Environ())
	return &daemon{harness.StartDaemon(ctx, process, filepath.Join(root, "memd.sock"))}
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

func (d *daemon) build(ctx context.Context, i int, query string) timing {
	return d.post(ctx, "acb/build", fmt.Sprintf(`{"tenant_id":%q,"session_id":"s%d","agent_id":"a",`+
		`"query_text":%q}`, bundleTenant, i%eventSessions, query))
}

// buildRows measures one request at a time.
func (d *daemon) buildRows(ctx context.Context, l *lab) {
	for _, q := range asked {
		var took sample
		for i := range l.sizes.reps {
			took = append(took, d.build(ctx, i, q.query))
		}
		l.add(row{what: "acb/build, " + q.name + ", " + events(l), mem: took,
			note: tails(took)})
	}
}

// crowdRows measures agents that all ask at once.
func (d *daemon) crowdRows(ctx context.Context, l *lab) {
	for _, q := range asked {
		took, _ := d.crowd(bundleAgents, max(2, l.sizes.reps/4), func(i int) timing {
			return d.build(ctx, i, q.query)
		})
		l.add(row{what: fmt.Sprintf("acb/build, %s, %d agents at once", q.name,
			bundleAgents), mem: took, note: tails(took)})
	}
}

// recordRows measures writers that record at once, each event on disk before it is acknowledged.
func (d *daemon) recordRows(ctx context.Context, l *lab) {
	took, wall := d.crowd(bundleWriters, l.sizes.reps, func(i int) timing {
		return d.post(ctx, "events", strings.Replace(eventLine(i), "{", fmt.Sprintf(
			`{"tenant_id":%q,`, bundleTenant), 1))
	})
	l.add(row{what: fmt.Sprintf("events, %d connections", bundleWriters), mem: took,
		note: fmt.Sprintf("%s; %.0f a second", tails(took),
			float64(len(took))/wall.Seconds())})
}

// crowd lets many do n requests each, all at once.
func (d *daemon) crowd(many, n int, do func(i int) timing) (
	all sample, wall time.Duration) {
	var mu sync.Mutex
	begin := time.Now()
	together(many, n, func(w int) {
		for i := range n {
			took := do(w*n + i)
			mu.Lock()
			all = append(all, took)
			mu.Unlock()
		}
	})
	return all, time.Since(begin)
}

// coldRow measures the first bundle of a daemon whose tenant has lost all that is derived.
func (l *lab) coldRow(ctx context.Context, d *daemon, root string) {
	var took sample
	for range l.sizes.rounds {
		d.Stop()
		for _, name := range []string{"cache", "state.jsonl", "checkpoint.json"} {
			harness.Check(os.RemoveAll(filepath.Join(root, "tenants", bundleTenant, name)))
		}
		*d = *l.startDaemon(ctx, root)
		took = append(took, d.build(ctx, 1, aPrompt))
	}
	l.add(row{what: "acb/build, a prompt, nothing derived is left, " + events(l), mem: took,
		note: tails(took)})
}

func events(l *lab) string {
	return strings.Replace(records(l.sizes.large), "records", "events", 1)
}

// tails tells of the slow ones.
func tails(s sample) string {
	return fmt.Sprintf("p95 %s, p99 %s", harness.Duration(s.quantile(0.95)), harness.Duration(s.quantile(0.99)))
}
