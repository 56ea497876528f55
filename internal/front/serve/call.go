package serve

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
)

// route is one thing that can be asked for.
type route struct {
	method, path string
	what         string        // a line for people
	isOpen       bool          // of no tenant
	reads        bool          // nothing is stored
	streams      bool          // the body, or the answer, is a file: it has no room
	query        any           // the type of the query; nil: tenant_id and agent_id alone
	in, out      any           // types of body and answer, for openapi.json; nil: none, or no JSON
	lists        bool          // it also takes a list of in, and answers each
	status       int           // of an answer that is none of 200
	admits       bool          // requests without a token, too
	most         int           // bytes of a body; 0: maxBody
	lasts        time.Duration // how long it may take; 0: requestTime
	front        func(http.ResponseWriter, *http.Request) error
	serve        func(*call) (any, error)
}

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
	text   []byte  // the body, unless it streams
	claim  *claim  // of the bytes in memory

	turn    func() // ends its turn; nil: it has none
	decoded func() // ends its turn to decode; nil: it has none
}

func (s *Server) serve(_ http.ResponseWriter, r *http.Request, rt *route) {
	w := watchedOf(r.Context())
	c := &call{server: s, route: rt, w: w, r: r, token: tokenOf(r),
		status: max(rt.status, http.StatusOK),
		claim:  &claim{room: s.room, parties: partiesOf(r, connOf(r))}}
	w.call = c
	defer c.close()
	answer, err := c.run()
	var doc []byte
	if err == nil && w.status == 0 && rt.front == nil {
		doc, err = c.encode(answer)
	}
	c.pass() // a slow reader of the answer delays no other request
	if err != nil && statusOf(err) == http.StatusTooManyRequests {
		c.claim.end()
		s.refuse(w, r, err)
		return
	}
	if err != nil {
		s.fail(w, c.caller, err)
		return
	}
	if doc != nil {
		w.err = send(w, c.status, doc)
	}
}

// run reads the body and answers. The time of the request begins with the end of its body.
func (c *call) run() (answer any, err error) {
	if c.query, err = url.ParseQuery(c.r.URL.RawQuery); err != nil {
		return nil, fault.Input("query", "it is not encoded as one",
			advice.Say("write %25 for a % and %3B for a ;"))
	}
	if err := c.checkQuery(); err != nil && c.route.front == nil {
		return nil, err
	}
	if c.route.streams {
		return c.route.serve(c)
	}
	if c.r.ContentLength != 0 && !c.route.admits { // a page knows first who sends it
		if c.text, err = c.readAll(cmp.Or(c.route.most, maxBody)); err != nil {
			return nil, err
		}
		c.r.Body = io.NopCloser(bytes.NewReader(c.text))
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), cmp.Or(c.route.lasts, requestTime))
	defer cancel()
	c.r = c.r.WithContext(ctx)
	if err := c.takeDecoding(); err != nil {
		return nil, err
	}
	return c.route.serve(c)
}

// takeDecoding waits for a turn to decode a long body. It ends when the memory is opened, before
// the request waits for its work.
func (c *call) takeDecoding() error {
	if len(c.text) < smallBody {
		return nil
	}
	tenant := c.query.Get("tenant_id")
	if c.token != nil {
		tenant = c.token.Tenant
	}
	done, err := c.server.decodes.take(c.ctx(), tenant, c.tokenID())
	if err == nil {
		c.decoded = sync.OnceFunc(done)
	}
	return err
}

// encode returns an answer as JSON that has its room: while it waits for a slow reader, too.
func (c *call) encode(answer any) ([]byte, error) {
	doc, err := encode(answer)
	if err == nil && len(doc) > smallBody {
		err = c.claim.add(len(doc))
	}
	return doc, err
}

// tokenID returns the id of the token, "" without one.
func (c *call) tokenID() string {
	if c.token == nil {
		return ""
	}
	return c.token.ID
}

// take waits for the turn of a request: where reads are to find all that they need, until that is
// made. Short writes wait for the disk, most of the time, and have turns of their own.
func (c *call) take(ctx context.Context, reads bool) (done func(), err error) {
	if reads {
		if err := c.server.warm(ctx, c.tenant); err != nil {
			return nil, err
		}
	}
	queue := c.server.work
	if !reads && len(c.text) < smallBody {
		queue = c.server.writes
	}
	return queue.take(ctx, c.tenant.id, c.tokenID())
}

// pass lets the next one work.
func (c *call) pass() {
	c.endDecoding()
	if c.turn != nil {
		c.turn()
		c.turn = nil
	}
}

// endDecoding lets the next one decode.
func (c *call) endDecoding() {
	if c.decoded != nil {
		c.decoded()
	}
}

// checkQuery refuses what a route without a query of its own does not take, for it is misspelt.
func (c *call) checkQuery() error {
	switch {
	case c.route.query != nil:
		return nil // where it is decoded
	case c.route.isOpen:
		return request.DecodeQuery(c.query, new(struct{}))
	}
	return request.DecodeQuery(c.query, new(request.Sender))
}

// ctx ends when the request is over, or nobody waits for its answer.
func (c *call) ctx() context.Context { return c.r.Context() }

// open opens the memory that a request is for. of is what the body says.
func (c *call) open(of request.Origin) (err error) {
	if c.caller, err = c.name(of); err != nil {
		return err
	}
	if err := c.acquire(); err != nil || c.route.streams {
		return err
	}
	c.turn, err = c.take(c.ctx(), c.route.reads)
	return err
}

// name returns the caller that sent the request.
func (c *call) name(of request.Origin) (who mem.Caller, err error) {
	tenant, err := tenantOf(c.token, of.Tenant, c.query.Get("tenant_id"))
	if err != nil {
		return who, err
	}
	agent, err := agentOf(c.token, of.Agent, c.query.Get("agent_id"))
	who = mem.Caller{Tenant: tenant, Session: of.Session, Agent: agent, Channel: "http",
		Client: clientOf(c.token)}
	if c.token != nil {
		who.Member = c.token.Name()
	}
	return who, err
}

// clientOf returns the program that a request comes from in place of a person. A person's token
// says that it is one.
func clientOf(token *Token) string {
	if token != nil && token.Person {
		return ""
	}
	return policy.OverHTTP
}

// acquire opens the memory of the caller's tenant.
func (c *call) acquire() (err error) {
	c.endDecoding()
	c.w.tenant, c.w.agent = c.caller.Tenant, c.caller.Agent
	if err = c.server.root.check(); err == nil {
		c.tenant, err = c.server.tenants.acquire(c.caller.Tenant)
	}
	return err
}

func (c *call) close() {
	c.pass()
	c.claim.end()
	if c.tenant != nil {
		c.server.tenants.release(c.tenant)
	}
}

func (c *call) store() *mem.Store { return c.tenant.store }

func (c *call) book() *ledger.Book {
	return ledger.New(c.store(), c.caller, ledger.Options{Keys: c.server.o.Keys,
		IDs: c.server.ids, Cache: c.server.cache})
}

// body returns the body; one that is empty as {}.
func (c *call) body() []byte {
	if len(c.text) == 0 {
		return []byte("{}")
	}
	return c.text
}

func (c *call) decode(into any) error { return request.Decode("body", c.body(), into) }

// requestFor is a pointer to a request that names its sender.
type requestFor[In any] interface {
	*In
	request.Request
}

// withBody returns a route whose body is a request, which fn answers from the memory it is for.
func withBody[In, Out any, P requestFor[In]](fn func(*call, *In) (Out, error)) func(*call) (
	any, error) {
	return answering[In, Out, P]((*call).decode, fn)
}

// withQuery is withBody for a request in the query.
func withQuery[In, Out any, P requestFor[In]](fn func(*call, *In) (Out, error)) func(*call) (
	any, error) {
	read := func(c *call, in any) error { return request.DecodeQuery(c.query, in) }
	return answering[In, Out, P](read, fn)
}

func answering[In, Out any, P requestFor[In]](read func(*call, any) error,
	fn func(*call, *In) (Out, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		in := new(In)
		if err := read(c, in); err != nil {
			return nil, err
		}
		if err := c.open(P(in).From()); err != nil {
			return nil, err
		}
		return fn(c, in)
	}
}

// toBook returns what answers a request that a method of a book takes.
func toBook[In, Out any](fn func(*ledger.Book, context.Context, In) (Out, error)) func(
	*call, *In) (Out, error) {
	return func(c *call, in *In) (Out, error) { return fn(c.book(), c.ctx(), *in) }
}

// key returns the key in the path of a request.
func (c *call) key() (keypath.Key, error) { return keypath.Parse("/" + c.r.PathValue("key")) }

// named returns the key of the memory that the path of a request names; the store is open.
func (c *call) named() (keypath.Key, error) {
	key, err := c.key()
	if name := key.String(); err == nil && edit.IsID(name[1:]) {
		return edit.Named(c.ctx(), c.store(), c.caller, name[1:])
	}
	return key, err
}

// Front is another way to use the memories of a server, which a package above this one provides.
// The parameters of its requests are its own business.
type Front struct {
	// Path is where it is; with a slash at its end, so is all below.
	Path string
	// Most is how many bytes a body may have; 0: as many as that of a route. It is read before
	// Serve is called.
	Most int
	// Lasts is how long a request may take; 0: as one of a route.
	Lasts time.Duration
	// Admits is whether it admits requests by itself: over TCP they need no token.
	Admits bool
	// Serve answers a request; where it returns an error and has answered nothing, the error is
	// answered as by any other route.
	Serve func(w http.ResponseWriter, r *http.Request) error
}

func serveFront(c *call) (any, error) { return nil, c.route.front(c.w, c.r) }

// CallerOf returns the caller of a request to a front, by the context of the request: the token or
// the query names the tenant, and perhaps the agent. The error wraps mem.ErrInput, or is of kind
// refused: of a request without a token, too, which a front may have let in.
func CallerOf(ctx context.Context) (mem.Caller, error) {
	c := watchedOf(ctx).call
	if c.token == nil && !isTrusted(c.r) {
		return mem.Caller{}, errUnauthorized
	}
	return c.name(request.Origin{Session: c.query.Get("session_id")})
}

// Memory is that of a tenant, open for a front.
type Memory struct {
	Store *mem.Store
	Book  *ledger.Book
	call  *call
	long  func() // ends the turn of a long answer; nil: it has none
}

// Open opens the memory of the caller's tenant for a request to a front. The front closes it before
// it answers.
func Open(ctx context.Context, caller mem.Caller) (*Memory, error) {
	c := *watchedOf(ctx).call // which goes on without this memory
	c.caller, c.claim = caller, &claim{room: c.server.room}
	if err := c.acquire(); err != nil {
		return nil, err
	}
	return &Memory{Store: c.store(), Book: c.book(), call: &c}, nil
}

// Close is the end of its use.
func (m *Memory) Close() {
	if m.long != nil {
		m.long()
	}
	m.call.close()
}

// Long waits until a command may print much: it has a turn until the memory is closed. The error is
// the cause of ctx.
func (m *Memory) Long(ctx context.Context) (err error) {
	if m.long == nil {
		m.long, err = m.call.server.answers.take(ctx, m.call.tenant.id, m.call.tokenID())
	}
	return err
}

// Turn waits for a turn among all that is worked on, and where the work reads until there is a
// state to read from. Unless there is an error, that of ctx, done ends the turn. A request of
// several parts has a turn for each of them.
func (m *Memory) Turn(ctx context.Context, reads bool) (done func(), err error) {
	return m.call.take(ctx, reads)
}

// Encode returns the answer to a request to a front as JSON that has its room, for Send. It is made
// within the turn of its request.
func Encode(ctx context.Context, v any) ([]byte, error) { return watchedOf(ctx).call.encode(v) }

// Send answers a request to a front with JSON.
func Send(ctx context.Context, doc []byte) error { return send(watchedOf(ctx), 0, doc) }
