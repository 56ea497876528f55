package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var tools = map[string]tool{
	"mem_search":             {"search", "core", true, with(search)},
	"mem_get":                {"get", "core", true, with(get)},
	"mem_set":                {"set", "core", false, with(set)},
	"mem_note":               {"note", "core", false, with(addNote)},
	"mem_forget":             {"forget", "core", false, with(forget)},
	"memory_record_event":    {"event", "bundle", false, toBook(recordEvent)},
	"memory_build_acb":       {"bundle", "bundle", true, with(buildBundle)},
	"memory_get_artifact":    {"artifact", "bundle", true, with(getArtifact)},
	"memory_decide":          {"decide", "bundle", false, with(decide)},
	"memory_query_decisions": {"query", "bundle", true, with(queryDecisions)},
	"save_to_journal":        {"journal", "journal", false, with(save(journal.Journal))},
	"save_to_core":           {"core", "journal", false, with(save(journal.Core))},
	"memory":                 {"memory-tool", "memory", false, runner{run: useFiles}},
}

// hit is a memory in the answer of a search, short: a model pays for all that it reads.
type hit struct {
	mem.Memory
	TS    string    `json:"ts"`
	Time  string    `json:"time,omitempty"`
	Valid *struct{} `json:"valid,omitempty"` // it always is
}

type hits struct {
	Count    int    `json:"count"`
	Memories []hit  `json:"memories"`
	Hint     string `json:"hint,omitempty"`

	Near []mem.NearTerm `json:"near,omitempty"`
}

// search answers with summaries, the best first, or without words and conditions the newest.
func search(ctx context.Context, c *call, in *session.SearchRequest) (any, error) {
	if err := request.Limit(&in.Limit, 10, 100); err != nil {
		return nil, err
	}
	found, near, err := session.Find(ctx, c.reads, c.Caller, *in)
	list := hits{Memories: []hit{}, Hint: c.waiting(), Near: near}
	var tree moved.Tree
	if project := c.Layers.Sites.Project; project != nil {
		tree = moved.NewTree(&c.Layers.Sites, project, project.Folder())
	}
	for _, f := range found {
		h := hit{Memory: c.reads.Describe(f.Record), TS: second(f.Record.TS)}
		h.Remark = tree.Remark(f.Record.Layer, content.Parse(f.Record.Content).Files)
		if h.Memory.Time != nil {
			h.Time = second(*h.Memory.Time)
		}
		list.Memories = append(list.Memories, h)
	}
	list.Count = len(list.Memories)
	return answerOf(list, err)
}

func second(ts log.Stamp) string { return ts.Time().Format(time.RFC3339) }

// keyRequest names a memory, as an answer does.
type keyRequest struct {
	Key string `json:"key"`
}

// forgetRequest is what mem_forget takes.
type forgetRequest struct {
	keyRequest
	Reason  string `json:"reason,omitempty"`
	Propose bool   `json:"propose,omitempty"`
}

func get(ctx context.Context, c *call, in *keyRequest) (any, error) {
	key, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	s, _, err := c.reading(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	rec, err := s.Get(ctx, c.Caller, key, false)
	if err == nil && ledger.IsChunk(in.Key) && key.Class() == keypath.Event {
		rec.Content, err = c.chunk(ctx, in.Key)
	}
	answer := mem.NewVersion(rec)
	answer.Untrusted = !s.Trusts(rec)
	return answerOf(answer, err)
}

// chunk returns a chunk as the content of a memory.
func (c *call) chunk(ctx context.Context, id string) ([]byte, error) {
	book, err := c.book(ctx, nil)
	if err != nil {
		return nil, err
	}
	part, err := book.GetChunk(ctx, ledger.ChunkQuery{ID: id})
	if err != nil {
		return nil, err
	}
	return mem.EncodeJSON(described{Text: &part.Text})
}

// setRequest is what mem_set takes.
type setRequest struct {
	described
	Key      string          `json:"key"`
	Content  json.RawMessage `json:"content,omitempty"`
	Source   *sourceRequest  `json:"source,omitempty"`
	IfAbsent bool            `json:"if_absent,omitempty"`
	IfTS     *log.Stamp      `json:"if_ts,omitempty"`
	Propose  bool            `json:"propose,omitempty"`
}

// described is a content by its usual members.
type described struct {
	Type       string      `json:"type,omitempty"`
	Summary    string      `json:"summary,omitempty"`
	Text       *string     `json:"text,omitempty"`
	Importance json.Number `json:"importance,omitempty"`
	Tags       []string    `json:"tags,omitempty"`
	Expires    *log.Stamp  `json:"expired_at,omitempty"`
}

// sourceRequest says where a memory comes from.
type sourceRequest struct {
	Kind string `json:"kind,omitempty" enum:"source"`
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

func set(ctx context.Context, c *call, in *setRequest) (any, error) {
	key, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	at, err := c.findPlace(ctx, key.String(), false)
	if err != nil {
		return nil, err
	}
	text, err := in.content()
	if err != nil {
		return nil, err
	}
	if in.Propose {
		return at.propose(ctx, c, "set", text)
	}
	out, err := at.Set(ctx, c.Caller, mem.Write{Key: at.key, Content: text,
		Source: c.source(in.Source, at.Store, "", "")},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS})
	out.Path, out.Layer = "", at.layer
	return answerOf(out, err)
}

func (in *setRequest) content() ([]byte, error) {
	text := in.Summary + *cmp.Or(in.Text, new(string))
	switch isDescribed := in.Text != nil || in.Summary != ""; {
	case isDescribed && in.Content != nil:
		return nil, badInput("content", "it is beside text or summary", "give it, or these")
	case !isDescribed && in.Content == nil:
		return nil, badInput("text", "it is missing", "give it, or content")
	case strings.TrimSpace(text) == "" && in.Content == nil:
		return nil, badInput("text", "it is empty", "give what to remember")
	case in.Content != nil && in.Content[0] != '{':
		return nil, badInput("content", "it is no object", "give a JSON object")
	case in.Content != nil:
		return in.Content, nil
	}
	if in.Importance == "1" {
		in.Importance = "1.0" // a whole 1 is one of ten
	}
	return mem.EncodeJSON(in.described)
}

func addNote(ctx context.Context, c *call, in *note.Request) (any, error) {
	in.Source = func(scope string) []byte {
		in.Editor = c.source(nil, nil, "scope", scope)
		return in.Editor
	}
	if project := c.Layers.Sites.Project; project != nil {
		in.Dir = project.Folder() // the client works on the same files
	}
	add, err := c.placeNote(ctx, in)
	if err != nil {
		return nil, err
	}
	reply, err := add(ctx)
	if reply.Error != "" {
		// A specification has the words of the error: where the secret seems to be is beside them.
		where := strings.TrimPrefix(mem.Message(err), reply.Error+": ")
		return map[string]any{"ok": false, "error": reply.Error, "hint": where}, err
	}
	return answerOf(reply, err)
}

func forget(ctx context.Context, c *call, in *forgetRequest) (any, error) {
	key, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	at, err := c.holding(ctx, in.Key, key)
	if err != nil {
		return nil, err
	}
	if in.Propose {
		return at.propose(ctx, c, "forget", []byte("null"))
	}
	op, err := at.Begin(c.Caller, policy.Forget)
	if err != nil {
		return nil, err
	}
	deleted, _, err := op.Delete(ctx, "agent", []keypath.Key{key},
		c.source(nil, at.Store, "reason", in.Reason))
	if err != nil {
		return nil, err
	}
	if len(deleted) == 0 {
		return nil, &mem.NotFoundError{Key: key}
	}
	out := deleted[0]
	out.Path, out.Layer = "", at.layer
	return out, nil
}

// propose asks the user for a change of a rule.
func (p *place) propose(ctx context.Context, c *call, verb string, text []byte) (any, error) {
	made, err := proposal.Add(ctx, p.Store, c.Caller, proposal.Change{Verb: verb, Key: p.key,
		Content: text, Source: c.source(nil, p.Store, "", "")})
	out := made.Outcome()
	out.Layer = p.layer
	return answerOf(out, err)
}

func recordEvent(book *ledger.Book, ctx context.Context, e ledger.Event) (
	recorded ledger.Recorded, err error) {
	list, err := book.Record(ctx, e)
	if err != nil {
		return recorded, err
	}
	return list[0], nil
}

// buildBundle builds a bundle for the caller. Without an agent it goes by the client's name, and
// has nothing that an agent keeps for itself.
func buildBundle(ctx context.Context, c *call, r *bundle.Request) (any, error) {
	book, err := c.book(ctx, r)
	if err != nil {
		return nil, err
	}
	if r.Agent = cmp.Or(r.Agent, c.Caller.Agent); r.Agent == "" {
		if r.Agent = c.client(); journal.CheckAgent(r.Agent) != nil {
			r.Agent = "agent"
		}
	}
	return answerOf(bundle.Build(ctx, book, *r))
}

func getArtifact(ctx context.Context, c *call, in *ledger.PartQuery) (any, error) {
	if ledger.IsID(in.ID) && !strings.HasPrefix(in.ID, keypath.ArtifactID) {
		return nil, badInput("artifact_id", "it is the id of no artifact", "give it to mem_get")
	}
	book, err := c.book(ctx, in)
	if err != nil {
		return nil, err
	}
	return answerOf(book.ReadArtifact(ctx, *in))
}

// filesAnswer is what the memory tool says. As text it is these words alone, which models know.
type filesAnswer struct {
	Text string `json:"text"`
}

// useFiles runs a command on the files below /memories. One that the tool has no words for is
// answered as that of any tool.
func useFiles(ctx context.Context, c *call, arguments []byte) (any, error) {
	at, err := c.findPlace(ctx, keypath.Files, false)
	if err != nil {
		return nil, err
	}
	source := c.source(nil, at.Store, "tool", "memory")
	text, err := memtool.New(at.Store, c.Caller, source).Call(ctx, arguments)
	if err != nil && !errors.As(err, new(*memtool.Error)) {
		return nil, fmt.Errorf("%s: %w", "Error", err) // as the tool's own begin
	}
	return filesAnswer{text}, err
}

// decideRequest is what memory_decide takes.
type decideRequest struct {
	ledger.Decision
	Text string `json:"text"`
}

func decide(ctx context.Context, c *call, in *decideRequest) (any, error) {
	if in.Decision.Text = in.Text; strings.TrimSpace(in.Text) == "" {
		return nil, badInput("text", "it is missing", "give the decision")
	}
	book, err := c.book(ctx, in)
	if err != nil {
		return nil, err
	}
	return answerOf(book.Decide(ctx, in.Decision))
}

func queryDecisions(ctx context.Context, c *call, in *ledger.DecisionQuery) (any, error) {
	if err := request.Limit(&in.Limit, 20, 100); err != nil {
		return nil, err
	}
	book, err := c.book(ctx, in)
	if err != nil {
		return nil, err
	}
	return answerOf(book.Decisions(ctx, *in))
}

// saveRequest is what the tools of the journal take.
type saveRequest struct {
	Content string `json:"content"`
}

// save returns a tool that stores a text. Its errors have the words of the specification.
func save(level journal.Level) func(context.Context, *call, *saveRequest) (any, error) {
	return func(ctx context.Context, c *call, in *saveRequest) (any, error) {
		at, err := c.findPlace(ctx, keypath.AgentPrefix, false)
		if err != nil {
			return nil, err
		}
		m, err := journal.Save(ctx, at.Store, c.Caller, level, in.Content, journal.Options{})
		reply := journal.NewReply(m, err)
		if reply.Success {
			err = nil // it is stored, whatever else
		}
		return reply, err
	}
}
