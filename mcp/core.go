package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/note"
	"github.com/set-memory/mem/policy"
	"github.com/set-memory/mem/readout"
	"github.com/set-memory/mem/session"
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

// searchReply answers it.
type searchReply struct {
	Count    int   `json:"count"`
	Memories []hit `json:"memories"` // never nil
}

// hit is one memory that was found. Its text is cut, for a model pays for all that it reads.
type hit struct {
	Key          keypath.Key `json:"key"`
	TS           log.Stamp   `json:"ts"`
	Type         string      `json:"type,omitempty"`
	Text         string      `json:"text"`
	Score        float64     `json:"score"`
	Layer        string      `json:"layer,omitempty"`
	SupersededBy string      `json:"superseded_by,omitempty"`
}

// limitOf returns how many are asked for.
func limitOf(asked *int, otherwise, most int) (int, error) {
	if asked == nil {
		return otherwise, nil
	}
	if *asked < 1 || *asked > most {
		return 0, &inputError{"limit " + strconv.Itoa(*asked), fmt.Sprintf("want 1 to %d", most),
			""}
	}
	return *asked, nil
}

func search(ctx context.Context, c *call, in *searchRequest) (_ any, err error) {
	o := mem.SearchOptions{Query: in.Query, Types: in.Types, Tags: in.Tags, Since: in.Since,
		Until: in.Until, Superseded: true}
	if o.Limit, err = limitOf(in.Limit, 10, 100); err != nil {
		return nil, err
	}
	if in.Prefix != "" {
		if o.Prefix, err = keypath.ParsePrefix(in.Prefix); err != nil {
			return nil, err
		}
	}
	if strings.TrimSpace(in.Query) == "" && len(in.Types)+len(in.Tags)+len(in.Prefix) == 0 &&
		in.Since == nil && in.Until == nil {
		return nil, &inputError{"query", "it is empty",
			"say what you look for, or give types, tags, prefix, since or until"}
	}
	found, err := session.Search(ctx, c.Reads, c.Caller, o)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f mem.Found) bool { return f.Below })
	reply := searchReply{Memories: []hit{}}
	for _, h := range mem.NewSearchResult(found).Memories {
		reply.Memories = append(reply.Memories, hit{h.Key, h.TS, h.Type, h.Text, h.Score, h.Layer,
			h.SupersededBy})
	}
	reply.Count = len(reply.Memories)
	return reply, nil
}

// keyRequest names a memory.
type keyRequest struct {
	Key    string `json:"key"`
	Reason string `json:"reason"` // of mem_forget
}

// getReply is a whole memory.
type getReply struct {
	Key     keypath.Key     `json:"key"`
	TS      log.Stamp       `json:"ts"`
	Content json.RawMessage `json:"content,omitempty"` // an object
	Value   string          `json:"value,omitempty"`   // JSON that is none
	Source  json.RawMessage `json:"source"`            // an object
	Layer   string          `json:"layer,omitempty"`
}

func get(ctx context.Context, c *call, in *keyRequest) (any, error) {
	key, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	rec, err := c.Reads.Get(ctx, c.Caller, key, false)
	if err != nil {
		return nil, err
	}
	reply := getReply{Key: rec.Key, TS: rec.TS, Source: rec.Source, Layer: rec.Layer}
	if rec.Content[0] == '{' {
		reply.Content = rec.Content
	} else {
		reply.Value = string(rec.Content)
	}
	if len(rec.Source) == 0 || rec.Source[0] != '{' {
		var source jsontext.Object
		source.Text("text", jsontext.Unquote(rec.Source))
		reply.Source = source.Bytes()
	}
	return reply, nil
}

// named returns the key of the memory that is meant: a key, or the id of a note.
func (c *call) named(ctx context.Context, name string) (keypath.Key, error) {
	if name == "" {
		return keypath.Key{}, &inputError{"key", "it is missing", "mem_search finds keys"}
	}
	return note.Resolve(ctx, c.Reads, c.Caller, name)
}

// setRequest is what mem_set takes.
type setRequest struct {
	Key        string          `json:"key"`
	Text       string          `json:"text"`
	Summary    string          `json:"summary"`
	Type       string          `json:"type"`
	Tags       []string        `json:"tags"`
	Importance *float64        `json:"importance"`
	Expires    *log.Stamp      `json:"expires"`
	Content    json.RawMessage `json:"content"`
	Source     *sourceRequest  `json:"source"`
	IfAbsent   bool            `json:"if_absent"`
	IfTS       *log.Stamp      `json:"if_ts"`
}

// sourceRequest says where a memory comes from.
type sourceRequest struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// writeReply answers a write.
type writeReply struct {
	Key   keypath.Key `json:"key"`
	TS    log.Stamp   `json:"ts"`
	Layer string      `json:"layer,omitempty"`
}

func set(ctx context.Context, c *call, in *setRequest) (any, error) {
	key, err := keypath.ParseShown(in.Key)
	if err != nil {
		return nil, err
	}
	text, err := in.content()
	if err != nil {
		return nil, err
	}
	at, err := c.For(key)
	if err != nil {
		return nil, err
	}
	out, err := at.Store.Set(ctx, c.Caller,
		mem.Write{Key: key, Content: text, Source: c.sourceOf(in.Source, at.Store)},
		mem.SetOptions{IfAbsent: in.IfAbsent, IfTS: in.IfTS})
	return writeReply{out.Key, out.TS, at.Layer}, err
}

// content returns what is to be stored.
func (in *setRequest) content() ([]byte, error) {
	described := in.Text + in.Summary
	switch {
	case in.Content != nil && (described != "" || in.Type != "" || in.Tags != nil ||
		in.Importance != nil || in.Expires != nil):
		return nil, &inputError{"content", "it goes alone", "put the rest into it, or leave it out"}
	case in.Content != nil && in.Content[0] != '{':
		return nil, &inputError{"content", "want an object", "mem_forget deletes a memory"}
	case in.Content != nil:
		return in.Content, nil
	case strings.TrimSpace(described) == "":
		return nil, &inputError{"text", "it is missing", "give text, or content"}
	case in.Importance != nil && (*in.Importance < 0 || *in.Importance > 1):
		return nil, &inputError{"importance", "want a number from 0 to 1", ""}
	}
	var o jsontext.Object
	o.TextUnlessEmpty("type", in.Type)
	o.TextUnlessEmpty("summary", in.Summary)
	o.TextUnlessEmpty("text", in.Text)
	if in.Importance != nil {
		// With a point, for a whole 1 is one of ten.
		o.Raw("importance", strconv.AppendFloat(nil, *in.Importance, 'f', decimals(*in.Importance), 64))
	}
	if len(in.Tags) > 0 {
		o.Raw("tags", jsontext.AppendStrings(nil, in.Tags))
	}
	if in.Expires != nil {
		o.Text("expired_at", in.Expires.String())
	}
	return o.Bytes(), nil
}

// decimals returns with how many a number is written: all it has, and one at least.
func decimals(v float64) int {
	if v == float64(int(v)) {
		return 1
	}
	return -1
}

// sourceOf returns the source that a write names, completed, or else who calls.
func (c *call) sourceOf(in *sourceRequest, s *mem.Store) []byte {
	if in == nil {
		return c.source("agent", c.client())
	}
	var named jsontext.Object
	named.TextUnlessEmpty("kind", in.Kind)
	named.TextUnlessEmpty("name", in.Name)
	named.Text("retrieved_at", log.StampOf(s.Now()).String())
	var where jsontext.Object
	where.TextUnlessEmpty("url", in.URL)
	where.Text("via", "mcp")
	where.TextUnlessEmpty("agent", c.Caller.Agent)
	named.Raw("locator", where.Bytes())
	return named.Bytes()
}

// noteRequest is what mem_note takes.
type noteRequest struct {
	Text  string   `json:"text"`
	Tags  []string `json:"tags"`
	Scope string   `json:"scope"`
}

func addNote(ctx context.Context, c *call, in *noteRequest) (any, error) {
	space, err := note.Space(in.Scope)
	if err != nil {
		return nil, err
	}
	at, err := c.For(space)
	if err != nil {
		return nil, err
	}
	id, err := note.Add(ctx, at.Store, c.Caller, in.Text, note.Options{Tags: in.Tags,
		Scope: in.Scope, IDs: at.IDs, Source: c.source("agent", c.client(), "scope", in.Scope)})
	switch {
	case errors.Is(err, policy.ErrSecret):
		return mem.NoteReply{Error: policy.NoteRefusal}, err
	case err != nil:
		return nil, err
	}
	return mem.NoteReply{OK: true, ID: id, Layer: at.Layer}, nil
}

func forget(ctx context.Context, c *call, in *keyRequest) (any, error) {
	key, err := c.named(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	// Who has no agent is a person to the Store, who may delete what agents keep; here it is a model.
	if !policy.Permits(c.Caller, key) {
		return nil, &mem.NotFoundError{Key: key}
	}
	at, err := c.Holding(ctx, key)
	if err != nil {
		return nil, err
	}
	op, err := at.Store.Begin(c.Caller, "forget")
	if err != nil {
		return nil, err
	}
	deleted, _, err := op.Delete(ctx, "agent", []keypath.Key{key},
		c.source("agent", c.client(), "reason", readout.Flatten(in.Reason, maxReason)))
	if err == nil && len(deleted) == 0 {
		err = &mem.NotFoundError{Key: key}
	}
	if err != nil {
		return nil, err
	}
	return writeReply{deleted[0].Key, deleted[0].TS, at.Layer}, nil
}

// maxReason is the length in characters of the longest reason that is kept.
const maxReason = 500

var _ = content.Fields{}
