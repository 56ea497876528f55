package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// Two people work on one repository with a .mem that git tracks, in any order of writes,
// compactions and what git does to the log: what each of them sees is at any time the fold of the
// lines that git has put there, a check finds nothing and changes nothing that git would see, and
// no note is given the id of another.
func TestGitIsBelieved(t *testing.T) {
	git := testkit.Program(t, "git")
	base := storetest.Dir(t)
	t.Setenv("HOME", base)
	for _, line := range []string{"user.name ada", "user.email ada@example.com",
		"init.defaultBranch main", "gc.auto 0", "core.fsync none"} {
		name, value, _ := strings.Cut(line, " ")
		if out, err := exec.Command(git, "config", "--global", name, value).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
	}
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		team := newTeam(rt, git, filepath.Join(base, fmt.Sprint(round)))
		defer team.close()
		for range rapid.IntRange(5, 15).Draw(rt, "steps") {
			team.step()
		}
		for _, c := range team.copies {
			c.checked()
		}
	})
}

// team is two copies of a repository with one clock.
type team struct {
	*rapid.T
	git    string
	now    time.Time
	copies []*gitCopy
	count  int               // of what was written
	notes  map[string]string // the text of each id
}

// gitCopy is one of them, with a store that stays open.
type gitCopy struct {
	*team
	dir   string
	other string
	site  *site.Site
	mems  *layers.Layers
	store *mem.Store
}

func newTeam(rt *rapid.T, git, base string) *team {
	t := &team{T: rt, git: git, now: noon, notes: map[string]string{}}
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	must(rt, os.MkdirAll(filepath.Join(one, ".mem"), 0o700))
	must(rt, site.WriteGitFiles(filepath.Join(one, ".mem"), true))
	first := &gitCopy{team: t, dir: one, other: two}
	first.run("init", "-q")
	first.letIn()
	first.commit()
	first.run("clone", "-q", one, two)
	second := &gitCopy{team: t, dir: two, other: one}
	second.letIn()
	t.copies = []*gitCopy{first, second}
	return t
}

func must(rt *rapid.T, err error) {
	rt.Helper()
	if err != nil {
		rt.Fatal(err)
	}
}

func (t *team) close() {
	for _, c := range t.copies {
		c.mems.Close()
		os.RemoveAll(c.dir)
	}
}

// options are those of a store whose warnings are failures.
func (t *team) options(*site.Site) mem.Options {
	return mem.Options{Now: func() time.Time { return t.now },
		Warn: func(msg string) { t.Errorf("warning: %s", msg) }}
}

// letIn opens the copy's .mem, as mem trust does.
func (c *gitCopy) letIn() {
	getenv := func(name string) string {
		return map[string]string{"XDG_STATE_HOME": filepath.Dir(c.dir)}[name]
	}
	root := filepath.Join(c.dir, ".mem")
	sites, err := site.Find("", c.dir, getenv)
	must(c.T, err)
	c.site, sites.User = sites.SiteAt(root), nil
	sites.Project = c.site
	c.mems = layers.New(sites, c.options)
	must(c.T, c.mems.LetIn(ctx, mem.Caller{}, c.site, nil))
	c.store, err = c.mems.Open(c.site)
	must(c.T, err)
}

// run runs git, and returns what it prints. Whether it has something to do depends on what was
// drawn.
func (c *gitCopy) run(args ...string) string {
	cmd := exec.Command(c.git, args...)
	if c.store != nil {
		cmd.Dir = c.dir
	} else if cmd.Dir = c.dir; args[0] == "clone" {
		cmd.Dir = filepath.Dir(c.dir)
	}
	cmd.Env = append(os.Environ(), "GIT_EDITOR=true", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	c.Logf("%s: git %s: %v %s", filepath.Base(c.dir), strings.Join(args, " "), err, out)
	return string(out)
}

func (c *gitCopy) commit() {
	c.run("add", "-A")
	c.run("commit", "-q", "-m", fmt.Sprint("commit ", c.count))
}

// step does one thing in one of the copies, and looks at what that shows.
func (t *team) step() {
	t.now = t.now.Add(time.Second)
	t.count++
	c := t.copies[rapid.IntRange(0, 1).Draw(t.T, "copy")]
	name := rapid.SampledFrom(stepNames).Draw(t.T, "step")
	t.Logf("%s: %s", filepath.Base(c.dir), name)
	steps[name](c)
	if out := c.run("ls-files", "--unmerged"); out != "" {
		t.Fatalf("%s leaves a conflict: %s", name, out)
	}
	c.looked(name)
	if rapid.IntRange(0, 2).Draw(t.T, "fsck") == 0 {
		c.checked()
	}
}

// steps are what a person does. Those that write come more than once.
var steps = map[string]func(*gitCopy){
	"note":    (*gitCopy).note,
	"set":     (*gitCopy).set,
	"set 2":   (*gitCopy).set,
	"rm":      (*gitCopy).rm,
	"compact": (*gitCopy).compact,
	"commit":  (*gitCopy).commit,
	"branch":  func(c *gitCopy) { c.run("checkout", "-q", "-b", fmt.Sprint("b", c.count)) },
	"checkout": func(c *gitCopy) {
		c.run("checkout", "-q", c.branch())
	},
	"clean checkout": func(c *gitCopy) {
		c.commit()
		c.run("checkout", "-q", c.branch())
	},
	"merge": func(c *gitCopy) {
		c.commit()
		c.run("merge", "-q", "-m", "merged", c.branch())
	},
	"pull": func(c *gitCopy) {
		c.commit()
		c.run("pull", "-q", "--no-rebase", "--no-edit", c.other, "HEAD")
	},
	"rebase": func(c *gitCopy) {
		c.commit()
		c.run("rebase", "-q", c.branch())
	},
	"revert": func(c *gitCopy) {
		c.commit()
		if c.run("rev-list", "--count", "HEAD") == "1\n" {
			return // that would take the store away
		}
		c.run("revert", "--no-edit", "HEAD")
		c.run("revert", "--quit") // of a merge, or of nothing
	},
	"reset": func(c *gitCopy) {
		c.run("reset", "-q", "--hard", rapid.SampledFrom([]string{"HEAD", "HEAD~1"}).Draw(c.T, "to"))
	},
	"stash":   func(c *gitCopy) { c.run("stash", "-q") },
	"pop":     func(c *gitCopy) { c.run("stash", "pop", "-q") },
	"archive": (*gitCopy).archive,
}

var stepNames = slices.Sorted(maps.Keys(steps))

// branch draws one of the copy's branches.
func (c *gitCopy) branch() string {
	names := strings.Fields(c.run("for-each-ref", "--format=%(refname:short)", "refs/heads"))
	return rapid.SampledFrom(names).Draw(c.T, "branch")
}

func (c *gitCopy) note() {
	text := fmt.Sprint("text ", c.count)
	added, err := note.Add(ctx, c.store, mem.Caller{}, text,
		note.Options{IDs: note.IDsOf(c.site)})
	must(c.T, err)
	id := added.ID
	if other, given := c.notes[id]; given {
		c.Fatalf("%s is %q, and was %q", id, text, other)
	}
	c.notes[id] = text
}

func (c *gitCopy) key() string {
	return rapid.SampledFrom([]string{"/k/a", "/k/b", "/k/c"}).Draw(c.T, "key")
}

// set writes contents of one length: what git puts in the place of a line is often as long.
func (c *gitCopy) set() {
	must(c.T, set(c.store, c.key(), fmt.Sprintf(`"value %04d"`, c.count)))
}

func (c *gitCopy) rm() {
	_, _, err := c.store.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(c.key())}, nil)
	must(c.T, err)
}

func (c *gitCopy) compact() {
	_, err := c.store.Compact(ctx, mem.Caller{},
		mem.CompactOptions{NamesOnly: rapid.Bool().Draw(c.T, "names only")})
	must(c.T, err)
}

// archive moves the log away, as a store does that is shared only later.
func (c *gitCopy) archive() {
	_, err := c.store.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	must(c.T, err)
	config := filepath.Join(c.site.Root, "config.json")
	must(c.T, os.WriteFile(config, []byte(`{"rotate":{"lines":1,"bytes":1}}`), 0o600))
	s, err := mem.Open(c.site.Root, c.options(nil))
	must(c.T, err)
	defer s.Close()
	_, err = s.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	must(c.T, err)
	must(c.T, os.Remove(config))
	c.commit()
}

// looked compares what the copy shows with what git has put there.
func (c *gitCopy) looked(what string) {
	want, lines := c.truth()
	fresh, err := mem.Open(c.site.Root, mem.Options{Now: c.options(nil).Now, Shared: true,
		Warn: c.options(nil).Warn})
	must(c.T, err)
	defer fresh.Close()
	for _, s := range []*mem.Store{c.store, fresh} {
		got, err := contents(s)
		must(c.T, err)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			c.Fatalf("after %s in %s:\n got %v\nwant %v", what, c.dir, got, want)
		}
		for _, key := range []string{"/k/a", "/k/b", "/k/c"} {
			rec, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(key), true)
			if err == nil != (want[key] != "") || string(rec.Content) != want[key] {
				c.Fatalf("after %s: %s is %s, %v, want %s", what, key, rec.Content, err, want[key])
			}
		}
		must(c.T, s.Everything(ctx, func(r log.Record) error {
			if !lines[string(r.Line)] {
				c.Fatalf("after %s: the history has %s, and git has not", what, r.Line)
			}
			return nil
		}))
	}
}

// truth folds the lines of log and archives, in its own way: of each key the newest counts.
func (c *gitCopy) truth() (live map[string]string, lines map[string]bool) {
	newest, live, lines := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, line := range strings.Split(c.tracked(), "\n") {
		var e struct {
			Key, TS string
			Content json.RawMessage
		}
		if line == "" {
			continue
		}
		lines[line] = true
		must(c.T, json.Unmarshal([]byte(line), &e))
		if e.TS < newest[e.Key] {
			continue
		}
		newest[e.Key] = e.TS
		if live[e.Key] = string(e.Content); live[e.Key] == "null" {
			delete(live, e.Key)
		}
	}
	return live, lines
}

// tracked returns the text of log and archives.
func (c *gitCopy) tracked() string {
	names, err := filepath.Glob(filepath.Join(c.site.Root, "archive", "*.jsonl"))
	must(c.T, err)
	var all strings.Builder
	for _, name := range append(names, filepath.Join(c.site.Root, "log.jsonl")) {
		text, err := os.ReadFile(name)
		must(c.T, err)
		all.Write(text)
	}
	return all.String()
}

// checked checks the store, which is clean and stays as git has it.
func (c *gitCopy) checked() {
	before := c.run("status", "--short") + c.tracked()
	rep, err := c.store.Fsck(ctx, mem.Caller{}, mem.FsckOptions{})
	must(c.T, err)
	if len(rep.Found) > 0 {
		c.Fatalf("fsck of %s: %v", c.dir, rep.Found)
	}
	if after := c.run("status", "--short") + c.tracked(); after != before {
		c.Fatalf("fsck of %s changes\n%sto\n%s", c.dir, before, after)
	}
	c.looked("fsck")
}
