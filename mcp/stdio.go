package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
)

// Run serves one client, a message on each line, until in ends. What was asked for by then is
// answered first.
func Run(ctx context.Context, o Options, f *Folders, in io.Reader, out io.Writer) error {
	f.opened = map[string]*mem.Layers{}
	defer f.close()
	protocol, err := newServer(&server{o, f.open}, f.ask)
	if err != nil {
		return err
	}
	l := &lines{in: bufio.NewReader(in), out: out, pending: map[jsonrpc.ID]bool{}}
	l.answered = sync.NewCond(&l.mu)
	return protocol.Run(ctx, l)
}

// lines are messages on lines. What is no message is answered with an error and passed over: a
// client that writes something else into the pipe, as its libraries do, keeps its session.
type lines struct {
	in *bufio.Reader

	mu       sync.Mutex // guards what follows
	out      io.Writer
	pending  map[jsonrpc.ID]bool // calls that are not answered
	answered *sync.Cond          // something is
}

// Connect returns itself.
func (l *lines) Connect(context.Context) (sdk.Connection, error) { return l, nil }

// SessionID returns "": there is one session.
func (l *lines) SessionID() string { return "" }

// Close does nothing: the ends of the pipes are the process's.
func (l *lines) Close() error { return nil }

// Read returns the next message; at the end io.EOF, once all calls are answered.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		line, err := l.line()
		if err == io.EOF {
			l.drain()
		}
		if err != nil {
			return nil, err
		}
		message, refusal := messageOf(line)
		if r, ok := message.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listening {
			l.mu.Lock()
			l.pending[r.ID] = true
			l.mu.Unlock()
		}
		if refusal == nil {
			return message, nil
		}
		if err := l.Write(ctx, &jsonrpc.Response{Error: refusal}); err != nil {
			return nil, err
		}
	}
}

// maxLine is how long a message may be, in bytes: longer than all that may be stored with it.
const maxLine = 4 << 20

// line returns a line that is not blank. Of one that is too long, the rest is passed over.
func (l *lines) line() (line []byte, err error) {
	for {
		var part []byte
		if part, err = l.in.ReadSlice('\n'); len(line) <= maxLine {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil // the end, if this was it, comes again
		}
		if err != nil {
			return nil, err
		}
	}
}

// messageOf returns the message of a line, or how one is answered that is none.
func messageOf(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	message, err := jsonrpc.DecodeMessage(line)
	switch {
	case len(line) > maxLine:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "more than 4 MiB"}
	case err == nil:
		return message, nil
	case json.Valid(line):
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "no JSON-RPC 2.0"}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "no JSON"}
}

// listening is a call that is answered when its session ends.
const listening = "subscriptions/listen"

// drain waits until all calls are answered.
func (l *lines) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 {
		l.answered.Wait()
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
	if r, ok := message.(*jsonrpc.Response); ok {
		delete(l.pending, r.ID)
		defer l.answered.Broadcast()
	}
	_, err = l.out.Write(append(doc, '\n'))
	return err
}
