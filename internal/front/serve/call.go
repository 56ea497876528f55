package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// maxBody is how many bytes a body may have that is JSON.
const maxBody = 2 << 20

// route is one thing that can be asked for.
type route struct {
	method, path string
	what         string   // a line for people
	params       []string // of the query, besides tenant_id and agent_id
	isOpen       bool     // of no tenant
	reads        bool     // waits for its turn among those that read
	in, out      any      // types of body and answer, for openapi.json; nil: none, or no JSON
	status       int      // of an answer that is none of 200
	admits       bool     // who has no token, too
	front        func(http.ResponseWriter, *http.Request) error
	serve        func(*call) (any, error)
}

// Parameters that may be given more than once.
var repeated = []string{"type", "tag", "ref"}

// call is a request while it is served.
type call struct {
	server *Server
	route  *route
	w      *watched
	r      *http.Request
	token  *Token
	query  url.Values
	status int // of the answer
	caller mem.Caller
	tenant *tenant // nil: it is not open

	reading bool // it has one of the turns
}

// serve runs a route.
func (s *Server) serve(_ http.ResponseWriter, r *http.Request, rt *route) {
	w := watchedOf(r.Context())
	c := &call{server: s, route: rt, w: w, r: r, token: tokenOf(r),
		status: max(rt.status, http.StatusOK)}
	w.call = c
	defer c.close()
	answer, err := c.run()
	c.pass() // who reads the answer slowly keeps nobody waiting
	if err != nil {
		s.fail(w, c.caller, err)
		return
	}
	if w.status == 0 && rt.front == nil {
		w.err = writeJSON(w, c.status, answer)
	}
}

func (c *call) run() (answer any, err error) {
	if c.query, err = url.ParseQuery(c.r.URL.RawQuery); err != nil {
		return nil, &inputError{what: "query", why: "it is not encoded as one"}
	}
	if err := c.checkQuery(); err != nil && c.route.front == nil {
		return nil, err
	}
	return c.route.serve(c)
}

// pass lets the next one read.
func (c *call) pass() {
	if c.reading {
		c.reading = false
		<-c.server.reads
	}
}

// checkQuery refuses what a route does not take, for it is misspelt.
func (c *call) checkQuery() error {
	for name, values := range c.query {
		known := slices.Contains(c.route.params, name) ||
			!c.route.isOpen && (name == "tenant_id" || name == "agent_id")
		switch {
		case !known:
			return &inputError{what: fmt.Sprintf("query: %.80q", name), why: "no such parameter"}
		case len(values) > 1 && !slices.Contains(repeated, name):
			return &inputError{what: "query: " + name, why: "it is given twice"}
		}
	}
	return nil
}

// ctx ends when the request is over, or nobody waits for its answer.
func (c *call) ctx() context.Context { return c.r.Context() }

// open opens the memory that a request is for. tenant and agent are what the body says; "" nothing.
func (c *call) open(tenant, agent, session string) (err error) {
	if c.caller, err = c.name(tenant, agent, session); err != nil {
		return err
	}
	if err := c.acquire(); err != nil || !c.route.reads {
		return err
	}
	err = c.server.turn(c.ctx(), c.tenant)
	c.reading = err == nil
	return err
}

// name returns who has sent the request.
func (c *call) name(tenant, agent, session string) (who mem.Caller, err error) {
	if tenant, err = tenantOf(c.token, tenant, c.query.Get("tenant_id")); err != nil {
		return who, err
	}
	agent, err = agentOf(c.token, agent, c.query.Get("agent_id"))
	return mem.Caller{Tenant: tenant, Session: session, Agent: agent, Channel: "http",
		Client: clientOf(c.token)}, err
}

// clientOf returns the program that a request comes from, in place of a person: a person has a token
// that says so.
func clientOf(token *Token) string {
	if token != nil && token.Person {
		return ""
	}
	return "HTTP"
}

// acquire opens the memory of the caller's tenant.
func (c *call) acquire() (err error) {
	c.w.tenant, c.w.agent = c.caller.Tenant, c.caller.Agent
	if err = c.server.root.check(); err == nil {
		c.tenant, err = c.server.tenants.acquire(c.caller.Tenant)
	}
	return err
}

// openQuery is open for a request that has no body.
func (c *call) openQuery() error { return c.open("", "", c.query.Get("session_id")) }

func (c *call) close() {
	c.pass()
	if c.tenant != nil {
		c.server.tenants.release(c.tenant)
	}
}

func (c *call) store() *mem.Store { return c.tenant.store }

func (c *call) book() *ledger.Book {
	return ledger.New(c.store(), c.caller, ledger.Options{Keys: c.server.o.Keys,
		IDs: c.server.ids, Cache: c.server.cache})
}

// decode reads the body; one that is empty as {}.
func (c *call) decode(into any) error {
	text, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if err != nil {
		return bodyError(err)
	}
	if len(text) == 0 {
		text = []byte("{}")
	}
	return ledger.Decode("body", text, into)
}

// bodyError returns the error of a body that did not come as a whole: its sender's fault.
func bodyError(err error) error {
	if errors.As(err, new(*http.MaxBytesError)) {
		return err
	}
	return fmt.Errorf("body: %w: it did not come to its end: %w", mem.ErrInput, err)
}

// withBody returns what serves a route whose body is of a type.
func withBody[T any](fn func(c *call, in *T) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		in := new(T)
		if err := c.decode(in); err != nil {
			return nil, err
		}
		return fn(c, in)
	}
}

// key returns the key in the path of a request.
func (c *call) key() (keypath.Key, error) { return keypath.Parse("/" + c.r.PathValue("key")) }

// named returns the key of the memory that the path of a request names, by its key or by its id;
// the store is open.
func (c *call) named() (keypath.Key, error) {
	key, err := c.key()
	if err != nil {
		return key, err
	}
	switch id := key.String()[1:]; {
	case ledger.IsID(id) && !ledger.IsChunk(id):
		return c.book().KeyOf(c.ctx(), id)
	case note.IsID(id):
		return note.Resolve(c.ctx(), c.store(), c.caller, id)
	}
	return key, nil
}

// number returns a parameter that is a whole number of at least 1; otherwise where there is none.
func (c *call) number(name string, otherwise, most int) (int, error) {
	text := c.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, &inputError{what: fmt.Sprintf("query: %s %.20q", name, text),
			why: fmt.Sprintf("want 1 to %d", most)}
	}
	return n, nil
}

// isSet returns a parameter that is true or false; without a value false.
func (c *call) isSet(name string) (bool, error) {
	switch text := c.query.Get(name); text {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	default:
		return false, &inputError{what: fmt.Sprintf("query: %s %.20q", name, text),
			why: "want true or false"}
	}
}

// instant returns a parameter that is a time; nil for none.
func (c *call) instant(name string) (*log.Stamp, error) {
	text := c.query.Get(name)
	if text == "" {
		return nil, nil
	}
	at, err := log.ParseTime(text)
	if err != nil {
		return nil, fmt.Errorf("query: %s: %w", name, err)
	}
	return &at, nil
}
