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
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// searchRequest is what mem_search takes.
type searchRequest struct {
	Query  string     `json:"query"`
	Types  []string   `json:"types"`
	Tags   []string   `json:"tags"`
	Prefix string     `json:"prefix"`
	Since  *log.Stamp `json:"since"`
	Until  *log.Stamp `json:"until"`
	Limit  *int       `json:"limit"`
}

// hit is a memory as a search tells it: with what it takes to choose one, for a model pays for all
// that it reads.
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
}

// search answers with summaries, the best first, or without words and conditions the newest.
func search(ctx context.Context, c *call, in *searchRequest) (any, error) {
	limit, wrong := limitOf(in.Limit, 10, 100)
	prefix, err := keypath.ParsePrefix("/" + strings.TrimPrefix(in.Prefix, "/"))
	if err = cmp.Or(wrong, err); err != nil {
		return nil, err
	}
	found, err := session.Search(ctx, c.reads, c.Caller, mem.SearchOptions{Query: in.Query,
		Types: in.Types, Tags: in.Tags, Prefix: prefix, Since: in.Since, Until: in.Until,
		Limit: limit, Superseded: true})
	list := hits{Memories: []hit{}, Hint: c.waiting()}
	for _, f := range found {
		if f.Below {
			continue
		}
		h := hit{Memory: mem.MemoryOf(f.Record), TS: second(f.Record.TS)}
		if h.Memory.Time != nil {
			h.Time = second(*h.Memory.Time)
		}
		list.Memories = append(list.Memories, h)
	}
	list.Count = len(list.Memories)
	return answerOf(list, err)
}

func second(ts log.Stamp) string { return ts.Time().Format(time.RFC3339) }

// keyRequest names a memory: by its key, or a note by its id.
type keyRequest struct {
	Key    string `json:"key"`
	Reason string `json:"reason"` // of mem_forget
}

func get(ctx context.Context, c *call, in *keyRequest) (any, error) {
	key, text, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	rec, err := c.reads.Get(ctx, c.Caller, key, false)
	if text != "" && err == nil {
		rec.Content, err = mem.EncodeJSON(described{Text: &text})
	}
	return answerOf(mem.NewVersion(rec), err)
}

// setRequest is what mem_set takes.
type setRequest struct {
	described
	Key      string          `json:"key"`
	Content  json.RawMessage `json:"content"`
	Source   *sourceRequest  `json:"source"`
	IfAbsent bool            `json:"if_absent"`
	IfTS     *log.Stamp      `json:"if_ts"`
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
	Kind string `json:"kind"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

func set(ctx context.Context, c *call, in *setRequest) (any, error) {
	key, _, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	at, err := c.at(ctx, key.String(), false)
	if err != nil {
		return nil, err
	}
	text, err := in.content()
	if err != nil {
		return nil, err
	}
	out, err := at.Set(ctx, c.Caller, mem.Write{Key: at.key, Content: text,
		Source: c.source(in.Source, at.Store, "", "")},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS})
	out.Path, out.Layer = "", at.layer
	return answerOf(out, err)
}

// content returns what is to be stored.
func (in *setRequest) content() ([]byte, error) {
	text := in.Summary + *cmp.Or(in.Text, new(string))
	switch isDescribed := in.Text != nil || in.Summary != ""; {
	case isDescribed && in.Content != nil:
		return nil, badInput("content", "give it or text and summary, not both")
	case !isDescribed && in.Content == nil:
		return nil, badInput("text", "it is missing; give it, or content")
	case strings.TrimSpace(text) == "" && in.Content == nil:
		return nil, badInput("text", "it is empty; give what to remember")
	case in.Content != nil && in.Content[0] != '{':
		return nil, badInput("content", "want an object")
	case in.Content != nil:
		return in.Content, nil
	}
	if in.Importance == "1" {
		in.Importance = "1.0" // a whole 1 is one of ten
	}
	return mem.EncodeJSON(in.described)
}

// noteRequest is what mem_note takes.
type noteRequest struct {
	Text     string   `json:"text"`
	Tags     []string `json:"tags"`
	Scope    string   `json:"scope"`
	Pin      bool     `json:"pin"`
	Replaces []string `json:"replaces"`
}

func addNote(ctx context.Context, c *call, in *noteRequest) (any, error) {
	o := note.Options{Tags: in.Tags, Scope: in.Scope, Pinned: in.Pin}
	for _, name := range in.Replaces {
		key, _, err := c.named(ctx, name)
		if err != nil {
			return nil, err
		}
		o.Replaces = append(o.Replaces, key)
	}
	at, o, err := c.placeNote(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Source = c.source(nil, at.Store, "scope", o.Scope)
	o.Supersede = edit.Superseding(edit.Author{Agent: o.Source})
	added, err := note.Add(ctx, at.Store, c.Caller, in.Text, o)
	if errors.Is(err, policy.ErrSecret) {
		// A specification has the words of the error (N-14): where it seems to be is beside them.
		where := strings.TrimPrefix(mem.Message(err), policy.NoteRefusal+": ")
		return map[string]any{"ok": false, "error": policy.NoteRefusal, "hint": where}, err
	}
	if err != nil {
		return nil, err
	}
	return added.Reply(o, at.layer), nil
}

func forget(ctx context.Context, c *call, in *keyRequest) (any, error) {
	key, _, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	// Without an agent the Store takes the caller for a person, who may delete what agents keep.
	if !policy.Permits(c.Caller, key) {
		return nil, &mem.NotFoundError{Key: key}
	}
	at, err := c.at(ctx, key.String(), true)
	if err != nil {
		return nil, err
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
	for _, out := range deleted {
		out.Path, out.Layer = "", at.layer
		return out, nil
	}
	return nil, &mem.NotFoundError{Key: key}
}

func recordEvent(ctx context.Context, c *call, e *ledger.Event) (any, error) {
	book, err := c.book(ctx, e.Tenant, &e.Agent, keypath.Events)
	if err != nil {
		return nil, err
	}
	recorded, err := book.Record(ctx, *e)
	if err != nil {
		return nil, err
	}
	return recorded[0], nil
}

// buildBundle builds a bundle for who calls. Where nobody says who that is it goes by the client's
// name, and has nothing that an agent keeps for itself.
func buildBundle(ctx context.Context, c *call, r *bundle.Request) (any, error) {
	book, err := c.book(ctx, r.Tenant, &r.Agent, keypath.Events)
	if err != nil {
		return nil, err
	}
	if r.Agent == "" {
		if r.Agent = c.client(); journal.CheckAgent(r.Agent) != nil {
			r.Agent = "agent"
		}
	}
	return answerOf(bundle.Build(ctx, book, *r))
}

// artifactRequest is what memory_get_artifact takes.
type artifactRequest struct {
	ID      string `json:"artifact_id"`
	Channel string `json:"channel"`
	Offset  int64  `json:"offset"` // in bytes
	Limit   *int   `json:"limit"`  // in bytes
}

func getArtifact(ctx context.Context, c *call, in *artifactRequest) (any, error) {
	limit, wrong := limitOf(in.Limit, 20_000, 200_000)
	book, err := c.book(ctx, "", new(string), keypath.Events)
	if err = cmp.Or(wrong, err); err != nil {
		return nil, err
	}
	if ledger.IsID(in.ID) && !strings.HasPrefix(in.ID, keypath.ArtifactID) {
		return nil, badInput("artifact_id", "it is the id of no artifact; give it to mem_get")
	}
	text, next, err := book.ReadArtifact(ctx, cmp.Or(in.Channel, "private"), in.ID, in.Offset,
		limit)
	part := map[string]any{"artifact_id": in.ID, "offset": in.Offset, "text": text}
	if next > 0 {
		part["next_offset"] = next
	}
	return answerOf(part, err)
}

// filesAnswer is what the memory tool says. As text it is these words alone, which models know.
type filesAnswer struct {
	Text string `json:"text"`
}

// useFiles runs a command on the files below /memories. One that the tool has no words for is
// answered as that of any tool.
func useFiles(ctx context.Context, c *call, arguments []byte) (any, error) {
	at, err := c.at(ctx, keypath.Files, false)
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

// decide stores a decision where the one is that it supersedes, if it does.
func decide(ctx context.Context, c *call, in *decideRequest) (any, error) {
	d, where := &in.Decision, "/decision"
	if d.Text = in.Text; strings.TrimSpace(in.Text) == "" {
		return nil, badInput("text", "it is missing; give what was decided")
	}
	if len(d.Supersedes) > 0 {
		where += "/" + d.Supersedes[0]
	}
	book, err := c.book(ctx, d.Tenant, &d.Agent, where)
	if err != nil {
		return nil, err
	}
	id, err := book.Decide(ctx, *d)
	return answerOf(map[string]string{"decision_id": id}, err)
}

// decisionsRequest is what memory_query_decisions takes.
type decisionsRequest struct {
	Query   string `json:"query"`
	Status  string `json:"status"`
	Channel string `json:"channel"`
	Limit   *int   `json:"limit"`
}

func queryDecisions(ctx context.Context, c *call, in *decisionsRequest) (any, error) {
	limit, wrong := limitOf(in.Limit, 20, 100)
	book, err := c.book(ctx, "", new(string), keypath.Events)
	if err = cmp.Or(wrong, err); err != nil {
		return nil, err
	}
	list, err := book.Decisions(ctx, cmp.Or(in.Channel, "private"), in.Query, in.Status, limit)
	return answerOf(map[string]any{"count": len(list),
		"decisions": append([]ledger.Decision{}, list...)}, err)
}

// saveRequest is what the tools of the journal take.
type saveRequest struct {
	Content string `json:"content"`
}

// save returns what stores a text. What is wrong with it is said in the words of the specification
// (J-20).
func save(level journal.Level) func(context.Context, *call, *saveRequest) (any, error) {
	return func(ctx context.Context, c *call, in *saveRequest) (any, error) {
		at, err := c.at(ctx, keypath.AgentPrefix, false)
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
