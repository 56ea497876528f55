package sync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange/places"
)

// Tests shorten these.
var (
	greetWait  = time.Minute // until the other machine has described its depot
	answerWait = time.Minute // until it says or takes something
	endWait    = 5 * time.Second
)

// far is the memd on another machine that ssh starts.
type far struct {
	cmd    *exec.Cmd
	ctx    context.Context // ssh is killed when it ends
	cancel context.CancelFunc
	in     io.ReadCloser
	out    io.WriteCloser
	said   bytes.Buffer
	sent   int // bytes since the last answer
	silent atomic.Bool
}

// overSSH starts memd on another machine. Words of the command line have no character that a shell
// there reads as anything but itself ([places.ParseDest]).
func overSSH(ctx context.Context, d places.Dest, info *depot.Info) (*opened, error) {
	args := []string{"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20",
		"-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"}
	if d.Port != "" {
		args = append(args, "-p", d.Port)
	}
	args = append(args, "--", d.Host,
		`PATH="$HOME/.local/bin:$HOME/go/bin:$PATH" exec memd depot `+d.Name)
	f := &far{}
	if err := f.start(ctx, args); err != nil {
		f.cancel()
		return nil, fmt.Errorf("%w: %w", depot.ErrNoServer, err)
	}
	stop := f.watch(greetWait)
	var p *depot.Pipe
	var err error
	if info != nil {
		p, err = depot.MakePipe(f, f, *info)
	} else {
		p, err = depot.OpenPipe(f, f)
	}
	if stop(); err == nil {
		return &opened{p, f.end}, nil
	}
	f.end()
	text := lastLine(f.said.String())
	if text != "" && errors.Is(err, depot.ErrNoServer) && !f.silent.Load() {
		err = fmt.Errorf("%s: %w: %s", d.Host, depot.ErrNoServer, text)
	}
	return nil, err
}

func (f *far) start(ctx context.Context, args []string) (err error) {
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.cmd = exec.CommandContext(f.ctx, "ssh", args...)
	f.cmd.WaitDelay = 2 * time.Second
	f.cmd.Stderr = &limited{&f.said}
	if f.out, err = f.cmd.StdinPipe(); err != nil {
		return err
	}
	if f.in, err = f.cmd.StdoutPipe(); err != nil {
		return err
	}
	return f.cmd.Start()
}

// watch ends ssh after a time, unless it is stopped before. What ssh has started may hold the pipes
// open, so they are closed, too.
func (f *far) watch(limit time.Duration) (stop func() bool) {
	return time.AfterFunc(limit, func() {
		f.silent.Store(true)
		f.cancel()
		f.in.Close()
		f.out.Close()
	}).Stop
}

// Read waits longer for the answer to much, which is still on its way over a slow line.
func (f *far) Read(p []byte) (int, error) {
	stop := f.watch(answerWait + answerWait*time.Duration(f.sent>>20))
	n, err := f.in.Read(p)
	stop()
	f.sent = 0
	return n, f.fault(err)
}

// Write writes little to ssh at a time: each part may take as long as an answer.
func (f *far) Write(p []byte) (n int, err error) {
	const most = 32 << 10
	for err == nil && n < len(p) {
		stop := f.watch(answerWait)
		var took int
		took, err = f.out.Write(p[n:min(n+most, len(p))])
		stop()
		n, f.sent = n+took, f.sent+took
	}
	return n, f.fault(err)
}

func (f *far) fault(err error) error {
	if err != nil && f.silent.Load() {
		return fmt.Errorf("it was silent for %v", answerWait)
	}
	return err
}

// end waits until ssh has ended. One that has to be killed, or leaves a process behind, does no
// harm to the exchange: the other machine has said which lines it keeps.
func (f *far) end() error {
	defer f.cancel()
	defer time.AfterFunc(endWait, f.cancel).Stop()
	f.out.Close()
	err := f.cmd.Wait()
	if f.ctx.Err() != nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// lastLine returns the last line that ssh has printed, as one that is safe to show.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return app.OneLine(lines[len(lines)-1])
}

// limited keeps the first 64 KiB.
type limited struct{ to *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 64<<10 - l.to.Len(); room > 0 {
		l.to.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
