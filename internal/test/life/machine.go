package life

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// The memories of a machine: the user's, and those of two repositories.
const user = "user"

var projects = []string{"p1", "p2"}
var scopes = append([]string{user}, projects...)

// machine is one of a person's machines.
type machine struct {
	name     string
	away     string        // where its home lies while another machine is awake
	off      time.Duration // how far its clock is ahead
	isGone   bool          // it never comes back
	isHarmed bool          // a file of it was damaged, or an older one put back
	joined   map[*place]bool
	has      map[string]lines // by scope, as of the last look

	waiting  int  // reports of lines that wait, of the last exchange
	ahead    int  // lines that are ahead of its clock, and are not sent
	isBehind bool // two others say at a depot that its clock is
	isCloned bool // it has a second repository of a project
	commands []command
	cut      []log.Stamp // when verbs were killed, or met a full disk
	owed     owed
}

// lines are the readable lines of a history.
type lines map[log.Identity]log.Envelope

// sorted returns the lines in the order of time: lives are to be seen again.
func (l lines) sorted() []log.Envelope {
	return slices.SortedFunc(maps.Values(l), func(a, b log.Envelope) int {
		return cmp.Or(cmp.Compare(a.TS, b.TS), bytes.Compare(a.Line(), b.Line()))
	})
}

// home is the home of the machine that is awake.
func (w *world) home() string { return filepath.Join(w.dir, "home") }

// temporary is the directory for temporary files of all machines.
func (w *world) temporary() string { return filepath.Join(w.dir, "tmp") }

// wake puts the home of a machine into its place.
func (l *life) wake(m *machine) {
	if l.awake == m {
		return
	}
	if l.awake != nil {
		l.must(os.Chdir(l.dir))
		l.must(os.Rename(l.home(), l.awake.away))
	}
	l.must(os.Rename(m.away, l.home()))
	l.awake = m
}

// addMachine makes a machine with two repositories, each with an origin.
func (l *life) addMachine(name string) *machine {
	m := &machine{name: name, away: filepath.Join(l.dir, "machine-"+name),
		joined: map[*place]bool{}, has: map[string]lines{}}
	for _, p := range projects {
		l.addRepository(filepath.Join(m.away, p), p)
	}
	l.machines = append(l.machines, m)
	return m
}

// addRepository makes a repository of a project, as far as anybody looks at it.
func (l *life) addRepository(path, project string) {
	git := filepath.Join(path, ".git")
	for _, dir := range []string{"objects", "refs"} {
		l.must(os.MkdirAll(filepath.Join(git, dir), 0o700))
	}
	config := "[remote \"origin\"]\n\turl = https://example.com/x/" + project + ".git\n"
	l.must(os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	l.must(os.WriteFile(filepath.Join(git, "config"), []byte(config), 0o600))
}

// result is the end of a verb.
type result struct {
	args     []string
	code     int
	out, err string
	isKilled bool
	isFull   bool // it met a full disk
}

// isStored reports whether a verb says that its write is stored.
func (r result) isStored() bool {
	return r.code == 0 || r.code == 6 && strings.Contains(r.err, "stored in the log")
}

// isRegained reports whether a verb took in again what was lost to damage: a write of no command.
func (r result) isRegained() bool {
	return strings.Contains(r.err, "lost lines were taken in again")
}

func (r result) String() string {
	return strings.TrimSpace(strings.Join(r.args, " ") + "\n" + r.out + r.err)
}

// clock is the time on a machine.
func (l *life) clock(m *machine) time.Time { return l.now.Add(m.off) }

// run runs a verb in a directory of a machine: a project, or the home.
func (l *life) run(m *machine, at string, args ...string) result {
	l.wake(m)
	return l.runWith(m, at, "", args...)
}

// runWith is run with a standard input.
func (l *life) runWith(m *machine, at, input string, args ...string) result {
	l.enter(m, at)
	var out, errs bytes.Buffer
	now := l.clock(m).UTC().Format(time.RFC3339Nano)
	l.build.Clock = func() time.Time { return l.clock(m) }
	code := cli.Run(args, strings.NewReader(input), &out, &errs, l.build)
	r := result{args: args, code: code, out: out.String(), err: errs.String()}
	if slices.Contains([]string{"search", "notes", "history", "export", "hook"}, args[0]) {
		return r // a check asks
	}
	l.rt.Logf("%s %s %s: mem %s -> %d %s", m.name, now, at, strings.Join(args, " "), code,
		strings.TrimSpace(r.err))
	if args[0] == "fsck" && code != 0 {
		l.rt.Log(r.out)
	}
	return r
}

// enter lets the process be on a machine, in the directory of a scope.
func (l *life) enter(m *machine, scope string) {
	l.wake(m)
	l.must(os.Chdir(filepath.Join(l.home(), strings.TrimPrefix(scope, user))))
	l.must(os.Setenv("HOME", l.home()))
}

// root returns the directory of a memory of the machine that is awake, or "" if it has none.
func (l *life) root(scope string) string {
	data := filepath.Join(l.home(), ".local/share")
	if scope == user {
		return filepath.Join(data, "mem")
	}
	known, err := site.StoresByIdentity(data)
	l.must(err)
	return known[l.identities[scope]]
}

// open opens a memory of a machine to look at it.
func (l *life) open(m *machine, scope string) *mem.Store {
	l.wake(m)
	s, err := mem.Open(l.root(scope), mem.Options{Now: func() time.Time { return l.clock(m) }})
	l.must(err)
	return s
}

// history returns the readable lines of a memory.
func (l *life) history(m *machine, scope string) lines {
	l.wake(m)
	if root := l.root(scope); root != "" {
		return l.historyAt(m, root)
	}
	return nil
}

// historyAt returns the readable lines of a store.
func (l *life) historyAt(m *machine, root string) lines {
	found := lines{}
	s, err := mem.Open(root, mem.Options{Now: func() time.Time { return l.clock(m) }})
	l.must(err)
	defer s.Close()
	l.must(s.Everything(ctx, func(rec log.Record) error {
		found[rec.Identity()] = rec.Envelope.Clone()
		return nil
	}))
	return found
}

// files returns the size and the time of each file of a machine but the journals of operations, and
// the locks, which say who holds them.
func (l *life) files(m *machine) map[string]string {
	l.wake(m)
	found := map[string]string{}
	l.must(filepath.WalkDir(l.home(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || e.Name() == "ops.jsonl" ||
			e.Name() == log.LockFile {
			return err
		}
		info, err := e.Info()
		if err == nil {
			found[path] = fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
		}
		return err
	}))
	return found
}

// copyTree copies a directory with the modes of its files.
func (l *life) copyTree(from, to string) {
	l.must(filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(target, info.Mode())
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, info.Mode())
	}))
}
