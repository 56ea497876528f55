package remote

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/logline"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/request"
)

// Runner runs the verb of a request on a memory. The error is a bug, which is in the reply too.
type Runner func(ctx context.Context, caller mem.Caller, m *serve.Memory, in *wire.Request) (
	wire.Reply, error)

// front answers command lines.
type front struct {
	run  Runner
	log  *slog.Logger
	once *once
}

const (
	maxKey = 64
	// maxValues is how many values a request may have: more words, files and variables than one
	// takes. They are counted before it is read, for a value costs more time than its bytes.
	maxValues = 20_000
)

// NewFront returns the front of a server that runs command lines.
func NewFront(run Runner, now func() time.Time, log *slog.Logger) serve.Front {
	f := &front{run: run, log: log, once: newOnce(now)}
	return serve.Front{Path: wire.Path, Most: wire.MaxBody, Lasts: wire.MaxRun, Serve: f.serve}
}

// errLost is the error of a request that was sent again after the server started, or after others
// had so many answers that its own was not kept.
var errLost = fault.New(mem.KindUnknown,
	"its answer is lost, as where the server was started again: it is unknown whether it ran",
	advice.Say("look, and repeat it if it was not"))

// errKey is the error of a request with the key of another one.
var errKey = fault.New(mem.KindInput, "the Idempotency-Key is that of another request", nil)

// errFailed is the error of a request whose verb ended without an answer.
var errFailed = fault.New(mem.KindUnknown, "the verb ended without an answer", nil)

func (f *front) serve(_ http.ResponseWriter, r *http.Request) error {
	caller, err := serve.CallerOf(r.Context())
	if err != nil {
		return err
	}
	if r.Method == http.MethodGet {
		who := wire.Whoami{Tenant: caller.Tenant, Person: caller.Client == "",
			Member: caller.Member}
		if caller.Agent != "" {
			who.Agents = []string{caller.Agent}
		}
		doc, err := serve.Encode(r.Context(), who)
		if err != nil {
			return err
		}
		return serve.Send(r.Context(), doc)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	in, err := read(text, r.Header.Get(keyHeader))
	if err != nil {
		return err
	}
	doc, err := f.answer(r, caller, in, text)
	if err != nil {
		return err
	}
	return serve.Send(r.Context(), doc)
}

// read reads a request, whose error is of kind mem.KindInput.
func read(text []byte, key string) (*wire.Request, error) {
	err := cmp.Or(policy.CheckLength(keyHeader, len(key), maxKey, "bytes"),
		policy.CheckLength("body", bytes.Count(text, []byte(",")), maxValues, "values"))
	if err != nil {
		return nil, err
	}
	in := new(wire.Request)
	if err := request.Decode("body", text, in); err != nil {
		return nil, err
	}
	return in, in.Check()
}

// answer runs a command line in its turn, and returns its reply as JSON.
func (f *front) answer(r *http.Request, caller mem.Caller, in *wire.Request, body []byte) (
	[]byte, error) {
	defer serve.Working(r.Context())()
	getenv := func(name string) string { return in.Env[name] }
	if client, _ := hook.Caller(getenv); client != "" {
		caller.Client = client
	}
	m, err := serve.Open(r.Context(), caller)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	done, err := m.Turn(r.Context(), true)
	if err != nil {
		return nil, err
	}
	defer done()
	reply, err := f.reply(r, caller, m, in, body)
	if err != nil {
		return nil, err
	}
	return serve.Encode(r.Context(), reply)
}

// reply runs a command line once. One whose caller has gone is not begun; from its beginning on it
// runs to its end, for the caller may ask again.
func (f *front) reply(r *http.Request, caller mem.Caller, m *serve.Memory, in *wire.Request,
	body []byte) (wire.Reply, error) {
	run := func() (wire.Reply, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), wire.MaxRun)
		defer cancel()
		reply, bug := f.run(ctx, caller, m, in)
		if bug != nil {
			f.log.Error("panic", logline.Component, "remote", "error", bug.Error())
		}
		return reply, nil
	}
	key := r.Header.Get(keyHeader)
	if key == "" {
		return run()
	}
	// A caller gets no answer to another one.
	key = fmt.Sprintf("%s %s %s %s", caller.Member, caller.Agent, caller.Client, key)
	return f.once.run(caller.Tenant, key, body, r.Header.Get(retryHeader) > "0", run)
}
