package mcp

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/layer"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/note"
)

// Folders are the memories of the folders that a client works in: those it names, or else the
// working directory. The functions must not be nil.
type Folders struct {
	Caller mem.Caller
	// Find finds the stores of a directory; "" is the working directory.
	Find func(dir string) (*mem.Layers, error)
	// IDs returns how the notes of a store are called.
	IDs func(*layer.Site) note.IDs
	// Keys returns what seals and opens in stores; nil where nothing does.
	Keys func(*mem.Layers) (ledger.Keys, error)

	mu     sync.Mutex
	known  chan struct{}          // closed when the client has said where it works; nil: not asked
	dirs   []string               // that it works in
	opened map[string]*mem.Layers // by directory: what runs goes on with what it began with
}

// rootsTime is how long a client may take to say where it works.
const rootsTime = 5 * time.Second

// ask asks the client where it works, if it can tell; calls that come meanwhile wait.
func (f *Folders) ask(session *sdk.ServerSession) {
	p := session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
		return
	}
	known := make(chan struct{})
	f.mu.Lock()
	f.known = known
	f.mu.Unlock()
	go func() {
		defer close(known)
		ctx, cancel := context.WithTimeout(context.Background(), rootsTime)
		defer cancel()
		list, err := session.ListRoots(ctx, nil)
		if err != nil {
			return // it goes on with what is known
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.dirs = nil
		for _, root := range list.Roots {
			if dir := dirOf(root.URI); dir != "" {
				f.dirs = append(f.dirs, dir)
			}
		}
	}()
}

// dirOf returns the directory of an address; "" for what is none on this machine.
func dirOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // the drive of Windows
	}
	return filepath.FromSlash(path)
}

// Open opens the memory of the folder that the client works in.
func (f *Folders) Open(ctx context.Context) (*Memory, error) {
	f.mu.Lock()
	known := f.known
	f.mu.Unlock()
	if known != nil {
		select {
		case <-known:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l, err := f.find()
	if err != nil {
		return nil, err
	}
	return f.memory(l)
}

// find returns the stores of the first folder that belongs to a project, else those of the first
// one.
func (f *Folders) find() (first *mem.Layers, err error) {
	for _, dir := range f.dirs {
		l, err := f.at(dir)
		if err == nil && (l.Sites.Project != nil || l.Sites.One != nil) {
			return l, nil
		}
		if err == nil && first == nil {
			first = l
		}
	}
	if first != nil {
		return first, nil
	}
	return f.at("")
}

// at returns the stores of a directory.
func (f *Folders) at(dir string) (*mem.Layers, error) {
	if l := f.opened[dir]; l != nil {
		return l, nil
	}
	l, err := f.Find(dir)
	if err != nil {
		return nil, err
	}
	if f.opened == nil {
		f.opened = map[string]*mem.Layers{}
	}
	f.opened[dir] = l
	return l, nil
}

// memory returns stores as what a request works on. The stores may be used by several goroutines,
// the layers by one.
func (f *Folders) memory(l *mem.Layers) (*Memory, error) {
	reads, err := l.Reading()
	if err != nil {
		return nil, err
	}
	place := func(site *layer.Site, err error) (Place, error) {
		if err != nil {
			return Place{}, err
		}
		s, err := l.Open(site)
		at := Place{Store: s, IDs: f.IDs(site)}
		if l.Layered() {
			at.Layer = site.Layer
		}
		return at, err
	}
	return &Memory{
		Caller: f.Caller, Reads: reads, Project: l.Sites.Name(),
		For: func(key keypath.Key) (Place, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			return place(l.For(key))
		},
		Holding: func(ctx context.Context, key keypath.Key) (Place, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			site, _, err := l.Holding(ctx, f.Caller, key)
			return place(site, err)
		},
		Book: func(s *mem.Store) (*ledger.Book, error) {
			keys, err := f.Keys(l)
			return ledger.New(s, f.Caller, ledger.Options{Reads: reads, Keys: keys}), err
		},
	}, nil
}

// Close closes all that was opened.
func (f *Folders) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, l := range f.opened {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
