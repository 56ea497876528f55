package cli

import (
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/hook"
	"golang.org/x/term"
)

// shellCommand returns a command that a person has put into the environment, as $PAGER and $EDITOR:
// its words are the shell's where there is one, and args follow them.
func shellCommand(text string, args ...string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(text), args...)
		return exec.Command(words[0], words[1:]...)
	}
	return exec.Command("sh", append([]string{"-c", text + ` "$@"`, text}, args...)...)
}

// runInFront runs a program that has the terminal until it ends, Ctrl-C included. To catch that
// here, unlike to ignore it, is not passed on to the program.
func runInFront(program *exec.Cmd) error {
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	defer signal.Stop(got)
	return program.Run()
}

// pagedVerbs are the verbs whose answer may be longer than a screen, and that ask nothing.
var pagedVerbs = strings.Fields("audit bundle config diff doctor export fsck get help history " +
	"injections log ls memories notes prompt query read search stat where")

// pagerOf returns the pager of a terminal; "" for none. An agent's shell has nobody who would leave
// one.
func pagerOf(a *app) string {
	client, _ := hook.Caller(a.getenv)
	if a.noPager || a.asJSON() || a.getenv("TERM") == "dumb" || client != "" || caller.Agent != "" {
		return ""
	}
	pager := cmp.Or(a.getenv("MEM_PAGER"), a.getenv("PAGER"), "less -FRX")
	name, _, _ := strings.Cut(strings.TrimSpace(pager), " ")
	if _, err := exec.LookPath(name); err != nil && !strings.Contains(name, "=") || name == "cat" {
		return ""
	}
	return pager
}

// newPager returns what stands between an answer and a terminal, nil for nothing.
func newPager(a *app, stdout, stderr io.Writer) *pager {
	verb := firstWord(a.flags, a.args)
	asksHelp := verb == "" || slices.Contains(a.args, "--help") || slices.Contains(a.args, "-h")
	if terminal(stdout) == 0 || !asksHelp && !slices.Contains(pagedVerbs, verb) {
		return nil
	}
	return &pager{a: a, to: stdout, stderr: stderr}
}

// pager holds an answer back until it is known to be longer than the screen; then it runs the
// program that a person leafs with, and gives it the answer as it comes.
type pager struct {
	a          *app
	to, stderr io.Writer

	held    []byte // of the answer, not printed yet
	sent    []byte // of the answer, to the program
	aside   []byte // for stderr, when the program has ended
	off     bool   // the answer goes to the terminal as it is
	program *exec.Cmd
	in      io.WriteCloser
	stop    func() // ends the catching of Ctrl-C
}

// errLeft is why an answer ends where a person has left the pager: they have seen enough.
var errLeft = errors.New("the pager was left")

// Write takes a part of the answer.
func (p *pager) Write(b []byte) (int, error) {
	if !p.off && p.program == nil {
		p.held = append(p.held, b...)
		if !p.isLong() {
			return len(b), nil
		}
		p.start()
		p.held, b = nil, p.held
	}
	if p.program == nil {
		return p.to.Write(b)
	}
	p.sent = append(p.sent, b[:min(len(b), maxSent-len(p.sent))]...)
	if _, err := p.in.Write(b); err != nil {
		return 0, errLeft
	}
	return len(b), nil
}

// isLong reports whether what is held is more than a screen. A line that is wider than the screen
// counts by its bytes: to run a pager in vain is no harm.
func (p *pager) isLong() bool {
	width, height := 80, 24
	if f, ok := p.to.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			width, height = w, h
		}
	}
	rows := 0
	for line := range strings.SplitSeq(string(p.held), "\n") {
		if rows += 1 + len(line)/width; rows >= height {
			return true
		}
	}
	return false
}

// start runs the program, if there is one and it can be run.
func (p *pager) start() {
	p.off = true
	command := pagerOf(p.a)
	if command == "" {
		return
	}
	program := shellCommand(command)
	program.Stdout, program.Stderr = p.to, p.stderr
	if p.a.getenv("LESS") == "" {
		program.Env = append(os.Environ(), "LESS=FRX") // -R, or colours show as their codes
	}
	in, err := program.StdinPipe()
	if err != nil || program.Start() != nil {
		return
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	p.program, p.in, p.stop = program, in, func() { signal.Stop(got) }
}

// finish prints what is held, or waits until the person has seen enough. A nil pager has nothing.
func (p *pager) finish() {
	if p == nil {
		return
	}
	p.flush()
	if p.program != nil {
		p.in.Close()
		// Who leaves it before the end has seen enough; one that fails has shown nothing.
		if err := new(exec.ExitError); errors.As(p.program.Wait(), &err) && err.ExitCode() > 0 {
			_, _ = p.to.Write(p.sent)
		}
		p.sent = nil
		p.stop()
		p.program = nil
	}
	_, _ = p.stderr.Write(p.aside)
	p.aside = nil
}

// maxSent is how much of an answer is kept for a pager that fails.
const maxSent = 1 << 20

// flush prints what is held.
func (p *pager) flush() {
	if len(p.held) > 0 {
		_, _ = p.to.Write(p.held)
		p.held, p.off = nil, true
	}
}

// aside is stderr beside an answer that is held back: what stands there comes after what was
// answered before it, and not into the pager.
type aside struct {
	io.Writer
	pager *pager
}

// Write writes, or keeps it for when the pager has ended.
func (w *aside) Write(b []byte) (int, error) {
	if w.pager.program != nil {
		w.pager.aside = append(w.pager.aside, b...)
		return len(b), nil
	}
	w.pager.flush()
	return w.Writer.Write(b)
}

// notFound is the exit code of a shell that does not find the command.
const notFound = 127
