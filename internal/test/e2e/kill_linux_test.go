package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
)

// victim is a command that is killed, on a store made ready for it.
type victim struct {
	name  string
	ready func(w *killWorld)
	args  []string
	stdin string
	to    map[string]string // what it makes of keys; "" voids
}

var victims = []victim{
	{name: "set of a new key", args: []string{"set", "/new/deep/key", `"n"`, "-s", "t"},
		to: map[string]string{"/new/deep/key": `"n"`}},
	{name: "set of an old key", args: []string{"set", "/a", `"newest"`, "-s", "t"},
		to: map[string]string{"/a": `"newest"`}},
	{name: "the first set", ready: (*killWorld).nothing,
		args: []string{"set", "/first", "1", "-s", "t"}, to: map[string]string{"/first": "1"}},
	{name: "rm", args: []string{"rm", "/b/c", "/a"}, to: map[string]string{"/b/c": "", "/a": ""}},
	{name: "batch", args: []string{"set", "-", "-s", "t"},
		stdin: `{"key":"/p","content":1}` + "\n" + `{"key":"/a","content":null}` + "\n" +
			`{"key":"/q/r","content":2}` + "\n",
		to: map[string]string{"/p": "1", "/a": "", "/q/r": "2"}},
	{name: "import", args: []string{"import", "-"},
		stdin: `{"key":"/p","content":1}` + "\n" + `{"key":"/a","content":null}` + "\n" +
			`{"key":"/q/r","content":2}` + "\n",
		to: map[string]string{"/p": "1", "/q/r": "2"}},
	{name: "compact", args: []string{"compact"}},
	{name: "compact with rotation", ready: (*killWorld).rotating, args: []string{"compact"}},
	{name: "fsck --repair", ready: (*killWorld).damaged, args: []string{"fsck", "--repair"}},
	{name: "fsck --adopt", ready: (*killWorld).edited, args: []string{"fsck", "--yes", "--adopt"},
		to: map[string]string{"/a": `"by hand"`}},
	{name: "approve", ready: (*killWorld).quarantined, args: []string{"approve", "--yes", "/kb/fact"},
		to: map[string]string{"/kb/fact": "8", "/untrusted/kb/fact": ""}},
	{name: "note", args: []string{"note", "new"}, to: map[string]string{"/note/workspace/m-1": `{"type":"note","text":"new"}`}},
	{name: "note in the place of the oldest", ready: (*killWorld).noted,
		args: []string{"note", "new"}, to: map[string]string{"/note/workspace/m-1": "",
			"/note/workspace/m-2": `{"type":"note","text":"new"}`}},
	{name: "forget", ready: (*killWorld).noted, args: []string{"forget", "m-1"},
		to: map[string]string{"/note/workspace/m-1": ""}},
	{name: "set after a torn tail", ready: (*killWorld).torn,
		args: []string{"set", "/new", "1", "-s", "t"}, to: map[string]string{"/new": "1"}},
	{name: "set after a copy", ready: (*killWorld).copied,
		args: []string{"set", "/new", "1", "-s", "t"}, to: map[string]string{"/new": "1"}},
}

// The real binary is killed by SIGKILL before each system call that changes the disk, and, while
// the next write repairs what that left, once more. What was acknowledged is there, what was in
// flight may be, and nothing else; the very next mem set works and mem fsck is content.
func TestKilledAtEverySystemCall(t *testing.T) {
	t.Parallel()
	err := tracing()
	testkit.Need(t, err == nil, fmt.Sprintf("processes cannot be traced here: %v", err))
	bin := filepath.Join(buildMem(t), "mem")
	kills, ran := 0, 0
	drawn := testkit.Sample(t, victims, 4, 4)
	for i, v := range drawn {
		t.Run(v.name, func(t *testing.T) {
			ran++
			calls, n := 0, 1
			for done := false; !done && !t.Failed(); n += 1 + i%2 {
				if n > 1 {
					n += testkit.Extent(5, 5, 0)
				}
				for _, second := range secondKills(n) {
					w := newKillWorld(t, bin, v)
					calls, done = w.kill(v, n)
					w.aftermath(v, n, second)
					kills++
				}
			}
			t.Logf("%d calls that change the disk", calls)
		})
	}
	t.Logf("%d kills", kills)
	if wanted := testkit.Extent(15, 80, 1000); ran == len(drawn) && kills < wanted {
		t.Errorf("want %d", wanted)
	}
}

// secondKills says at which calls of the recovery the next command is killed; 0 for not at all.
func secondKills(n int) []int {
	some := []int{n % 2 * (1 + n%17)}
	return testkit.Extent(some, some, []int{0, 1 + n%7, 8 + n%13})
}

type killWorld struct {
	t    *testing.T
	bin  string
	root string
	now  time.Time
	n    knowledge
	what string
	ack  map[string]string // written since, and acknowledged
}

func newKillWorld(t *testing.T, bin string, v victim) *killWorld {
	w := &killWorld{t: t, bin: bin, root: filepath.Join(storetest.Dir(t), "memory"), now: noon,
		what: v.name, ack: map[string]string{}}
	w.n = knowledge{allowed: map[string]map[string]bool{}, must: map[string]bool{},
		written: map[string]bool{}}
	if v.ready == nil {
		v.ready = (*killWorld).usual
	}
	v.ready(w)
	w.n.mayBecome(v.to)
	return w
}

func (w *killWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// mem is a run of the real binary, later than all before it.
func (w *killWorld) mem(args ...string) *exec.Cmd {
	w.now = w.now.Add(time.Minute)
	cmd := exec.Command(w.bin, append([]string{"--root", w.root}, args...)...)
	cmd.Env = append(os.Environ(), "MEM_NOW="+w.now.Format(time.RFC3339), "GOMAXPROCS=2",
		"HOME="+w.home())
	return cmd
}

// home is where a command finds the files of its user.
func (w *killWorld) home() string { return w.root + ".home" }

// in opens the store in this process.
func (w *killWorld) in(do func(*mem.Store)) {
	w.t.Helper()
	s, err := mem.Open(w.root, mem.Options{Now: func() time.Time { return w.now }, LockWait: -1})
	w.must(err)
	defer s.Close()
	do(s)
}

// nothing is no store at all.
func (w *killWorld) nothing() {}

// usual is a store with a state, and with writes since.
func (w *killWorld) usual() {
	w.in(func(s *mem.Store) {
		for _, kv := range [][2]string{{"/a", `"a letter"`}, {"/b/c", "2"}, {"/gone", "1"}, {"/a", "1"},
			{"/gone", "null"}} {
			w.put(s, kv[0], kv[1])
		}
		_, err := s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
		w.must(err)
		w.put(s, "/d", "3")
	})
}

func (w *killWorld) put(s *mem.Store, key, content string) {
	w.t.Helper()
	w.must(set(s, key, content))
	if content == "null" {
		content = ""
	}
	w.n.allowed[key] = map[string]bool{content: true}
	w.n.must = history(w.t, s)
	maps.Copy(w.n.written, w.n.must)
}

func (w *killWorld) rotating() {
	w.usual()
	w.write("config.json", `{"rotate":{"lines":2,"bytes":1000}}`)
}

func (w *killWorld) damaged() {
	w.usual()
	w.write("log.jsonl", strings.Replace(w.read("log.jsonl"), "a letter", "a lettuce", 1))
	w.write("index/foreign.json", "no envelope")
	w.n.bytes = []string{"a lettuce", "no envelope"}
	w.n.damaged = true
	for line := range w.n.must {
		if strings.Contains(line, "a letter") {
			delete(w.n.must, line)
		}
	}
}

func (w *killWorld) edited() {
	w.usual()
	name := "index/" + string(keypath.MustParse("/a").Path())
	w.write(name, strings.Replace(w.read(name), `"content": 1`, `"content": "by hand"`, 1))
}

func (w *killWorld) quarantined() {
	w.usual()
	w.in(func(s *mem.Store) {
		_, err := s.Set(ctx, mem.Caller{}, write("/kb/fact", "8"), mem.SetOptions{Quarantine: true})
		w.must(err)
		w.n.allowed["/untrusted/kb/fact"] = map[string]bool{"8": true}
		w.n.must = history(w.t, s)
		maps.Copy(w.n.written, w.n.must)
	})
}

// noted holds as many notes as it may.
func (w *killWorld) noted() {
	w.usual()
	w.in(func(s *mem.Store) {
		_, err := note.Add(ctx, s, mem.Caller{}, "old", note.Options{})
		w.must(err)
		w.n.allowed["/note/workspace/m-1"] = map[string]bool{`{"type":"note","text":"old"}`: true}
		w.n.must = history(w.t, s)
		maps.Copy(w.n.written, w.n.must)
	})
	w.write("config.json", `{"memory":{"max_total":1}}`)
}

func (w *killWorld) torn() {
	w.usual()
	const tail = `{"key":"/torn`
	w.write("log.jsonl", w.read("log.jsonl")+tail)
	w.n.bytes = []string{tail}
}

// copied replaces every file by a copy, which has another inode.
func (w *killWorld) copied() {
	w.usual()
	w.must(exec.Command("cp", "-a", w.root, w.root+".copy").Run())
	w.must(os.RemoveAll(w.root))
	w.must(os.Rename(w.root+".copy", w.root))
}

func (w *killWorld) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, name))
	w.must(err)
	return string(text)
}

func (w *killWorld) write(name, text string) {
	w.t.Helper()
	w.must(os.WriteFile(filepath.Join(w.root, name), []byte(text), 0o600))
}

// kill runs the victim's command and kills it before its n-th call. done: it came to its end
// before.
func (w *killWorld) kill(v victim, n int) (calls int, done bool) {
	w.t.Helper()
	cmd := w.mem(v.args...)
	if v.stdin != "" {
		in := w.root + ".stdin"
		w.must(os.WriteFile(in, []byte(v.stdin), 0o600))
		f, err := os.Open(in)
		w.must(err)
		defer f.Close()
		cmd.Stdin = f
	}
	calls, last, exit, err := traceKill(cmd, n)
	w.must(err)
	w.what = fmt.Sprintf("%s, killed before call %d (%s)", v.name, n, last)
	if exit < 0 {
		return calls, false
	}
	if exit != 0 {
		w.t.Errorf("%s: exit %d", w.what, exit)
	}
	maps.Copy(w.ack, v.to)
	return calls, true
}

// aftermath looks at what a kill left, kills the next write as well where that is asked for, and
// then writes and checks.
func (w *killWorld) aftermath(v victim, n, second int) {
	w.t.Helper()
	if _, err := os.Stat(w.root); err == nil {
		w.in(func(s *mem.Store) { w.n.compare(w.t, w.what+": a reader", s, w.ack) })
	}
	if second > 0 {
		args, to := []string{"set", "/second", "1", "-s", "t"}, map[string]string{"/second": "1"}
		if w.n.damaged {
			args, to = v.args, v.to
		}
		w.n.mayBecome(to)
		before := w.what
		w.kill(victim{name: before + ", then", args: args, to: to}, second)
		w.in(func(s *mem.Store) { w.n.compare(w.t, w.what+": a reader", s, w.ack) })
	}
	w.succeeds("set", "/last", "1", "-s", "t")
	w.ack["/last"] = "1"
	if w.n.damaged || v.args[0] == "fsck" {
		w.succeeds("fsck", "--repair")
	}
	w.succeeds("fsck")
	w.in(func(s *mem.Store) { w.n.compare(w.t, w.what+": after the next set", s, w.ack) })
}

func (w *killWorld) succeeds(args ...string) {
	w.t.Helper()
	var out bytes.Buffer
	cmd := w.mem(args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		w.t.Errorf("%s: mem %v: %v: %s", w.what, args, err, out.String())
	}
}
