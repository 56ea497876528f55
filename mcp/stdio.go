package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run serves one client, a message on each line, until in ends or ctx does: what runs then is
// answered first.
func Run(ctx context.Context, o Options, f *Folders, in io.Reader, out io.Writer) error {
	o.Open, o.folders = f.Open, f
	protocol, err := newServer(o)
	if err != nil {
		return err
	}
	session, err := protocol.Connect(ctx, newLines(in, out), nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { session.Close() })
	defer stop()
	if err := session.Wait(); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// maxLine is how long a message may be: longer than all that may be stored with it.
const maxLine = 4 << 20

// lines are messages on lines. What is no message is answered with an error and passed over: a
// client that writes junk into the pipe, as its libraries do, keeps its session.
type lines struct {
	in       *bufio.Reader
	incoming chan incoming
	closed   chan struct{}
	closing  sync.Once

	mu      sync.Mutex // guards what follows, and writes
	out     io.Writer
	pending map[jsonrpc.ID]bool // calls that are not answered
	idle    *sync.Cond          // signalled when there are none
}

// incoming is a message, or why there will be no more.
type incoming struct {
	message jsonrpc.Message
	err     error
}

func newLines(in io.Reader, out io.Writer) *lines {
	l := &lines{in: bufio.NewReaderSize(in, 64<<10), incoming: make(chan incoming),
		closed: make(chan struct{}), out: out, pending: map[jsonrpc.ID]bool{}}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// Connect begins to read.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.receive()
	return l, nil
}

// SessionID returns "": there is one session.
func (l *lines) SessionID() string { return "" }

// receive passes messages on. Nothing ends a read of standard input but its end, so this may outlive
// the connection.
func (l *lines) receive() {
	for {
		message, err := l.next()
		if err == io.EOF {
			l.drain()
		}
		select {
		case l.incoming <- incoming{message, err}:
		case <-l.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// next returns the next message.
func (l *lines) next() (jsonrpc.Message, error) {
	for {
		line, err := l.line()
		switch {
		case errors.Is(err, errLong):
			err = l.refuse(jsonrpc.CodeInvalidRequest, err.Error())
		case err == nil || err == io.EOF && len(line) > 0:
			message, refused := l.decode(line)
			if message != nil {
				return message, nil // the end, if this was it, comes again
			}
			err = refused
		}
		if err != nil {
			return nil, err
		}
	}
}

var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// line returns a line without its end. The rest of one that is too long is passed over.
func (l *lines) line() (line []byte, err error) {
	for long := false; ; {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case long && (err == nil || err == io.EOF):
			return nil, errLong
		}
		return bytes.TrimSpace(line), err
	}
}

// decode returns the message of a line; nil for an empty line, and for one that is none and has been
// answered so.
func (l *lines) decode(line []byte) (jsonrpc.Message, error) {
	if len(line) == 0 {
		return nil, nil
	}
	if !json.Valid(line) {
		return nil, l.refuse(jsonrpc.CodeParseError, "this line is no JSON")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, l.refuse(jsonrpc.CodeInvalidRequest, "this line is no message of JSON-RPC 2.0")
	}
	if call, ok := message.(*jsonrpc.Request); ok && call.IsCall() && call.Method != listening {
		l.mu.Lock()
		l.pending[call.ID] = true
		l.mu.Unlock()
	}
	return message, nil
}

// listening is a call that is answered when the session ends.
const listening = "subscriptions/listen"

// refuse answers what is no message.
func (l *lines) refuse(code int, why string) error {
	doc, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": why}})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(doc, '\n'))
	return err
}

// drain waits until all calls are answered.
func (l *lines) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 {
		l.idle.Wait()
	}
}

// Read returns the next message.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case got := <-l.incoming:
		return got.message, got.err
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes a message on a line.
func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	doc, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(doc, '\n'))
	if answer, ok := message.(*jsonrpc.Response); ok {
		if delete(l.pending, answer.ID); len(l.pending) == 0 {
			l.idle.Broadcast()
		}
	}
	return err
}

// Close ends the connection. What is read stays open: it is the process's.
func (l *lines) Close() error {
	l.closing.Do(func() {
		close(l.closed)
		l.mu.Lock()
		defer l.mu.Unlock()
		clear(l.pending)
		l.idle.Broadcast()
	})
	return nil
}
