package main

import (
	"fmt"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/test/testkit"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// load asks for events to be stored until it is stopped, and keeps what was acknowledged.
type load struct {
	d    *daemon
	stop chan bool
	all  sync.WaitGroup

	mu    sync.Mutex
	acked []string
	other map[int]int // answers by their status
}

// newLoad begins to store events of a tenant from many connections.
func newLoad(d *daemon, tenant, name string, connections int) *load {
	l := &load{d: d, stop: make(chan bool), other: map[int]int{}}
	for c := range connections {
		l.all.Go(func() {
			for i := 0; !isClosed(l.stop); i++ {
				text := fmt.Sprintf("%s %d %d", name, c, i)
				got, err := d.ask("POST", "/api/v1/events", event(tenant, "s1", text))
				l.note(text, got, err)
			}
		})
	}
	return l
}

func (l *load) note(text string, got reply, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil && got.status == 201 {
		l.acked = append(l.acked, text)
	} else {
		l.other[got.status]++ // 0: the connection broke
	}
}

// waitForMore returns when another event was acknowledged.
func (l *load) waitForMore(t *testing.T) {
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.acked)
	}
	before := count()
	testkit.WaitFor(t, "another event", func() bool { return count() > before })
}

// end stops it, and returns what was acknowledged.
func (l *load) end() []string {
	close(l.stop)
	l.all.Wait()
	return l.acked
}

// missing returns what is not there.
func missing(acked []string, there ...map[string]bool) (list []string) {
	for _, text := range acked {
		found := false
		for _, texts := range there {
			found = found || texts[text]
		}
		if !found {
			list = append(list, text)
		}
	}
	return list
}

// memd is killed again and again while events are stored: what was acknowledged is there, and the
// next one serves from the same socket.
func TestKillUnderLoad(t *testing.T) {
	rounds := testkit.Extent(4, 4, 40)
	d := startDaemon(t, newRoot(t), "--log-level", "error")
	var acked []string
	for round := range rounds {
		l := newLoad(d, "t1", fmt.Sprintf("round %d", round), 16)
		time.Sleep(time.Duration(100+rand.IntN(400)) * time.Millisecond)
		d.kill()
		acked = append(acked, l.end()...)
		if round%2 == 0 { // the command line is the first to write after it
			if got := d.mem("t1", "event", "--session", "s1", "--text", "healed"); got.code != 0 {
				t.Errorf("%+v", got)
			}
		}
		d.start("--log-level", "error")
		d.eventually("t1")
		d.fsck()
	}
	if gone := missing(acked, d.stored("t1")); len(gone) > 0 {
		t.Errorf("of %d that were acknowledged %d are gone: %.5q", len(acked), len(gone), gone)
	}
	t.Logf("%d acknowledged in %d rounds", len(acked), rounds)
}

// memd is killed while lists of events are stored, and each list is sent again to the next one:
// each event is there once, those that were acknowledged with the answer that they had.
func TestKillUnderLists(t *testing.T) {
	d := startDaemon(t, newRoot(t), "--log-level", "error")
	const callers, rounds = 8, 3
	for round := range rounds {
		var sent [callers][][]map[string]any
		var answers [callers][]string
		var all sync.WaitGroup
		for c := range callers {
			all.Go(func() {
				for i := 0; ; i++ {
					list := listOf(t, fmt.Sprintf("%d %d %d", round, c, i))
					sent[c] = append(sent[c], list)
					got, err := d.ask("POST", "/api/v1/events", list)
					if err != nil || got.status != 200 {
						return // killed
					}
					answers[c] = append(answers[c], string(got.body))
				}
			})
		}
		time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
		d.kill()
		all.Wait()
		d.start("--log-level", "error")
		d.eventually("t1") // the first write after a kill makes the index current
		d.fsck()
		events := 0
		for c := range callers {
			for i, list := range sent[c] {
				events += len(list)
				got, err := d.ask("POST", "/api/v1/events", list)
				if err != nil || got.status != 200 || strings.Contains(string(got.body), "error") ||
					i < len(answers[c]) && string(got.body) != answers[c][i] {
					t.Errorf("%d %d: %d %s %v", c, i, got.status, got.body, err)
				}
			}
		}
		got := d.mem("t1", "query", "--history",
			fmt.Sprintf(`select(.key|startswith("/event/%d/"))|.key`, round))
		if n := strings.Count(got.out, "\n"); n != events || n == 0 {
			t.Errorf("of %d events there are %d", events, n)
		}
	}
}

// listOf returns events with ids in a session that has the first word of a text for its name.
func listOf(t *testing.T, text string) (list []map[string]any) {
	for i := range 20 {
		unique, err := ulid.New(time.Now(), nil)
		if err != nil {
			t.Error(err)
		}
		session, _, _ := strings.Cut(text, " ")
		e := event("t1", session, fmt.Sprintf("%s %d", text, i))
		e["event_id"] = "evt_" + unique
		list = append(list, e)
	}
	return list
}

// The root of a tenant is replaced by another directory while events are stored: each that was
// acknowledged is in the old one or the new one.
func TestRootOfATenantIsReplaced(t *testing.T) {
	d := startDaemon(t, newRoot(t), "--log-level", "error")
	d.eventually("t1")
	l := newLoad(d, "t1", "load", 8)
	const times = 5
	for i := range times {
		l.waitForMore(t)
		next := d.tenant("next")
		if err := os.Mkdir(next, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(d.tenant("t1"), d.tenant(fmt.Sprintf("old%d", i))); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, d.tenant("t1")); err != nil && !os.IsExist(err) {
			// The next write has made a root there in the meantime.
			if !strings.Contains(err.Error(), "not empty") {
				t.Fatal(err)
			}
		}
		os.Remove(next)
	}
	l.waitForMore(t)
	acked := l.end()
	d.eventually("t1")
	there := []map[string]bool{d.stored("t1")}
	for i := range times {
		old := fmt.Sprintf("old%d", i)
		there = append(there, d.stored(old))
		// A compaction that lost its root in its last steps is what a crash leaves there: the next
		// writer puts it right.
		if got := d.mem(old, "event", "--session", "s1", "--text", "healed"); got.code != 0 {
			t.Errorf("%+v", got)
		}
	}
	if gone := missing(acked, there...); len(gone) > 0 {
		t.Errorf("of %d that were acknowledged %d are gone: %.5q", len(acked), len(gone), gone)
	}
	t.Logf("%d acknowledged, else %v", len(acked), l.other)
}

// The whole root is taken away and comes back as another one: memd says so meanwhile, stores
// nothing where nobody looks, and serves the new one.
func TestRootIsReplaced(t *testing.T) {
	root := newRoot(t)
	socket := filepath.Join(filepath.Dir(root), "s")
	d := startDaemon(t, root, "--socket", socket, "--log-level", "error")
	d.eventually("t1")
	away := root + ".away"
	if err := os.Rename(root, away); err != nil {
		t.Fatal(err)
	}
	health := func() int {
		got, err := d.ask("GET", "/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.status
	}
	if status := health(); status != 503 {
		t.Errorf("health without a root: %d", status)
	}
	for _, tenant := range []string{"t1", "t2"} {
		got, err := d.ask("POST", "/api/v1/events", event(tenant, "s1", "nowhere"))
		if err != nil || got.status != 500 {
			t.Errorf("%d %s %v", got.status, got.body, err)
		}
	}
	if _, err := os.Lstat(root); !os.IsNotExist(err) {
		t.Errorf("a root was made: %v", err)
	}
	if got := run(t, exec.Command("cp", "-a", away, root)); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if status := health(); status != 200 {
		t.Errorf("health: %d", status)
	}
	if got, err := d.ask("POST", "/api/v1/events", event("t1", "s1", "in the copy")); err != nil ||
		got.status != 201 {
		t.Errorf("%d %s %v", got.status, got.body, err)
	}
	if there := d.stored("t1"); !there["in the copy"] || !there["well again"] {
		t.Errorf("%v", there)
	}
}

// Sidecars are cut while they are mapped: whoever touches what is gone gets its answer all the
// same.
func TestSidecarsAreCut(t *testing.T) {
	d := startDaemon(t, newRoot(t), "--log-level", "error")
	for i := range 300 {
		text := strings.Repeat(fmt.Sprintf("dentist %d of the project ", i), 20)
		if got, err := d.ask("POST", "/api/v1/events", event("t1", "s1", text)); err != nil ||
			got.status != 201 {
			t.Fatalf("%d %s %v", got.status, got.body, err)
		}
	}
	if got := d.mem("t1", "compact"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	build := func() string {
		got, err := d.ask("POST", "/api/v1/acb/build", map[string]any{"tenant_id": "t1",
			"session_id": "s1", "agent_id": "ada", "query_text": "dentist",
			"now": "2036-01-01T00:00:00Z"})
		if err != nil || got.status != 200 {
			t.Fatalf("%d %s %v", got.status, got.body, err)
		}
		return string(got.body)
	}
	want := build()
	files, err := filepath.Glob(filepath.Join(d.tenant("t1"), "cache", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sidecars, %v", err)
	}
	cut := 0
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() < 4096 {
			continue
		}
		cut++
		if err := os.Truncate(name, 4096); err != nil {
			t.Fatal(err)
		}
		if got := build(); got != want {
			t.Errorf("with %s cut the bundle is another one", filepath.Base(name))
		}
	}
	if cut == 0 {
		t.Fatal("no sidecar is long enough to be cut")
	}
	if got := d.mem("t1", "compact"); got.code != 0 { // it makes them anew
		t.Errorf("%+v", got)
	}
}

// All that is derived is removed, while memd is down and while it runs: it is made once, those who
// read meanwhile wait for it, and are told the same.
func TestColdMemory(t *testing.T) {
	d := startDaemon(t, newRoot(t))
	for i := range 300 {
		text := strings.Repeat(fmt.Sprintf("dentist %d of the project ", i), 60)
		got, err := d.ask("POST", "/api/v1/events", event("t1", "s1", text))
		if err != nil || got.status != 201 {
			t.Fatalf("%d %s %v", got.status, got.body, err)
		}
	}
	build := func() string {
		got, err := d.ask("POST", "/api/v1/acb/build", map[string]any{"tenant_id": "t1",
			"session_id": "s1", "agent_id": "ada", "query_text": "dentist",
			"now": "2036-01-01T00:00:00Z"})
		if err != nil || got.status != 200 {
			t.Errorf("%d %s %v", got.status, got.body, err)
		}
		return string(got.body)
	}
	want := build()
	for _, isUp := range []bool{false, true} {
		d.stop()
		if isUp {
			d.start()
			build()
			time.Sleep(1100 * time.Millisecond) // it looks once a second
		}
		for _, name := range []string{"cache", "state.jsonl", "checkpoint.json"} {
			if err := os.RemoveAll(filepath.Join(d.tenant("t1"), name)); err != nil {
				t.Fatal(err)
			}
		}
		if !isUp {
			d.start()
		}
		before := d.compactions()
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				if got := build(); got != want {
					t.Errorf("another bundle: %.200s", got)
				}
			})
		}
		all.Wait()
		if n := d.compactions() - before; n != 1 {
			t.Errorf("%d compactions", n)
		}
	}
}

// compactions returns how many are done.
func (d *daemon) compactions() int {
	d.t.Helper()
	got, err := d.ask("GET", "/metrics", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(got.body), `memd_compactions_total{result="done"} `)
	n := 0
	fmt.Sscan(rest, &n)
	return n
}
