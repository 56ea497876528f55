package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
)

// httpFault is an error of a server alone, which has a status of its own.
type httpFault struct {
	fault.Fault
	status int
}

func newFault(kind mem.Kind, status int, why string, do advice.List) *httpFault {
	return &httpFault{fault.Fault{Code: string(kind), Why: why, Do: do}, status}
}

var (
	errNoRoute = newFault(mem.KindNo, http.StatusNotFound, "there is nothing at this path",
		advice.Say("GET /api/v1/openapi.json lists what there is"))
	errMethod = newFault(mem.KindInput, http.StatusMethodNotAllowed, "this path has no such method",
		advice.Say("GET /api/v1/openapi.json lists what there is"))
	errPath = newFault(mem.KindInput, http.StatusBadRequest, "path: want none with //, . or ..",
		advice.Say("a slash in an id is written %2F"))
	errUnauthorized = newFault(mem.KindRefused, http.StatusUnauthorized, "a token is wanted",
		advice.Say("send Authorization: Bearer TOKEN").
			Also(advice.RunAlone("token add", "TENANT", "--agent", "ID").Then(" makes one")))
	errHost = newFault(mem.KindRefused, http.StatusForbidden, "Host: it is no name of this server",
		advice.RunAlone("serve", "--host", "NAME").Then(" adds one"))
	errOrigin = newFault(mem.KindRefused, http.StatusForbidden, "Origin: it is not this server's",
		nil)
	errTenant = newFault(mem.KindRefused, http.StatusForbidden,
		"tenant_id: the token is for another tenant",
		advice.Say("leave it out: the token names it"))
	errAgent = newFault(mem.KindRefused, http.StatusForbidden,
		"agent_id: the token is not for this agent",
		advice.RunAlone("token list").Then(" shows the agents of each"))
	errMetrics = newFault(mem.KindRefused, http.StatusForbidden,
		"the numbers are those of all tenants", advice.Say("ask for them over the unix socket"))
	errRootGone = newFault(mem.KindIO, http.StatusServiceUnavailable,
		"the root of this server is gone", advice.Say("is its disk mounted?"))
	errSlow = newFault(mem.KindInput, http.StatusRequestTimeout,
		"the body did not come to its end in time", nil)
)

// errCrowd is the error of a request whose token, tenant or address has too many.
func errCrowd(kind string, most int) error {
	return newFault(mem.KindLocked, http.StatusTooManyRequests,
		fmt.Sprintf("%d requests of this %s are unfinished, and it may have no more", most, kind),
		advice.Say("ask again when some of them are answered"))
}

// statusOf returns the status of an error, from its exit code.
func statusOf(err error) int {
	if f := (*httpFault)(nil); errors.As(err, &f) {
		return f.status
	}
	if errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, policy.ErrTooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	kind := mem.KindOf(err)
	if errors.As(err, new(*backend.CatchingUpError)) ||
		errors.Is(err, backend.ErrUnavailable) && kind != mem.KindUnknown {
		return http.StatusServiceUnavailable
	}
	if errors.Is(err, syscall.ENOSPC) {
		return http.StatusInsufficientStorage
	}
	return cmp.Or(statuses[kind], http.StatusInternalServerError)
}

// statuses are the statuses of errors by their kinds; others are errors of the server.
var statuses = map[mem.Kind]int{
	mem.KindNo:       http.StatusNotFound,
	mem.KindInput:    http.StatusBadRequest,
	mem.KindRefused:  http.StatusUnprocessableEntity,
	mem.KindConflict: http.StatusConflict,
	mem.KindLocked:   http.StatusLocked,
	mem.KindCanceled: http.StatusLocked,
	mem.KindUnknown:  http.StatusGatewayTimeout,
}

// ErrorReply is what a request that failed is answered with.
type ErrorReply struct {
	Error Failure `json:"error"`
	// Newest is the newest envelope of the key, where a compare-and-set was lost.
	Newest json.RawMessage `json:"newest,omitempty"`
}

// Failure is an error as a program gets it.
type Failure struct {
	mem.Failure
	// Action is the first command of mem that helps; a word in capitals stands for what the caller
	// fills in.
	Action *advice.Command `json:"action,omitempty"`
}

// replyOf returns an error as a program gets it.
func (s *Server) replyOf(caller mem.Caller, err error) ErrorReply {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		err = newFault(mem.KindRefused, http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body is larger than %d MiB", large.Limit>>20), nil)
	}
	do := mem.AdviceOf(err)
	reply := ErrorReply{Error: Failure{mem.FailureOf(err), s.actionOf(do)}}
	if !errors.As(err, new(*httpFault)) {
		reply.Error.Hint = mem.MaskSecrets(do.Plain())
	}
	reply.Error.Message = s.hidePath(reply.Error.Message)
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !lost.Newest.Key.IsZero() &&
		policy.Permits(caller, lost.Newest.Key) {
		reply.Newest = lost.Newest.Line
		reply.Error.Hint = "look at newest, then write with if_ts " + lost.Newest.TS.String()
	}
	return reply
}

// actionOf returns the first command of advice; nil for none, and for one that names the place of a
// memory, which no client has.
func (s *Server) actionOf(do advice.List) *advice.Command {
	c := do.Command()
	if c == nil || slices.Contains(c.Args, "--root") {
		return nil
	}
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		args[i] = s.hidePath(mem.MaskSecrets(arg))
	}
	return &advice.Command{Verb: c.Verb, Args: args}
}

// hidePath returns a text without the path of the root: clients do not get to know it.
func (s *Server) hidePath(text string) string {
	return strings.ReplaceAll(text, s.root.path, "ROOT")
}

// raw is an answer that is JSON already.
type raw []byte

// writeJSON answers a request; status 0: the header is sent.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	doc, err := encode(v)
	if err != nil {
		return err
	}
	return send(w, status, doc)
}

// encode returns an answer as JSON.
func encode(v any) ([]byte, error) {
	if doc, ok := v.(raw); ok {
		return append(doc, '\n'), nil
	}
	doc, err := mem.EncodeJSON(v)
	return append(doc, '\n'), err
}

// send answers a request with JSON; status 0: with the one that there is, or 200.
func send(w http.ResponseWriter, status int, doc []byte) error {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(doc)))
	if status != 0 {
		w.WriteHeader(status)
	}
	_, err := w.Write(doc)
	return err
}
