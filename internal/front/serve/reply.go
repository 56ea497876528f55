package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
)

// fault is an error that is one of a server alone.
type fault struct {
	kind      mem.Kind
	status    int
	why, hint string
}

func (f *fault) Error() string { return f.why }

// Kind returns the name of the error's kind.
func (f *fault) Kind() string { return string(f.kind) }

// Hint returns what to do.
func (f *fault) Hint() string { return f.hint }

var (
	errNoRoute = &fault{mem.KindNo, http.StatusNotFound, "there is nothing at this path",
		"GET /api/v1/openapi.json lists what there is"}
	errMethod = &fault{mem.KindInput, http.StatusMethodNotAllowed, "this path has no such method",
		"GET /api/v1/openapi.json lists what there is"}
	errPath = &fault{mem.KindInput, http.StatusBadRequest, "path: want none with //, . or ..",
		"a slash in an id is written %2F"}
	errUnauthorized = &fault{mem.KindRefused, http.StatusUnauthorized, "a token is wanted",
		"send Authorization: Bearer TOKEN; mem token add TENANT --agent ID makes one"}
	errHost = &fault{mem.KindRefused, http.StatusForbidden, "Host: it is no name of this server",
		"mem serve --host NAME adds one"}
	errOrigin = &fault{mem.KindRefused, http.StatusForbidden, "Origin: it is not this server's", ""}
	errTenant = &fault{mem.KindRefused, http.StatusForbidden,
		"tenant_id: the token is for another tenant", "leave it out: the token says which"}
	errAgent = &fault{mem.KindRefused, http.StatusForbidden,
		"agent_id: the token is not for this agent", "mem token list shows the agents of each"}
	errRootGone = &fault{mem.KindIO, http.StatusServiceUnavailable,
		"the root of this server is gone", "is its disk mounted?"}
)

// statusOf returns the status of an error, from its exit code.
func statusOf(err error) int {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f.status
	}
	if errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, policy.ErrTooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.As(err, new(*backend.CatchingUpError)) || errors.Is(err, backend.ErrUnavailable) &&
		mem.KindOf(err) != mem.KindUnknown {
		return http.StatusServiceUnavailable
	}
	if mem.KindOf(err) == mem.KindUnknown {
		return http.StatusGatewayTimeout
	}
	switch mem.KindOf(err).ExitCode() {
	case mem.KindNo.ExitCode():
		return http.StatusNotFound
	case mem.KindInput.ExitCode():
		return http.StatusBadRequest
	case mem.KindRefused.ExitCode():
		return http.StatusUnprocessableEntity
	case mem.KindConflict.ExitCode():
		return http.StatusConflict
	case mem.KindLocked.ExitCode():
		return http.StatusLocked
	}
	if errors.Is(err, syscall.ENOSPC) {
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// ErrorReply is what a request that failed is answered with.
type ErrorReply struct {
	Error mem.Failure `json:"error"`
	// Newest is the newest envelope of the key, where a compare-and-set was lost.
	Newest json.RawMessage `json:"newest,omitempty"`
}

// replyOf returns an error as a program gets it.
func (s *Server) replyOf(caller mem.Caller, err error) ErrorReply {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		err = &fault{mem.KindRefused, http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body is larger than %d MiB", large.Limit>>20), ""}
	}
	reply := ErrorReply{Error: mem.FailureOf(err)}
	if !errors.As(err, new(*fault)) {
		reply.Error.Hint = mem.PlainHint(reply.Error.Hint)
	}
	// Where the files are is nothing to those who ask.
	reply.Error.Message = strings.ReplaceAll(reply.Error.Message, s.root.path, "ROOT")
	var lost *mem.ConflictError
	if errors.As(err, &lost) && !lost.Newest.Key.IsZero() &&
		policy.Permits(caller, lost.Newest.Key) {
		reply.Newest = lost.Newest.Line
		reply.Error.Hint = "look at newest, then write with if_ts " + lost.Newest.TS.String()
	}
	return reply
}

// raw is an answer that is JSON already.
type raw []byte

// writeJSON answers a request.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	doc, ok := v.(raw)
	if !ok {
		var err error
		if doc, err = mem.EncodeJSON(v); err != nil {
			return err
		}
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(doc)+1))
	w.WriteHeader(status)
	_, err := w.Write(append(doc, '\n'))
	return err
}
