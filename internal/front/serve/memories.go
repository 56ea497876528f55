package serve

import (
	"encoding/json"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
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
}

func setMemory(c *call, in *SetRequest) (out mem.Outcome, err error) {
	key, err := c.key()
	switch {
	case err != nil:
		return out, err
	case edit.IsID(key.String()[1:]):
		return out, &inputError{"key " + key.String()[1:],
			"it is an id, and made where it is given",
			advice.Say("POST /api/v1/notes makes a note, and gives it an id")}
	case in.Content == nil:
		return out, &inputError{"content", "it is missing", advice.Say("null deletes the memory")}
	case in.Source == nil:
		return out, &inputError{"source", "it is missing",
			advice.Say("every write says where it comes from")}
	}
	out, err = c.store().Set(c.ctx(), c.caller,
		mem.Write{Key: key, Content: in.Content, Source: in.Source},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS, Quarantine: in.Quarantine})
	out.Path = "" // of a file that is not the asker's
	return out, err
}

// DeleteRequest may go with a deletion.
type DeleteRequest struct {
	request.Sender
	Source json.RawMessage `json:"source,omitempty"` // none: the agent
	IfTS   *log.Stamp      `json:"if_ts,omitempty"`
}

func deleteMemory(c *call, in *DeleteRequest) (any, error) {
	key, err := c.named()
	if err != nil {
		return nil, err
	}
	op, err := c.store().Begin(c.caller, policy.Rm)
	if err != nil {
		return nil, err
	}
	if in.IfTS != nil {
		return c.deleteIf(op, key, in)
	}
	deleted, missing, err := op.Delete(c.ctx(), "agent", []keypath.Key{key}, in.Source)
	if err == nil && len(missing) > 0 {
		err = &mem.NotFoundError{Key: key}
	}
	for i := range deleted {
		deleted[i].Path = ""
	}
	return mem.NewDeleteReply(deleted, missing), err
}

// deleteIf deletes what has not changed meanwhile.
func (c *call) deleteIf(op *mem.Operation, key keypath.Key, in *DeleteRequest) (any, error) {
	if in.Source == nil {
		in.Source = op.Source("agent", "mem rm", "key", key.String())
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
		return hits, &inputError{"q", "it is empty", advice.Say("GET /api/v1/memories lists all")}
	}
	if err := request.Limit(&in.Limit, mem.DefaultSearchLimit, maxListed); err != nil {
		return hits, err
	}
	found, err := session.Find(c.ctx(), c.store(), c.caller, *in)
	return mem.NewSearchResult(found), err
}

// memorySearch returns the memory whose key is spelt as the path of a search.
func (c *call) memorySearch() (any, error) {
	if request.DecodeQuery(c.query, new(request.Sender)) != nil {
		return nil, &inputError{"q", "it is missing", advice.Say("q is what is looked for")}
	}
	c.r.SetPathValue("key", "search")
	return withQuery(getMemory)(c)
}
