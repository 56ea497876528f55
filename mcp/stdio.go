package mcp

//lint:file-ignore SA1019 the revision 2026-07-28 has no roots; clients of the others tell them

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/ledger"
)

// Run serves one client, a message on each line, until in ends. What was asked for by then is
// answered first.
func Run(ctx context.Context, o Options, f *Folders, in io.Reader, out io.Writer) error {
	f.opened = map[string]*mem.Layers{}
	l := &lines{in: bufio.NewReader(in), out: out, pending: map[jsonrpc.ID]bool{}}
	l.answered = sync.NewCond(&l.mu)
	agent := func(context.Context) string { return f.Caller.Agent }
	return newServer(&server{Options: o, open: f.open, agent: agent}, f.ask).Run(ctx, l)
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
func (l *lines) Read(context.Context) (jsonrpc.Message, error) {
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

// What is no message is answered with these, for nobody knows the id of what it was to be.
const (
	notJSON    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}`
	notMessage = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no JSON-RPC 2.0"}}`
	tooLong    = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"more than 4 MiB"}}`
)

// messageOf returns the message of a line, or how one is answered that is none.
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

// Folders are the memories of the folders that a client works in: those it names, or else the
// working directory. The functions must not be nil.
type Folders struct {
	Caller mem.Caller
	// Find finds the stores of a directory; "" is the working directory.
	Find func(dir string) (*mem.Layers, error)
	// Keys returns what seals and opens in stores; nil where nothing does.
	Keys func(*mem.Layers) (ledger.Keys, error)

	mu     sync.Mutex             // held while the client is asked, too: all calls wait for that
	dirs   []string               // that it works in
	opened map[string]*mem.Layers // by directory, until the process ends: a call may go on in any
}

// rootsTime is how long a client may take to say where it works.
const rootsTime = 2 * time.Second

// ask asks the client where it works, if it can tell.
func (f *Folders) ask(session *sdk.ServerSession) {
	p := session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return
	}
	f.mu.Lock()
	go func() {
		defer f.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), rootsTime)
		defer cancel()
		list, err := session.ListRoots(ctx, nil)
		if err != nil {
			return // it goes on with what is known
		}
		f.dirs = nil
		for _, root := range list.Roots {
			u, err := url.Parse(root.URI)
			if err == nil && u.Scheme == "file" && cmp.Or(u.Host, "localhost") == "localhost" {
				dir := filepath.FromSlash(u.Path)
				drive := filepath.VolumeName(strings.TrimPrefix(dir, `\`))
				f.dirs = append(f.dirs, dir[min(len(drive), 1):]) // a slash stands before a drive
			}
		}
	}()
}

// open opens the memory of the first folder that belongs to a project, else that of the first one.
func (f *Folders) open(context.Context) (*Memory, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dirs := f.dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	l, err := f.at(dirs[0])
	for _, dir := range dirs[1:] {
		if err == nil && l.Sites.Project != nil {
			break
		}
		if next, nerr := f.at(dir); nerr == nil && next.Sites.Project != nil {
			l, err = next, nil
		}
	}
	if err != nil {
		return nil, err
	}
	reads, err := l.Reading()
	book := func(s *mem.Store) (*ledger.Book, error) {
		keys, err := f.Keys(l)
		return ledger.New(s, f.Caller, ledger.Options{Reads: reads, Keys: keys}), err
	}
	return &Memory{Caller: f.Caller, Layers: l, Book: book, reads: reads, mu: &f.mu}, err
}

// at returns the stores of a directory.
func (f *Folders) at(dir string) (l *mem.Layers, err error) {
	if l = f.opened[dir]; l == nil {
		if l, err = f.Find(dir); err == nil {
			f.opened[dir] = l
		}
	}
	return l, err
}
