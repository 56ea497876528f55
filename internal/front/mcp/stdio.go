package mcp

//lint:file-ignore SA1019 the revision 2026-07-28 has no roots; clients of the others tell them

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
)

// Run serves one client, a message on each line, until in ends. It answers all calls first.
func Run(ctx context.Context, o Options, f *Folders, in io.Reader, out io.Writer) error {
	f.opened = map[string]*layers.Layers{}
	agent := func(context.Context) string { return f.Caller.Agent }
	return newServer(&server{Options: o, open: f.open, agent: agent}, f.ask).Run(ctx,
		newConn(in, out))
}

// Folders are the memories of the folders that a client works in: those it names, or else the
// working directory. The functions must not be nil.
type Folders struct {
	Caller mem.Caller
	// Find finds the stores of a directory; "" is the working directory.
	Find func(dir string) (*layers.Layers, error)
	// Keys returns what seals and opens in stores; nil where nothing does.
	Keys func(*layers.Layers) (ledger.Keys, error)

	mu   sync.Mutex // held while the client is asked, too: all calls wait for that
	dirs []string   // that it works in
	// By directory, until the process ends: a call may go on in any.
	opened map[string]*layers.Layers
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
			return // it goes on with the folders that it knows
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
	l, err := f.openLayers(dirs[0])
	for _, dir := range dirs[1:] {
		if next, nerr := f.openLayers(dir); nerr == nil && (err != nil || l.Sites.Project == nil) &&
			next.Sites.Project != nil {
			l, err = next, nil
		}
	}
	if err != nil {
		return nil, err
	}
	reads, err := l.Reading()
	if err != nil {
		return nil, err
	}
	admits, err := l.Admitted()
	book := func(s *mem.Store) (*ledger.Book, error) {
		keys, err := f.Keys(l)
		return ledger.New(s, f.Caller,
			ledger.Options{Reads: reads, Admits: admits, Keys: keys,
				Project: l.Sites.ProjectMark()}), err
	}
	return &Memory{Caller: f.Caller, Layers: l, Book: book, reads: reads, admits: admits,
		mu: &f.mu}, err
}

// openLayers returns the stores of a directory.
func (f *Folders) openLayers(dir string) (l *layers.Layers, err error) {
	if l = f.opened[dir]; l == nil {
		if l, err = f.Find(dir); err == nil {
			f.opened[dir] = l
		}
	}
	return l, err
}
