package page

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
)

// Options are those of a page. The functions must not be nil.
type Options struct {
	// Find returns the stores, found anew. The page closes them.
	Find func() (*layers.Layers, error)
	// Health returns whether all is well with the stores in use, and with the machine.
	Health func(ctx context.Context) []doctor.Check
	Now    func() time.Time // of the stores
	Clock  func() time.Time // by which invitations and sessions end
	// IsKnown reports whether a Host is one of this server's.
	IsKnown func(host string) bool
	// Base is the path below which the page is served, without a slash at its end; "": all of it.
	Base   string
	Caller mem.Caller
	Inbox  *inbox.Inbox // of the facts that hooks propose; nil: none
	Log    *slog.Logger // of what failed
}

// Page answers the requests of browsers. See [New].
type Page struct {
	o       Options
	base    string // the path below which sessions are served: Options.Base and a secret
	mux     *http.ServeMux
	door    *door
	tallies keeper

	// A request holds it to read; finding the stores anew holds it to write.
	mu      sync.RWMutex
	layers  *layers.Layers
	shelves []*shelf
}

// New returns a page of the stores that are found. The error is that of finding them, or of
// opening one that is in use.
func New(o Options) (*Page, error) {
	p := &Page{o: o, base: o.Base + "/" + rand.Text(), mux: http.NewServeMux(),
		door: newDoor(o.Clock)}
	for _, rt := range routes {
		p.mux.HandleFunc(rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			p.visit(w, r, rt)
		})
	}
	return p, p.find()
}

// find finds the stores anew, and closes those that it had.
func (p *Page) find() error {
	layers, err := p.o.Find()
	if err != nil {
		return err
	}
	shelves, err := shelvesOf(layers)
	if err == nil {
		_, err = layers.Reading() // those in use must be there
	}
	if err != nil {
		layers.Close() // nothing was written
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.layers
	p.layers, p.shelves = layers, shelves
	if old != nil {
		p.tallies.wait()
		return old.Close()
	}
	return nil
}

// Close releases the stores. Nothing is served any more.
func (p *Page) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tallies.wait()
	return p.layers.Close()
}

// Warm counts the stores in use, so that the first page need not wait for it.
func (p *Page) Warm(ctx context.Context) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, sh := range p.used() {
		_, _ = p.tallies.count(ctx, sh.store, p.o.Caller) // a page shows the error
	}
}

// Invite returns the path of a one-time URL, which opens a session.
func (p *Page) Invite() string { return p.base + "/enter?once=" + p.door.invite("") }

// InviteWithCode returns the path of a one-time URL that opens a session with a code of 40 random
// bits, which the visitor types.
func (p *Page) InviteWithCode() (path, code string) {
	code = rand.Text()[:8]
	return p.base + "/enter?once=" + p.door.invite(code) + "&code=", code
}

// ServeHTTP answers a request.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	v := &visit{Page: p, w: w, r: r}
	if err := p.admit(r); err != nil {
		v.fail(err)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, p.o.Base+"/"); ok && assets[name] != "" {
		v.sendAsset(name)
		return
	}
	inner := r.Clone(r.Context())
	path, ok := strings.CutPrefix(r.URL.Path, p.base)
	switch inner.URL.Path = path; {
	case !ok:
		v.fail(errSignedOut)
	case path == "":
		http.Redirect(w, r, p.base+"/", http.StatusSeeOther)
	default:
		p.mux.ServeHTTP(w, inner)
	}
}

// route is one thing that a browser can ask for.
type route struct {
	pattern string
	isOpen  bool // without a session
	alone   bool // not while another request is answered
	serve   func(*visit) error
	at      func(*visit, place) error // instead of serve, for requests about one memory
}

// routes are all that can be asked for.
var routes = []route{
	{pattern: "GET /enter", isOpen: true, serve: enter},
	{pattern: "POST /leave", serve: leave},
	{pattern: "POST /undo", serve: undoLast},
	{pattern: "GET /{$}", serve: overview},
	{pattern: "GET /memories", serve: memories},
	{pattern: "GET /memories/deleted", serve: showDeleted},
	{pattern: "GET /memories/new", serve: addForm},
	{pattern: "POST /memories/new", serve: saveNew},
	{pattern: "POST /memories/several", serve: changeSeveral},
	{pattern: "GET /memory", at: showMemory},
	{pattern: "GET /memory/diff", at: showDiff},
	{pattern: "GET /memory/edit", at: editForm},
	{pattern: "POST /memory/edit", at: saveEdit},
	{pattern: "POST /memory/pin", at: pinMemory},
	{pattern: "POST /memory/forget", at: forgetMemory},
	{pattern: "POST /memory/undo", at: undo},
	{pattern: "GET /memory/purge", at: purgeForm},
	{pattern: "POST /memory/purge", at: purgeMemory},
	{pattern: "GET /review", serve: showQueue},
	{pattern: "POST /review/approve", at: approve},
	{pattern: "POST /review/reject", at: reject},
	{pattern: "POST /review/fact", serve: decideFact},
	{pattern: "GET /review/audit", serve: showAudit},
	{pattern: "POST /review/supersede", at: supersede},
	{pattern: "GET /review/trust", serve: showTrust},
	{pattern: "POST /review/trust", alone: true, serve: letIn},
	{pattern: "GET /injected", serve: injected},
	{pattern: "GET /agents", serve: agents},
	{pattern: "GET /agents/{agent}", serve: agentCard},
	{pattern: "GET /agents/{agent}/memories/{id}/delete", serve: askDelete},
	{pattern: "POST /agents/{agent}/memories/{id}/delete", serve: deleteEntry},
	{pattern: "GET /health", serve: health},
	{pattern: "/", isOpen: true, serve: func(*visit) error { return errNoPage }},
}

// visit is a request while it is answered.
type visit struct {
	*Page
	w     http.ResponseWriter
	r     *http.Request
	guest *guest     // nil: nobody came in
	all   *mem.Store // of all stores in use, as one
	asked []waiting  // the proposals
	facts []inbox.Proposal
	// caller has a command of its own, so that mem undo --last takes back what one click did.
	caller mem.Caller
}

// visit answers a request that may be answered.
func (p *Page) visit(w http.ResponseWriter, r *http.Request, rt route) {
	v := &visit{Page: p, w: w, r: r, guest: p.door.guest(r), caller: p.o.Caller}
	v.caller.Command = backend.NewCommand()
	err := v.check(rt)
	if err == nil {
		err = v.run(rt)
	}
	if err != nil {
		v.fail(err)
	}
}

// run calls what answers, while nobody changes which stores there are.
func (v *visit) run(rt route) (err error) {
	if rt.alone || rt.isOpen { // it takes the lock itself, or needs no store
		return rt.serve(v)
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.all, err = v.layers.Reading(); err != nil {
		return err
	}
	v.findProposals()
	v.findFacts()
	if rt.at == nil {
		return rt.serve(v)
	}
	at, err := v.place()
	if err != nil {
		return err
	}
	return rt.at(v, at)
}

// ctx ends when nobody waits for the answer.
func (v *visit) ctx() context.Context { return v.r.Context() }

// redirect goes to another page after an action, with a notice about it.
func (v *visit) redirect(path, notice string) error {
	v.guest.say(notice, nil)
	http.Redirect(v.w, v.r, v.base+path, http.StatusSeeOther)
	return nil
}
