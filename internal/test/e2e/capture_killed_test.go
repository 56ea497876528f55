//go:build linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/test/testkit"
)

// The hooks of several conversations are killed at random moments while they keep what they have
// seen. Each line and proposal in the inbox is then whole, or torn and skipped; what a hook kept
// that came to its end is there, and a person can decide about it.
func TestKilledCaptures(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(buildMem(t), "mem")
	f := newStore(t)
	f.Put("/a", `"tea is in the kitchen"`)
	f.Clock = time.Now().Add(time.Hour)
	c := &captures{storm: storm{t: t, bin: bin, root: f.Root}, state: t.TempDir()}
	writers, each := 6, testkit.Extent(8, 16, 500)
	for w := range writers {
		c.must(c.hook(c.event(w, "SessionStart", "")))
	}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() { c.work(w, each) })
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { // a person looks at what waits, meanwhile
		for !over(stop) {
			c.waiting()
		}
	})
	all.Wait()
	close(stop)
	others.Wait()

	whole, torn := c.lines()
	proposed := c.waiting()
	kept := 0
	for want := range strings.SplitSeq(c.kept.String(), "\n") {
		if want != "" && !strings.Contains(whole+proposed, want) {
			t.Errorf("%s was kept, and is not there", want)
		}
		kept++
	}
	t.Logf("%d killed, %d kept, %d lines torn, %d bytes wait", c.dead.Load(), kept, torn,
		len(proposed))
	if c.dead.Load() < int32(writers) || kept < writers || proposed == "" {
		t.Error("that is too little")
	}
	for w := range writers { // what a kill left does not keep a later hook from its work
		c.must(c.hook(c.event(w, "PostToolUse", `"tool_name":"Bash","tool_input":{"command":"last"}`)))
		c.must(c.hook(c.event(w, "SessionEnd", `"reason":"other"`)))
	}
	if out, err := c.mem("approve", "--all", "--yes").CombinedOutput(); err != nil {
		t.Errorf("approve --all: %v: %s", err, out)
	}
	f.sweep()
	if out, err := c.mem("fsck").CombinedOutput(); err != nil {
		t.Errorf("fsck: %v: %s", err, out)
	}
}

// captures are processes that keep what hooks have seen.
type captures struct {
	storm
	state string
	dead  atomic.Int32

	guard sync.Mutex
	kept  strings.Builder // the marks of hooks that came to their end, a line for each
}

func (c *captures) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Error(err)
	}
}

func (c *captures) event(w int, name, members string) string {
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf(`{"session_id":"s%d","cwd":%q,"hook_event_name":%q%s}`, w, c.state, name,
		members)
}

func (c *captures) command(args ...string) *exec.Cmd {
	cmd := c.storm.mem(args...)
	cmd.Env = append(cmd.Env, "HOME="+c.state, "XDG_STATE_HOME="+c.state, "MEM_HOOK_DEADLINE=1m",
		"CLAUDECODE=")
	return cmd
}

// mem is a command of the person.
func (c *captures) mem(args ...string) *exec.Cmd { return c.command(args...) }

// hook runs a hook to its end.
func (c *captures) hook(event string) error {
	cmd := c.command("hook", "claude-code")
	cmd.Stdin = strings.NewReader(event)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		return fmt.Errorf("%s: %v: %s", event, err, stderr.String())
	}
	return nil
}

// work runs the hooks of one conversation; every third is killed at a random moment.
func (c *captures) work(w, each int) {
	for i := range each {
		mark := fmt.Sprintf("mark-%d-%d", w, i)
		event := c.event(w, "PostToolUse", fmt.Sprintf(
			`"tool_name":"Bash","tool_input":{"command":"go test %s %s"}`, mark,
			strings.Repeat("x", 50*i%900)))
		if i%2 == 1 {
			event = c.event(w, "UserPromptSubmit", fmt.Sprintf(
				`"prompt":"Remember that tea %s is in the kitchen"`, mark))
		}
		cmd := c.command("hook", "claude-code")
		in, err := cmd.StdinPipe()
		c.must(err)
		c.must(cmd.Start())
		_, _ = io.WriteString(in, event) // it may be dead
		_ = in.Close()
		if i%3 != 0 {
			time.Sleep(time.Duration(i*(w+3)%12) * time.Millisecond)
			_ = cmd.Process.Kill()
		}
		err = cmd.Wait()
		switch {
		case err == nil && i < 16: // fifty proposals wait at most
			c.guard.Lock()
			fmt.Fprintln(&c.kept, mark)
			c.guard.Unlock()
		case err != nil && cmd.ProcessState.Exited():
			c.t.Errorf("%s: %v", event, err)
		case err != nil:
			c.dead.Add(1)
		}
	}
}

// waiting returns what mem approve --json prints, which must work at any time.
func (c *captures) waiting() string {
	out, err := c.mem("approve", "--json", "-q").Output()
	var doc struct{ Facts []inbox.Proposal }
	if json.Unmarshal(out, &doc) != nil || err != nil {
		c.t.Errorf("approve --json: %v: %s", err, out)
	}
	for _, p := range doc.Facts {
		if !strings.HasPrefix(p.ID, "c-") || p.Store == "" || !strings.HasPrefix(p.Text, "tea mark-") {
			c.t.Errorf("a proposal is %+v", p)
		}
	}
	return string(out)
}

// lines returns the whole lines of the journals, and how many are torn.
func (c *captures) lines() (whole string, torn int) {
	box := inbox.In(filepath.Join(c.state, "mem"), time.Now)
	err := box.Each(func(path string, line []byte) {
		var s inbox.Step
		switch {
		case json.Unmarshal(line, &s) != nil:
			torn++
		case s.Tool == "Bash" && !strings.HasPrefix(s.Command, "go test mark-"),
			s.Tool == "" && !bytes.Contains(line, []byte(`"store":`)),
			!bytes.HasSuffix(line, []byte("\n")):
			c.t.Errorf("%s has %s", path, line)
		default:
			whole += string(line)
		}
	})
	c.must(err)
	names, err := filepath.Glob(filepath.Join(c.state, "mem", "inbox", "proposals", "*"))
	c.must(err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil && strings.HasSuffix(name, ".json") && !json.Valid(text) {
			c.t.Errorf("%s is not whole: %s", name, text)
		}
	}
	return whole, torn
}
