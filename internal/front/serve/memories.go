package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Envelope is a memory as it is stored, see log.Envelope.
type Envelope struct {
	Key      keypath.Key     `json:"key"`
	TS       log.Stamp       `json:"ts"`
	Valid    bool            `json:"valid"`
	Source   json.RawMessage `json:"source"`
	Content  json.RawMessage `json:"content"`
	Checksum string          `json:"checksum"`
}

func getMemory(c *call, _ *request.Sender) (any, error) {
	key, err := c.named()
	if err != nil {
		return nil, err
	}
	rec, err := c.store().Get(c.ctx(), c.caller, key, false)
	return raw(rec.Line), err
}

// SetRequest is a memory that is to be stored, as by mem set.
type SetRequest struct {
	request.Sender
	Content    json.RawMessage `json:"content"`
	Source     json.RawMessage `json:"source"` // an object or a text
	IfAbsent   bool            `json:"if_absent,omitempty"`
	IfTS       *log.Stamp      `json:"if_ts,omitempty"`
	Quarantine bool            `json:"quarantine,omitempty"` // without provenance below /untrusted
	Propose    bool            `json:"propose,omitempty"`    // ask for this change of a rule
}

func setMemory(c *call, in *SetRequest) (out mem.Outcome, err error) {
	key, err := c.key()
	switch {
	case err != nil:
		return out, err
	case edit.IsID(key.String()[1:]):
		return out, fault.Input("key "+key.String()[1:],
			"it is an id, and made where it is given",
			advice.Say("POST /api/v1/notes makes a note, and gives it an id"))
	case in.Content == nil:
		return out, fault.Input("content", "it is missing", advice.Say("null deletes the memory"))
	case in.Source == nil:
		return out, fault.Input("source", "it is missing",
			advice.Say("every write names its source"))
	}
	if in.Propose {
		return c.propose("set", key, in.Content, in.Source)
	}
	out, err = c.store().Set(c.ctx(), c.caller,
		mem.Write{Key: key, Content: in.Content, Source: in.Source},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS, Quarantine: in.Quarantine})
	return out, err
}

// propose asks a person for a change of a rule.
func (c *call) propose(verb string, key keypath.Key, text, source []byte) (mem.Outcome, error) {
	p, err := proposal.Add(c.ctx(), c.store(), c.caller, proposal.Change{Verb: verb, Key: key,
		Content: text, Source: source})
	return p.Outcome(), err
}

// DeleteRequest may go with a deletion.
type DeleteRequest struct {
	request.Sender
	Source  json.RawMessage `json:"source,omitempty"` // none: the caller
	IfTS    *log.Stamp      `json:"if_ts,omitempty"`
	Propose bool            `json:"propose,omitempty"` // ask for the deletion of a rule
}

func deleteMemory(c *call, in *DeleteRequest) (any, error) {
	key, err := c.named()
	if err != nil {
		return nil, err
	}
	if in.Propose {
		return c.propose("forget", key, []byte("null"), in.Source)
	}
	op, err := c.store().Begin(c.caller, policy.Rm)
	if err != nil {
		return nil, err
	}
	if in.IfTS != nil {
		return c.deleteIf(op, key, in)
	}
	deleted, missing, err := op.Delete(c.ctx(), "user", []keypath.Key{key}, in.Source)
	if err == nil && len(missing) > 0 {
		err = &mem.NotFoundError{Key: key}
	}
	return mem.NewDeleteReply(deleted, missing), err
}

// deleteIf deletes a memory that has not changed meanwhile.
func (c *call) deleteIf(op *mem.Operation, key keypath.Key, in *DeleteRequest) (any, error) {
	if in.Source == nil {
		in.Source = op.Source("user", "mem rm", "key", key.String())
	}
	out, err := c.store().Set(c.ctx(), c.caller,
		mem.Write{Key: key, Content: []byte("null"), Source: in.Source},
		mem.SetOptions{IfTS: in.IfTS})
	return mem.NewDeleteReply([]mem.Outcome{out}, nil), err
}

// What lists have, unless the request says otherwise, and at most.
const (
	listedKeys = 1_000
	maxKeys    = 100_000
)

// ListRequest asks for the memories below a prefix.
type ListRequest struct {
	request.Sender
	Prefix string `json:"prefix,omitempty"`
	Limit  *int   `json:"limit,omitempty" min:"1" max:"100000"`
}

func listMemories(c *call, in *ListRequest) (list mem.MemoryList, err error) {
	if err := request.Limit(&in.Limit, listedKeys, maxKeys); err != nil {
		return list, err
	}
	prefix, err := keypath.ParsePrefix(in.Prefix)
	if err != nil {
		return list, err
	}
	list.Memories = []mem.Memory{}
	err = c.store().List(c.ctx(), c.caller, mem.Filter{Prefix: prefix, Browse: true},
		func(rec log.Record) error {
			if list.Count++; list.Count <= *in.Limit {
				list.Memories = append(list.Memories, mem.MemoryOf(rec))
			}
			return c.ctx().Err()
		})
	return list, err
}

func searchMemories(c *call) (any, error) {
	if !c.query.Has("q") {
		return c.memorySearch()
	}
	return withQuery(search)(c)
}

func search(c *call, in *session.SearchRequest) (hits mem.SearchResult, err error) {
	if in.IsEmpty() {
		return hits, fault.Input("q", "it is empty", advice.Say("GET /api/v1/memories lists all"))
	}
	if err := request.Limit(&in.Limit, mem.DefaultSearchLimit, maxListed); err != nil {
		return hits, err
	}
	found, near, err := session.Find(c.ctx(), c.store(), c.caller, *in)
	return mem.NewSearchResult(found, near), err
}

// memorySearch returns the memory whose key is spelt as the path of a search.
func (c *call) memorySearch() (any, error) {
	if request.DecodeQuery(c.query, new(request.Sender)) != nil {
		return nil, fault.Input("q", "it is missing", advice.Say("q is the text to search for"))
	}
	c.r.SetPathValue("key", "search")
	return withQuery(getMemory)(c)
}

func buildBundle(c *call, r *bundle.Request) (bundle.Bundle, error) {
	return bundle.Build(c.ctx(), c.book(), *r)
}

// maxListed is how many decisions or hits one answer may have.
const maxListed = 1_000

func queryDecisions(c *call, q *ledger.DecisionQuery) (list ledger.DecisionList, err error) {
	if err := request.Limit(&q.Limit, 100, maxListed); err != nil {
		return list, err
	}
	return c.book().Decisions(c.ctx(), *q)
}

func putTask(c *call, t *ledger.Task) (ledger.TaskReply, error) {
	if t.ID != "" {
		c.status = http.StatusOK
	}
	return c.book().PutTask(c.ctx(), *t)
}

func addNote(c *call, in *note.Request) (mem.NoteReply, error) {
	return edit.Note(c.ctx(), layers.Of(c.store()), c.caller, in)
}

func getChunk(c *call, q *ledger.ChunkQuery) (ledger.ChunkReply, error) {
	q.ID = c.r.PathValue("id")
	return c.book().GetChunk(c.ctx(), *q)
}

func addArtifact(c *call, a *ledger.Artifact) (ledger.Kept, error) {
	body := &sentBody{call: c, r: http.MaxBytesReader(c.w, c.r.Body, ledger.MaxArtifact)}
	kept, err := c.book().AddArtifact(c.ctx(), *a, body)
	if body.err != nil {
		err = bodyError(body.err)
	}
	return kept, err
}

// sentBody is a body that is read elsewhere, and why it broke off. What is done with each part of
// it has a turn; the wait for the next part has none.
type sentBody struct {
	call *call
	r    io.Reader
	err  error
}

func (s *sentBody) Read(p []byte) (int, error) {
	s.call.pass()
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
		return n, err
	}
	turn, late := s.call.server.work.take(s.call.ctx(), s.call.tenant.id, s.call.tokenID())
	if late != nil {
		return 0, late
	}
	s.call.turn = turn
	return n, err
}

// ArtifactQuery asks for the bytes of an artifact.
type ArtifactQuery struct {
	request.Sender
	Channel string `json:"channel,omitempty" enum:"channel"` // "": private
}

func getArtifact(c *call, q *ArtifactQuery) (any, error) {
	id := c.r.PathValue("id")
	r, err := c.book().OpenArtifact(c.ctx(), cmp.Or(q.Channel, "private"), id)
	if err != nil {
		return nil, err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", id))
	_, err = io.Copy(c.w, r)
	if err = errors.Join(err, r.Close()); err != nil && c.w.status != 0 {
		c.w.err = err
		panic(http.ErrAbortHandler) // half of a file must not look whole
	}
	return nil, err
}
