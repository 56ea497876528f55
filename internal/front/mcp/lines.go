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
)

// conn is a transport and its one connection, a message of JSON-RPC 2.0 on each line.
type conn struct {
	in *bufio.Reader

	mu       sync.Mutex // guards what follows
	out      io.Writer
	pending  map[jsonrpc.ID]bool // calls that are not answered
	answered *sync.Cond          // something is
}

func newConn(in io.Reader, out io.Writer) *conn {
	l := &conn{in: bufio.NewReader(in), out: out, pending: map[jsonrpc.ID]bool{}}
	l.answered = sync.NewCond(&l.mu)
	return l
}

// Connect returns itself.
func (l *conn) Connect(context.Context) (sdk.Connection, error) { return l, nil }

// SessionID returns "": there is one session.
func (l *conn) SessionID() string { return "" }

// Close does nothing: the ends of the pipes are the process's.
func (l *conn) Close() error { return nil }

// Read returns the next message; at the end io.EOF, once all calls are answered.
func (l *conn) Read(context.Context) (jsonrpc.Message, error) {
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
		if refusal == "" {
			return message, nil
		}
		l.mu.Lock()
		_, err = l.out.Write([]byte(refusal + "\n"))
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// maxLine is how long a message may be, in bytes: longer than all that may be stored with it.
const maxLine = 4 << 20

// line returns a line that is not blank. Of one that is too long, the rest is passed over.
func (l *conn) line() (line []byte, err error) {
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

// These answer lines that are no message: their id is unknown.
const (
	notJSON    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`
	notMessage = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no JSON-RPC 2.0"}}`
	tooLong    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"more than 4 MiB"}}`
)

func messageOf(line []byte) (message jsonrpc.Message, refusal string) {
	message, err := jsonrpc.DecodeMessage(line)
	switch {
	case len(line) > maxLine:
		return nil, tooLong
	case err == nil:
		return message, ""
	case json.Valid(line):
		return nil, notMessage
	}
	return nil, notJSON
}

// listening is a call that is answered when its session ends.
const listening = "subscriptions/listen"

// drain waits until all calls are answered.
func (l *conn) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 {
		l.answered.Wait()
	}
}

// Write writes a message on a line.
func (l *conn) Write(_ context.Context, message jsonrpc.Message) error {
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
