package mcp

import (
	"cmp"
	"context"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/ledger"
)

// Memory is what a request works on, for who sent it.
type Memory struct {
	Caller mem.Caller
	Layers *mem.Layers
	// Book returns what keeps events, decisions and artifacts in a store of the layers.
	Book func(*mem.Store) (*ledger.Book, error)
	// Turn waits for a turn among those that read, which done ends; nil: nobody has to wait.
	Turn func(context.Context) (done func(), err error)

	reads   *mem.Store      // all layers as one
	request context.Context // over HTTP that of the request; else nil
	mu      *sync.Mutex     // guards the layers, which one goroutine may use
}

// place is one of the stores of a memory.
type place struct {
	*mem.Store
	key   keypath.Key // that was asked for
	site  *layer.Site
	layer string // "" where there is one store
}

// at returns where a new memory goes that lies at or below a key; with holding where the key has one
// already, if it does.
func (m *Memory) at(ctx context.Context, key string, holding bool) (p place, err error) {
	if p.key, err = keypath.ParseShown(key); err != nil {
		return p, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if holding {
		p.site, _, err = m.Layers.Holding(ctx, m.Caller, p.key)
	} else {
		p.site, err = m.Layers.For(p.key)
	}
	if err != nil {
		return p, err
	}
	if m.Layers.Layered() {
		p.layer = p.site.Layer
	}
	p.Store, err = m.Layers.Open(p.site)
	return p, err
}

// Folders are the memories of the folders that a client works in: those it names, or else the
// working directory. The functions must not be nil.
type Folders struct {
	Caller mem.Caller
	// Find finds the stores of a directory; "" is the working directory.
	Find func(dir string) (*mem.Layers, error)
	// Keys returns what seals and opens in stores; nil where nothing does.
	Keys func(*mem.Layers) (ledger.Keys, error)

	mu     sync.Mutex             // held while the client is asked, too: calls wait until it is known
	dirs   []string               // that it works in
	opened map[string]*mem.Layers // by directory: what runs goes on with what it began with
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
				f.dirs = append(f.dirs, filepath.FromSlash(u.Path))
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

// close closes all that was opened.
func (f *Folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.opened {
		l.Close() // what was acknowledged is on disk
	}
}
