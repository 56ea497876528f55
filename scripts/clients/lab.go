package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// A bench is what all checks share.
type bench struct {
	bin   string // the directories of the clients and of mem, for PATH
	mem   string
	cache string
	labs  string // where the labs are: outside the home directory
}

// A lab is one check of one client: a home, a project with a store, and a model.
type lab struct {
	bench
	client
	ctx     context.Context
	dir     string
	home    string
	project string
	root    string   // the store
	extra   []string // more environment
	within  []string // a command that runs the client
	model   *model
	input   string // on the client's standard input
	runs    int
}

// patience is how long a client may take for one prompt, which is long on a busy machine: an
// OpenCode that needs 10 s of a core took 3 minutes.
const patience = 10 * time.Minute

// newLab returns a lab whose model answers until l.model.close; open prepares the rest of it.
func (b bench) newLab(ctx context.Context, c client, check string) *lab {
	dir := filepath.Join(b.labs, c.Name, check)
	l := &lab{bench: b, client: c, ctx: ctx, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home", "project")}
	l.root = filepath.Join(l.project, ".mem")
	for _, dir := range []string{l.project, l.temp()} {
		harness.Check(os.MkdirAll(dir, 0o755))
	}
	l.model = startModel(filepath.Join(dir, "requests"))
	return l
}

// open makes a home of the client with mem in it.
func (l *lab) open() {
	// A login shell, which is what Codex runs commands with, begins with a PATH of its own.
	write(filepath.Join(l.home, ".profile"), `PATH="`+l.bin+`:$PATH"`+"\n")
	l.prepare(l.home, l.model.url)
	l.setUp()
	l.remember()
}

// setUp has mem wire itself into the client, as its user would.
func (l *lab) setUp(flags ...string) {
	l.runMem("", append([]string{"setup", l.Name, "--user"}, flags...)...)
}

// clear removes what a run before has left, read-only directories included.
func clear(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	harness.Check(os.RemoveAll(dir))
}

// A screen is what a run of a client showed a person.
type screen struct{ out, err string }

// run runs the client, and gives the requests that came of it.
func (l *lab) run(args []string) ([]*request, screen) {
	before := len(l.model.requests(0))
	command := l.find(l.Program)
	line := slices.Concat(l.within, []string{command}, args)
	out := l.exec(l.input, line[0], line[1:]...)
	l.model.failure()
	requests := l.model.requests(before)
	if len(requests) == 0 {
		harness.Failf("%s asked no model", l.Program)
	}
	return requests, out
}

// exec runs a command as the client's user would, in the project, with nothing of our own
// environment.
func (l *lab) exec(stdin, name string, args ...string) screen {
	return harness.Must(l.try(stdin, name, args...))
}

// try is exec where a failure has a screen, too.
func (l *lab) try(stdin, name string, args ...string) (s screen, err error) {
	ctx, stop := context.WithTimeout(l.ctx, patience)
	defer stop()
	path := l.find(name)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = l.project
	cmd.Env = append(append(l.environment(), l.env(l.model.url)...), l.extra...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	s = screen{out.String(), errs.String()}
	l.runs++
	shown := fmt.Sprintf("$ %s %q\n%s--- standard error\n%s", name, args, s.out, s.err)
	write(filepath.Join(l.dir, fmt.Sprintf("screen-%02d.txt", l.runs)), shown)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("not done in %s: %w", patience, err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, lastLine(s.err))
	}
	return s, err
}

func (l *lab) environment() []string {
	return []string{"HOME=" + l.home, "TMPDIR=" + l.temp(), "PATH=" + l.bin + ":/usr/local/bin:/usr/bin:/bin", "TERM=dumb", "LANG=C.UTF-8", "USER=ada"}
}

// temp is the directory for temporary files.
func (l *lab) temp() string { return filepath.Join(l.dir, "tmp") }

// newLabs makes the directory of all labs. It must not be below a directory that holds anything for
// agents: they look for instructions, settings and stores from the working directory upward, and
// would find those of the person who runs this. The search ends at the directory top.
func newLabs(top string) string {
	base := harness.Must(filepath.EvalSymlinks(os.TempDir()))
	for dir := base; ; dir = filepath.Dir(dir) {
		for _, name := range forAgents {
			path := filepath.Join(dir, name)
			// An empty directory has nothing to read; the sandbox of Codex leaves one in /tmp.
			if inside, err := os.ReadDir(path); err == nil && len(inside) == 0 {
				continue
			}
			if _, err := os.Lstat(path); err == nil {
				harness.Failf("%s holds %s, which agents below it would read: "+
					"set TMPDIR to a directory outside of it", dir, name)
				return ""
			}
		}
		if dir == top || dir == filepath.Dir(dir) {
			return harness.Must(os.MkdirTemp(base, "mem-clients-"))
		}
	}
}

// forAgents are the files and directories that agents look for from a directory upward.
var forAgents = []string{".claude", "CLAUDE.md", ".codex", "AGENTS.md", ".gemini", "GEMINI.md", ".mem"}

// find looks a command up in the clients' PATH and not in ours.
func (l *lab) find(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for _, dir := range filepath.SplitList(l.bin) {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	harness.Failf("%s: %w in %s", name, exec.ErrNotFound, l.bin)
	return ""
}

// runMem runs mem by hand, and gives its standard output.
func (l *lab) runMem(stdin string, args ...string) string {
	s := l.exec(stdin, "mem", args...)
	return s.out
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
