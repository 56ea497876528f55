package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/view/note"
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

func getMemory(c *call) (any, error) {
	if _, err := c.key(); err != nil {
		return nil, err
	}
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	key, err := c.named()
	if err != nil {
		return nil, err
	}
	rec, err := c.store().Get(c.ctx(), c.caller, key, false)
	return raw(rec.Line), err
}

// SetRequest is a memory that is to be stored, as by mem set.
type SetRequest struct {
	Tenant     string          `json:"tenant_id,omitempty"`
	Agent      string          `json:"agent_id,omitempty"`
	Content    json.RawMessage `json:"content"`
	Source     json.RawMessage `json:"source"` // an object or a text
	IfAbsent   bool            `json:"if_absent,omitempty"`
	IfTS       *log.Stamp      `json:"if_ts,omitempty"`
	Quarantine bool            `json:"quarantine,omitempty"` // without provenance below /untrusted
}

func setMemory(c *call, in *SetRequest) (any, error) {
	key, err := c.key()
	switch {
	case err != nil:
		return nil, err
	case note.IsID(key.String()[1:]):
		return nil, &inputError{"key " + key.String()[1:], "it is the id of a note",
			advice.Say("POST /api/v1/notes makes one, and gives it an id")}
	case in.Content == nil:
		return nil, &inputError{"content", "it is missing",
			advice.Say("null deletes the memory")}
	case in.Source == nil:
		return nil, &inputError{"source", "it is missing",
			advice.Say("every write says where it comes from")}
	}
	if err := c.open(in.Tenant, in.Agent, ""); err != nil {
		return nil, err
	}
	out, err := c.store().Set(c.ctx(), c.caller,
		mem.Write{Key: key, Content: in.Content, Source: in.Source},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS, Quarantine: in.Quarantine})
	out.Path = "" // of a file that is not the asker's
	return out, err
}

// DeleteRequest may go with a deletion.
type DeleteRequest struct {
	Tenant string          `json:"tenant_id,omitempty"`
	Agent  string          `json:"agent_id,omitempty"`
	Source json.RawMessage `json:"source,omitempty"` // none: the agent
	IfTS   *log.Stamp      `json:"if_ts,omitempty"`
}

func deleteMemory(c *call, in *DeleteRequest) (any, error) {
	if _, err := c.key(); err != nil {
		return nil, err
	}
	if err := c.open(in.Tenant, in.Agent, ""); err != nil {
		return nil, err
	}
	key, err := c.named()
	if err != nil {
		return nil, err
	}
	op, err := c.store().Begin(c.caller, "rm")
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

func listMemories(c *call) (any, error) {
	limit, err := c.number("limit", listedKeys, maxKeys)
	if err != nil {
		return nil, err
	}
	prefix, err := keypath.ParsePrefix(c.query.Get("prefix"))
	if err != nil {
		return nil, err
	}
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	list := mem.MemoryList{Memories: []mem.Memory{}}
	err = c.store().List(c.ctx(), c.caller, mem.Filter{Prefix: prefix, Browse: true},
		func(rec log.Record) error {
			if list.Count++; list.Count <= limit {
				list.Memories = append(list.Memories, mem.NewMemory(rec))
			}
			return c.ctx().Err()
		})
	return list, err
}

// sorts are the orders of a search by their names.
var sorts = map[string]mem.Sort{
	"": mem.ByRelevance, "relevance": mem.ByRelevance, "time": mem.ByTime,
	"importance": mem.ByImportance,
}

func searchMemories(c *call) (any, error) {
	if !c.query.Has("q") {
		return c.memorySearch()
	}
	o, err := c.searchOptions()
	if err != nil {
		return nil, err
	}
	if err := c.openQuery(); err != nil {
		return nil, err
	}
	found, err := session.Search(c.ctx(), c.store(), c.caller, o)
	found = slices.DeleteFunc(found, func(f mem.Found) bool { return f.Below })
	return mem.NewSearchResult(found), err
}

// memorySearch returns the memory whose key is spelt as the path of a search.
func (c *call) memorySearch() (any, error) {
	for name := range c.query {
		if name != "tenant_id" && name != "agent_id" {
			return nil, &inputError{"q", "it is missing", advice.Say("q is what is looked for")}
		}
	}
	c.r.SetPathValue("key", "search")
	return getMemory(c)
}

func (c *call) searchOptions() (o mem.SearchOptions, err error) {
	o = mem.SearchOptions{Query: c.query.Get("q"), Tags: c.query["tag"], Superseded: true}
	for _, list := range c.query["type"] {
		o.Types = append(o.Types, strings.Split(list, ",")...)
	}
	if strings.TrimSpace(o.Query) == "" && len(o.Types)+len(o.Tags) == 0 {
		return o, &inputError{"q", "it is empty", advice.Say("GET /api/v1/memories lists all")}
	}
	var known bool
	if o.Sort, known = sorts[c.query.Get("sort")]; !known {
		return o, &inputError{what: fmt.Sprintf("query: sort %.20q", c.query.Get("sort")),
			why: "want relevance, time or importance"}
	}
	if o.Prefix, err = keypath.ParsePrefix(c.query.Get("prefix")); err != nil {
		return o, err
	}
	if text := c.query.Get("min_importance"); text != "" {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > 10 {
			return o, &inputError{what: fmt.Sprintf("query: min_importance %.20q", text),
				why: "want a number from 0 to 10"}
		}
		o.MinImportance = n
	}
	return o, c.searchTimes(&o)
}

// searchTimes reads the parameters of a search that are no texts.
func (c *call) searchTimes(o *mem.SearchOptions) (err error) {
	if o.Since, err = c.instant("since"); err != nil {
		return err
	}
	if o.Until, err = c.instant("until"); err != nil {
		return err
	}
	if o.Explain, err = c.isSet("why"); err != nil {
		return err
	}
	if o.Relevant, err = c.isSet("relevant"); err != nil {
		return err
	}
	o.Limit, err = c.number("limit", mem.DefaultSearchLimit, maxListed)
	return err
}
