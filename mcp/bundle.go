package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/set-memory/mem/bundle"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/log"
)

// book returns the book that writes where records of a namespace go.
func (c *call) book(space string) (*ledger.Book, error) {
	key, err := keypath.Parse(space)
	if err != nil {
		return nil, err
	}
	at, err := c.For(key)
	if err != nil {
		return nil, err
	}
	return c.Book(at.Store)
}

// errTenant refuses a request that names a tenant which is not the caller's.
var errTenant error = &inputError{"tenant_id", "it is another one's", "leave it out"}

// own checks whose a record says it is, and sets what it does not say.
func (c *call) own(tenant string, agent *string) error {
	if tenant != "" && tenant != c.Caller.Tenant {
		return errTenant
	}
	*agent = cmp.Or(*agent, c.Caller.Agent)
	if c.Caller.Agent != "" && *agent != c.Caller.Agent {
		return &inputError{"agent_id", "you are " + c.Caller.Agent, "leave it out"}
	}
	return nil
}

func recordEvent(ctx context.Context, c *call, e *ledger.Event) (any, error) {
	if err := c.own(e.Tenant, &e.Agent); err != nil {
		return nil, err
	}
	book, err := c.book(keypath.Events)
	if err != nil {
		return nil, err
	}
	recorded, err := book.Record(ctx, *e)
	if err != nil {
		return nil, err
	}
	return recorded[0], nil
}

func buildBundle(ctx context.Context, c *call, r *bundle.Request) (any, error) {
	if err := c.own(r.Tenant, &r.Agent); err != nil {
		return nil, err
	}
	if r.Agent == "" {
		return nil, &inputError{"agent_id", "it is missing", "say who you are, by any name"}
	}
	book, err := c.book(keypath.Events)
	if err != nil {
		return nil, err
	}
	b, err := bundle.Build(ctx, book, *r)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// artifactRequest is what memory_get_artifact takes.
type artifactRequest struct {
	ID      string `json:"artifact_id"`
	Channel string `json:"channel"`
	Offset  int64  `json:"offset"`
	Limit   *int   `json:"limit"`
}

// artifactReply is a part of an artifact.
type artifactReply struct {
	ID     string `json:"artifact_id"`
	Offset int64  `json:"offset"`
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"` // of what is no text
	Next   int64  `json:"next_offset,omitempty"`
}

func getArtifact(ctx context.Context, c *call, in *artifactRequest) (_ any, err error) {
	limit, err := limitOf(in.Limit, 20_000, 200_000)
	if err != nil {
		return nil, err
	}
	if in.Offset < 0 {
		return nil, &inputError{"offset", "want 0 or more", ""}
	}
	book, err := c.book(keypath.Artifacts)
	if err != nil {
		return nil, err
	}
	r, err := book.OpenArtifact(ctx, cmp.Or(in.Channel, "private"), in.ID)
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	if _, err = io.CopyN(io.Discard, r, in.Offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	part, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	return partOf(in, part, limit), nil
}

// partOf returns a part of an artifact, of which one byte more was read if it has one.
func partOf(in *artifactRequest, part []byte, limit int) artifactReply {
	reply := artifactReply{ID: in.ID, Offset: in.Offset}
	if isCut := len(part) > limit; isCut {
		part = wholeRunes(part[:limit])
		reply.Next = in.Offset + int64(len(part))
	}
	if utf8.Valid(part) {
		reply.Text = string(part)
	} else {
		reply.Base64 = base64.StdEncoding.EncodeToString(part)
	}
	return reply
}

// wholeRunes returns a text that was cut without the beginning of a character at its end. Of what is
// no text nothing is taken away.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i > 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.Valid(b[:i]) && !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// decisionsRequest is what memory_query_decisions takes.
type decisionsRequest struct {
	Query   string `json:"query"`
	Status  string `json:"status"`
	Channel string `json:"channel"`
	Limit   *int   `json:"limit"`
}

// decisionsReply answers it.
type decisionsReply struct {
	Count     int               `json:"count"`
	Decisions []ledger.Decision `json:"decisions"` // never nil
}

func queryDecisions(ctx context.Context, c *call, in *decisionsRequest) (any, error) {
	limit, err := limitOf(in.Limit, 20, 100)
	if err != nil {
		return nil, err
	}
	switch in.Status {
	case "", ledger.Active, ledger.Superseded:
	default:
		return nil, ledger.BadInput("status", in.Status, "want active or superseded")
	}
	book, err := c.book("/decision")
	if err != nil {
		return nil, err
	}
	list, err := book.Decisions(ctx, cmp.Or(in.Channel, "private"), in.Query, in.Status, limit)
	return decisionsReply{len(list), append([]ledger.Decision{}, list...)}, err
}

var _ log.Stamp
