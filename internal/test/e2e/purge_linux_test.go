package e2e

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// secretWord stands in all that is to be forgotten: content, source, tag, key, note, a quarantined
// file and its name, a draft, two archives.
const secretWord = "zanzibar4711"

// purgeWorld is a store with traces of one person, and of others.
type purgeWorld struct {
	t         *testing.T
	bin, root string
	now       time.Time // zero: the clock
	static    string    // export of what nobody changes
}

func (w *purgeWorld) mem(args ...string) *exec.Cmd {
	cmd := exec.Command(w.bin, append([]string{"--root", w.root, "--lock-timeout", "24h"},
		args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW=", "HOME="+w.root+".home", "GOMAXPROCS=2")
	if !w.now.IsZero() {
		w.now = w.now.Add(time.Second)
		cmd.Env = append(cmd.Env, "MEM_NOW="+w.now.Format(time.RFC3339))
	}
	return cmd
}

// run runs a command that must succeed.
func (w *purgeWorld) run(args ...string) string {
	w.t.Helper()
	out, err := w.mem(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("mem %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// ready makes the others' memories.
func (w *purgeWorld) ready() {
	w.t.Helper()
	if err := os.MkdirAll(w.root, 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.write("config.json", `{"rotate":{"lines":2,"bytes":1000000},"auto_compact":false}`)
	for i := range 5 {
		w.run("set", fmt.Sprintf("/static/k%d", i), fmt.Sprintf(`{"text":"static %d"}`, i),
			"-s", "t", "-q")
	}
	w.static = w.export()
}

func (w *purgeWorld) export() string { return w.run("export", "--prefix", "/static") }

func (w *purgeWorld) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// keys are those that are to be forgotten.
var secretKeys = []string{"/person/" + secretWord, "/note/workspace/" + secretWord}

// plant stores what is to be forgotten, so that every place has something of it.
func (w *purgeWorld) plant() {
	w.t.Helper()
	for i := range 3 {
		for _, key := range secretKeys {
			w.run("set", key, fmt.Sprintf(`{"text":"%s \"%d\"","tags":["%s"]}`, secretWord, i,
				secretWord), "-s", "told by "+secretWord, "-q")
		}
		if i < 2 {
			w.run("compact", "-q")
		}
	}
	log, err := os.ReadFile(filepath.Join(w.root, "log.jsonl"))
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, secretWord) {
			w.write("quarantine/20260222T120000Z-log.jsonl-lines", line)
			w.write(".tmp-0123456789abcdef", line[:len(line)/2])
			w.write("cache/.tmp-0123456789abcdef", line)
		}
	}
	w.write("quarantine/20260222T120000Z-index_person_"+secretWord, `{"edited":true}`)
}

// forget returns the command that is to be killed.
func (w *purgeWorld) forget() *exec.Cmd {
	return w.mem(append([]string{"forget", "--forget-key", "--yes"}, secretKeys...)...)
}

// forgotten checks that the word is nowhere, after one write, and that nothing else is lost. begun
// is whether the plan was ever there: a purge that was killed before has done nothing.
func (w *purgeWorld) forgotten(what string) {
	w.t.Helper()
	w.run("set", "/after", `{"text":"1"}`, "-s", "t", "-q")
	if w.traces() != "" {
		// It was killed before its plan was written: then nothing has happened to the keys.
		for _, key := range secretKeys {
			if out, err := w.mem("get", key).CombinedOutput(); err != nil {
				w.t.Fatalf("%s: half forgotten: %s%s", what, out, w.traces())
			}
		}
		if out, err := w.forget().CombinedOutput(); err != nil {
			w.t.Fatalf("%s: once more: %v: %s", what, err, out)
		}
		w.run("set", "/after", `{"text":"2"}`, "-s", "t", "-q")
	}
	if found := w.traces(); found != "" {
		w.t.Fatalf("%s: it is still in\n%s", what, found)
	}
	if got := w.export(); got != w.static {
		w.t.Fatalf("%s: the others are\n%s, want\n%s", what, got, w.static)
	}
}

// traces returns what grep and find see of the word.
func (w *purgeWorld) traces() string {
	w.t.Helper()
	var out bytes.Buffer
	for _, cmd := range []*exec.Cmd{
		exec.Command("grep", "-ral", secretWord, w.root),
		exec.Command("find", w.root, "-name", "*"+secretWord+"*"),
	} {
		cmd.Stdout = &out
		_ = cmd.Run() // grep says 1 where there is nothing, 2 of a file that has gone meanwhile
	}
	return out.String()
}

// The real binary is killed before each system call that changes the disk.
func TestPurgeKilledAtEverySystemCall(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	kills, step := 0, testkit.Extent(27, 9, 1)
	for n := testkit.First(t, step); ; n += step {
		w := &purgeWorld{t: t, bin: bin, root: filepath.Join(storetest.Dir(t), "memory"), now: noon}
		w.ready()
		w.plant()
		calls, last, exit, err := traceKill(w.forget(), n)
		if err != nil {
			t.Fatal(err)
		}
		w.forgotten(fmt.Sprintf("killed before call %d, %s", n, last))
		w.run("fsck", "-q")
		if exit != -1 {
			t.Logf("%d kills, %d calls that change the disk", kills, calls)
			break
		}
		kills++
	}
	if wanted := testkit.Extent(2, 10, 80); kills < wanted {
		t.Errorf("%d kills, want %d", kills, wanted)
	}
}

// A purge is killed while eight readers and four writers are at work: none of these fails or misses
// a key, and after the next write the word is nowhere. Nothing here depends on the clock: the crowd
// takes steps, each purge that ends shows how many it takes meanwhile, and the others are killed
// after a part of these, until enough of them were.
func TestPurgeUnderKills(t *testing.T) {
	t.Parallel()
	stores, each := testkit.Extent(1, 2, 30), testkit.Extent(5, 5, 10)
	bin := filepath.Join(buildMem(t), "mem")
	killed, purges := 0, 0
	for range stores {
		w := &purgeWorld{t: t, bin: bin, root: filepath.Join(storetest.Dir(t), "memory")}
		w.ready()
		k, n := w.purgeInCrowd(each)
		killed, purges = killed+k, purges+n
		w.run("fsck", "-q")
	}
	t.Logf("%d killed, %d had ended", killed, purges-killed)
	if killed < stores*each/2 {
		t.Error("that is too few")
	}
}

// purgeInCrowd begins at least as many purges in a crowd, until half as many were killed before
// their end. A purge that ended shows how many steps are too many: the machine's load changes.
func (w *purgeWorld) purgeInCrowd(kills int) (killed, purges int) {
	c := newCrowd(w)
	defer c.end()
	whole, _ := c.purge(math.MaxInt)
	for purges < kills || killed*2 < kills && purges < 10*kills {
		took, isKilled := c.purge(whole * (purges % kills) / kills)
		if isKilled {
			killed++
		} else {
			whole = min(whole, took)
		}
		purges++
	}
	c.change(func() { w.t.Logf("%d steps during a whole purge, %d in all", whole, c.total) })
	return killed, purges
}

// crowd is four writers and eight readers.
type crowd struct {
	*purgeWorld
	stop  chan struct{}
	all   sync.WaitGroup
	tally *tally
	turn  sync.RWMutex // held for reading during a step; for writing, the crowd rests

	mu     sync.Mutex
	moved  *sync.Cond // of mu: something below has changed
	steps  [12]int    // taken by each
	total  int
	failed bool // one has given up
}

func newCrowd(w *purgeWorld) *crowd {
	c := &crowd{purgeWorld: w, stop: make(chan struct{}), tally: newTally()}
	c.moved = sync.NewCond(&c.mu)
	const writers = 4
	for i := range writers {
		c.all.Go(func() { c.goOn(i, c.write) })
	}
	c.await(func() bool { return c.total > 0 }) // a search of nothing finds nothing, exit 1
	for i := writers; i < len(c.steps); i++ {
		c.all.Go(func() { c.goOn(i, c.read) })
	}
	return c
}

// goOn has one of the crowd take its steps until the end, or until one fails.
func (c *crowd) goOn(who int, step func(who, n int) error) {
	for n := 1; !over(c.stop); n++ {
		c.turn.RLock()
		err := step(who, n)
		c.turn.RUnlock()
		c.change(func() {
			c.steps[who]++
			c.total++
			c.failed = c.failed || err != nil
		})
		if err != nil {
			c.t.Error(err)
			return
		}
	}
}

func (c *crowd) change(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn()
	c.moved.Broadcast()
}

// await waits until something is so of what change changes.
func (c *crowd) await(is func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !is() {
		c.moved.Wait()
	}
}

// eachSteps waits until each of the crowd has taken two steps more, so that one of them began now.
func (c *crowd) eachSteps() {
	var from *[12]int
	c.await(func() bool {
		if from == nil {
			from = new(c.steps)
		}
		for i, n := range c.steps {
			if n < from[i]+2 {
				return c.failed
			}
		}
		return true
	})
}

func (c *crowd) end() {
	close(c.stop)
	c.all.Wait()
}

// purge starts a purge, kills it when the crowd has taken some steps, and checks the store when the
// crowd has gone on. It returns how many steps the crowd took until the purge had ended.
func (c *crowd) purge(steps int) (took int, killed bool) {
	c.t.Helper()
	cmd := c.begin()
	from, ended := 0, false
	c.change(func() { from = c.total })
	c.all.Go(func() {
		_ = cmd.Wait() // its state says whether it was killed
		c.change(func() { ended = true })
	})
	c.await(func() bool { return ended || c.total-from >= steps })
	_ = cmd.Process.Kill() // it may have ended
	c.await(func() bool {
		took = c.total - from
		return ended
	})
	killed = !cmd.ProcessState.Exited()
	if !killed && !cmd.ProcessState.Success() {
		c.t.Errorf("forget: %v", cmd.ProcessState)
	}
	c.eachSteps()
	c.turn.Lock()
	defer c.turn.Unlock()
	c.forgotten(fmt.Sprintf("killed after %d steps (%v)", took, killed))
	return took, killed
}

// begin stores what is to be forgotten while the crowd rests, and starts the purge.
func (c *crowd) begin() *exec.Cmd {
	c.t.Helper()
	c.turn.Lock()
	defer c.turn.Unlock()
	c.plant()
	cmd := c.forget()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	return cmd
}

func (c *crowd) write(who, n int) error {
	key := fmt.Sprintf("/w%d/k%d", who, n%4)
	c.tally.begin(key, n)
	out, err := c.mem("set", key, contentOf(key, n), "-s", "crowd", "-q").CombinedOutput()
	if err != nil {
		return fmt.Errorf("set: %w: %s", err, out)
	}
	c.tally.acknowledge(key, n)
	return nil
}

func (c *crowd) read(who, n int) error {
	verbs := [][]string{{"ls", "--limit", "0"}, {"search", "storm", "--limit", "1000"},
		{"query", ".content.text"}, {"read", "--token-limit", "100000"}, nil}
	known := c.tally.known()
	verb := verbs[(who+n)%len(verbs)]
	if verb == nil {
		verb = []string{"history", "/static/k1"}
		known = nil
	}
	out, err := c.mem(verb...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %w: %s", verb, err, out)
	}
	if verb[0] == "history" && strings.Count(string(out), "\n") != 1 {
		c.t.Errorf("history: %s", out)
	}
	c.tally.newer(c.t, verb[0], known, string(out))
	return nil
}
