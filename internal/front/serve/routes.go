package serve

import (
	_ "embed" // for openapi.json
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
)

const (
	api        = "/api/v1"
	healthPath = "/healthz"
)

// routes are all that can be asked for. openapi.json is made of them, and of the requests that the
// views declare: go test ./internal/front/serve -run OpenAPI -update writes it anew.
var routes = []route{
	{method: "POST", path: api + "/events", status: http.StatusCreated,
		what: "record an event: a message, a call of a tool, its result; or a list of them",
		in:   ledger.Event{}, out: ledger.Recorded{}, lists: true, serve: recordEvents},
	{method: "POST", path: api + "/acb/build", reads: true,
		what: "build the context for an agent's next call of a model",
		in:   bundle.Request{}, out: bundle.Bundle{}, serve: withBody(buildBundle)},
	{method: "POST", path: api + "/decisions", status: http.StatusCreated,
		what: "store a decision with its evidence",
		in:   ledger.Decision{}, out: ledger.DecisionReply{},
		serve: withBody(toBook((*ledger.Book).Decide))},
	{method: "GET", path: api + "/decisions/query", reads: true,
		what:  "list decisions: with words best first, without words newest first",
		query: ledger.DecisionQuery{}, out: ledger.DecisionList{},
		serve: withQuery(queryDecisions)},
	{method: "POST", path: api + "/tasks", status: http.StatusCreated,
		what: "store a task, or change the one with task_id",
		in:   ledger.Task{}, out: ledger.TaskReply{}, serve: withBody(putTask)},
	{method: "POST", path: api + "/handoffs", status: http.StatusCreated,
		what: "hand a session over to another agent",
		in:   ledger.Handoff{}, out: ledger.HandoffReply{},
		serve: withBody(toBook((*ledger.Book).PutHandoff))},
	{method: "POST", path: api + "/notes", status: http.StatusCreated,
		what: "note a fact down",
		in:   note.Request{}, out: mem.NoteReply{}, serve: withBody(addNote)},
	{method: "POST", path: api + "/artifacts", status: http.StatusCreated, streams: true,
		what:  "keep a file: the body is its bytes",
		query: ledger.Artifact{}, out: ledger.Kept{}, serve: withQuery(addArtifact)},
	{method: "GET", path: api + "/artifacts/{id}", streams: true,
		what: "the bytes of an artifact", query: ArtifactQuery{}, serve: withQuery(getArtifact)},
	{method: "GET", path: api + "/chunks/{id}", reads: true,
		what: "the text of a chunk of an event", query: ledger.ChunkQuery{},
		out: ledger.ChunkReply{}, serve: withQuery(getChunk)},
	{method: "GET", path: api + "/memories", reads: true,
		what:  "list the live memories below a prefix, by key",
		query: ListRequest{}, out: mem.MemoryList{}, serve: withQuery(listMemories)},
	{method: "GET", path: api + "/memories/search", reads: true,
		what: "find memories by their words, best first; " +
			"without q the memory with the key /search",
		query: session.SearchRequest{}, out: mem.SearchResult{}, serve: searchMemories},
	{method: "GET", path: api + "/memories/{key...}", reads: true,
		what: "the newest envelope of a memory, by its key or its id", out: Envelope{},
		serve: withQuery(getMemory)},
	{method: "PUT", path: api + "/memories/{key...}",
		what: "store a memory; content null deletes it",
		in:   SetRequest{}, out: mem.Outcome{}, serve: withBody(setMemory)},
	{method: "DELETE", path: api + "/memories/{key...}",
		what: "delete a memory", in: DeleteRequest{}, out: mem.DeleteReply{},
		serve: withBody(deleteMemory)},
	{method: "GET", path: api + "/openapi.json", isOpen: true,
		what: "this document", serve: func(*call) (any, error) { return raw(openAPI), nil }},
	{method: "GET", path: healthPath, isOpen: true, admits: true,
		what: "whether the server can work; needs no token", out: Health{}, serve: health},
	{method: "GET", path: "/metrics", isOpen: true,
		what:  "numbers of all tenants for Prometheus, over the unix socket alone",
		serve: showMetrics},
}

//go:embed openapi.json
var openAPI []byte

// Health is the answer of a server that can work.
type Health struct {
	Status string `json:"status"` // ok
}

func health(c *call) (any, error) {
	if c.server.root.check() != nil {
		return nil, errRootGone
	}
	if err := c.server.root.Check(c.r.Context()); err != nil {
		return nil, newFault(mem.KindIO, http.StatusServiceUnavailable, mem.Message(err), nil)
	}
	return Health{"ok"}, nil
}

// showMetrics answers the operator. A token is a tenant's, and the numbers show when others work.
func showMetrics(c *call) (any, error) {
	if !isTrusted(c.r) {
		return nil, errMetrics
	}
	c.server.metrics.handler.ServeHTTP(c.w, c.r)
	return nil, nil
}
