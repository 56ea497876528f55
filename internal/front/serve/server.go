package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const (
	// requestTime is how long a request may take, from the end of its body to its answer.
	requestTime = 30 * time.Second
	// shortWrites is how many writes may run: more than wait for one commit of a disk.
	shortWrites = 64
)

// Options are those of a server. The functions must not be nil, but for Compact.
type Options struct {
	Store mem.Options      // of each memory: its clock, and how long a write waits for a lock
	Clock func() time.Time // measures
	Log   *slog.Logger
	Keys  ledger.Keys // seal records of sensitivity high; nil: they are refused
	Hosts []string    // names under which the server is known, besides localhost
	// Fronts are what it serves besides its own routes.
	Fronts []Front
	// Compact compacts the memory below a root, if that is due or always, and returns when that is
	// done or ctx ends.
	Compact func(ctx context.Context, root string, always bool) (done bool, err error)
}

// Server answers requests. See [Server.Run].
type Server struct {
	o           Options
	root        *Root
	tokens      *Tokens
	tenants     *tenants
	compactions *compactions
	metrics     *metrics
	hosts       map[string]bool
	routes      map[string]*route // by the pattern of the mux
	mux         *http.ServeMux
	work        *turns // reads, verbs and long writes
	writes      *turns // short writes
	decodes     *turns // of long bodies
	answers     *turns // of commands that print much
	room        *room
	tcp, unix   *conns
	ids         *ulid.Maker   // of all records
	cache       *ledger.Cache // of all texts
	requests    *ulid.Maker
	signs       time.Duration // how often one is given, see Working
}

// cachedTexts is of how many texts it is remembered how they are cut: some 5 MiB.
const cachedTexts = 40_000

// New returns a server of the memories below a root.
func New(r *Root, o Options) *Server {
	s := &Server{
		o: o, root: r, tokens: NewTokens(r, o.Clock, o.Store.LockWait), mux: http.NewServeMux(),
		routes: map[string]*route{}, hosts: map[string]bool{"localhost": true},
		work:   newTurns(max(4, 2*runtime.GOMAXPROCS(0)), o.Clock),
		writes: newTurns(shortWrites, o.Clock), room: newRoom(),
		decodes: newTurns(max(2, runtime.GOMAXPROCS(0)), o.Clock),
		answers: newTurns(longAnswers, o.Clock),
		ids:     &ulid.Maker{}, cache: ledger.NewCache(cachedTexts), requests: &ulid.Maker{},
		signs: signTime,
	}
	for _, host := range o.Hosts {
		s.hosts[canonicalHost(host)] = true
	}
	s.writes.giveWay(s.work, runtime.GOMAXPROCS(0))
	most := maxConns()
	s.tcp, s.unix = newConns(most, o.Clock), newConns(most, o.Clock)
	s.tenants = newTenants(s.openStore)
	s.metrics = newMetrics(s.tenants.count)
	s.compactions = newCompactions(&o, s.metrics.compaction)
	for i := range routes {
		s.handle(&routes[i])
	}
	for _, f := range o.Fronts {
		s.handle(&route{path: f.Path, admits: f.Admits, most: f.Most, lasts: f.Lasts,
			front: f.Serve, serve: serveFront})
	}
	return s
}

func (s *Server) handle(rt *route) {
	pattern := strings.TrimSpace(rt.method + " " + rt.path)
	s.routes[pattern] = rt
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, rt)
	})
}

// openStore opens the memory of a tenant.
func (s *Server) openStore(id string) (*mem.Store, error) {
	root, err := s.root.TenantPath(id)
	if err != nil {
		return nil, err
	}
	o := s.o.Store
	told := s.o.Log.With("tenant", id)
	o.Log, o.OnBegin, o.Elsewhere = told, session.Tend, true
	o.Warn = func(msg string) { told.Warn(mem.MaskSecrets(msg)) }
	o.OnCompactionDue = func() { s.compactions.start(id, root, false) }
	o.OnStored = func(written []log.Envelope) {
		n := 0
		for _, env := range written {
			if env.Key.Class() == keypath.Event {
				n++
			}
		}
		s.metrics.stored(n)
	}
	return mem.Open(root, o)
}

// Close stops compactions and releases the memories. Nothing is served any more.
func (s *Server) Close() {
	s.compactions.close()
	s.tenants.close()
	s.tokens.Close()
}

// ServeHTTP answers a request, and says so in the log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := s.o.Clock()
	seen := &watched{ResponseWriter: w, id: s.requestID(r)}
	seen.Header().Set("X-Request-Id", seen.id)
	seen.Header().Set("X-Content-Type-Options", "nosniff")
	seen.Header().Set("Cache-Control", "no-store")
	r = r.WithContext(context.WithValue(r.Context(), watchedKey{}, seen))
	defer func() {
		cause := recover()
		if cause != nil && cause != http.ErrAbortHandler {
			s.panicked(seen, cause)
			cause = nil
		}
		s.logRequest(seen, r, s.o.Clock().Sub(began))
		if cause != nil {
			panic(cause) // the server of net/http breaks the connection off
		}
	}()
	err, conn := s.admit(seen, r), connOf(r)
	if err == nil && conn != nil {
		var end func()
		if end, err = s.connsOf(conn).begin(r, conn); err == nil {
			defer end()
		}
	}
	if err != nil {
		s.refuse(seen, r, err)
		return
	}
	s.dispatch(seen, r)
}

// dispatch finds the route. What has none gets an error as any other.
func (s *Server) dispatch(w *watched, r *http.Request) {
	if p := r.URL.Path; p == "" || p[0] != '/' || path.Clean(p) != p && path.Clean(p)+"/" != p {
		s.refuse(w, r, errPath)
		return
	}
	h, pattern := s.mux.Handler(r)
	if pattern != "" {
		w.route = s.routes[pattern]
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := &headOnly{header: http.Header{}}
	h.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		s.refuse(w, r, errNoRoute)
		return
	}
	w.Header().Set("Allow", probe.header.Get("Allow"))
	s.refuse(w, r, errMethod)
}

// headOnly takes the status and the header of an answer that nobody is to get.
type headOnly struct {
	header http.Header
	status int
}

func (h *headOnly) Header() http.Header         { return h.header }
func (h *headOnly) Write(b []byte) (int, error) { return len(b), nil }
func (h *headOnly) WriteHeader(status int)      { h.status = status }

// retryAfter is in how many seconds it is worth asking again, where something is being made.
const retryAfter = "2"

// refuse answers a request that is past a limit, or asks for nothing that there is.
func (s *Server) refuse(w *watched, r *http.Request, err error) {
	if conn := connOf(r); conn != nil {
		s.connsOf(conn).rest(r.Context())
	}
	s.fail(w, mem.Caller{}, err)
}

func (s *Server) fail(w *watched, caller mem.Caller, err error) {
	w.err = err
	if w.status != 0 && !w.signed {
		return // the answer has begun
	}
	status := statusOf(err)
	if w.signed {
		w.status = status // for the log; the client has another one
		_ = writeJSON(w, 0, s.replyOf(caller, err))
		return
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", retryAfter)
	}
	_ = writeJSON(w, status, s.replyOf(caller, err)) // the client is gone if this fails
}

func (s *Server) panicked(w *watched, cause any) {
	err := &panicError{cause}
	s.o.Log.Error("panic", logline.Component, "serve", "request", w.id, "stack", stack())
	s.fail(w, mem.Caller{}, err)
}

// How long a client may take.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	// stopTime is how long a server that is stopped waits for what runs: some more than a request
	// may take, so that its error gets out.
	stopTime = requestTime + 5*time.Second

	maxHeader = 16 << 10
)

// Run serves until ctx ends: it takes no more connections then, finishes what runs and returns nil.
// It closes the listeners and the server. The error is that of a listener.
func (s *Server) Run(ctx context.Context, l *Listeners) error {
	h := s.httpServer()
	failed := make(chan error, len(l.all))
	var serving sync.WaitGroup
	for _, one := range l.all {
		serving.Go(func() {
			if err := h.Serve(one.serving(s.o.Clock)); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		})
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.o.Log.Info("stopping", logline.Component, "serve")
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if late := h.Shutdown(finish); late != nil {
		s.o.Log.Warn("some requests did not end in time", logline.Component, "serve")
		late = h.Close()
		err = errors.Join(err, late)
	}
	serving.Wait()
	s.Close()
	return errors.Join(err, l.Close())
}

// httpServer returns the server of net/http, with its limits. Those of bodies are set while they
// come, and those of answers by their connections.
func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		ConnState:      func(c net.Conn, is http.ConnState) { s.connsOf(c).changed(c, is) },
		ConnContext:    withConn,
		ErrorLog:       slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
}
