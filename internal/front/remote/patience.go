package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"time"

	"github.com/set-memory/mem/internal/front/wire"
)

// How long a client waits for a server.
const (
	sendTime = time.Minute // for each part of a request that the system takes to send
	// quietTime is for the answer, or the next sign that the verb runs, of which memd gives one
	// every 10 s; and for each paceBytes of the answer once it has begun.
	quietTime = 30 * time.Second
	paceBytes = 1 << 10
	// answerTime is in its place where a server gives no signs: some more than it takes to answer.
	answerTime = 40 * time.Second
)

// errQuiet is wrapped where a client has ended a request of its own accord.
var errQuiet = errors.New("the server did not answer in time")

// patience ends a request to a server that says nothing, or that drips.
type patience struct {
	io.Reader // of the body
	quiet     time.Duration
	now       func() time.Time
	until     time.Time // when a verb has ended
	timer     *time.Timer
	begun     bool // the answer has
	missing   int  // bytes of it, before the timer is set again
}

// waiting returns a patience, and the context of its request. The caller ends it.
func (c *Client) waiting(ctx context.Context) (_ context.Context, p *patience, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p = &patience{quiet: c.quiet, now: c.now, until: c.now().Add(wire.MaxRun + c.quiet)}
	p.timer = time.AfterFunc(sendTime, func() { cancel(errQuiet) })
	trace := &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { p.timer.Reset(c.quiet) }}
	return httptrace.WithClientTrace(ctx, trace), p, func() {
		p.timer.Stop()
		cancel(nil)
	}
}

// sending is the body of a request: as long as parts of it are taken it has time.
type sending struct {
	io.Reader
	timer *time.Timer
}

func (s sending) Read(p []byte) (int, error) {
	s.timer.Reset(sendTime)
	return s.Reader.Read(p)
}

// Read reads the body, and takes note of what came.
func (p *patience) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if n > 0 {
		p.hear(b[:n])
	}
	return n, err
}

// hear extends the time of the server for white space, and for each paceBytes of the answer.
func (p *patience) hear(text []byte) {
	if !p.begun {
		text = bytes.TrimLeft(text, " \t\r\n")
		p.begun = len(text) > 0
		p.timer.Reset(min(p.quiet, p.until.Sub(p.now())))
		p.missing = paceBytes
	}
	if p.missing -= len(text); p.missing <= 0 {
		p.missing = paceBytes
		p.timer.Reset(p.quiet)
	}
}

// reason returns why a request has failed: its error, but for that of the timer.
func (p *patience) reason(ctx context.Context, err error) error {
	switch {
	case err == nil || !errors.Is(context.Cause(ctx), errQuiet):
		return err
	case p.begun:
		return fmt.Errorf("%w: less than %d bytes of its answer in %v", errQuiet, paceBytes,
			p.quiet)
	case !p.now().Before(p.until):
		return fmt.Errorf("%w: the command still runs after %v", errQuiet, wire.MaxRun)
	}
	return fmt.Errorf("%w: nothing for %v", errQuiet, p.quiet)
}
