package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/request"
)

// recordEvent also takes the agent that an event is by for its sender: its token must be for it.
func recordEvent(c *call) (any, error) {
	e := new(ledger.Event)
	if err := c.decode(e); err != nil {
		return nil, err
	}
	if e.Agent+c.query.Get("agent_id") == "" && e.Actor.Type == "agent" && c.token != nil {
		e.Agent = e.Actor.ID
	}
	if err := c.openFor(e); err != nil {
		return nil, err
	}
	recorded, err := c.book().Record(c.ctx(), *e)
	if err != nil {
		return nil, err
	}
	return recorded[0], nil
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
	return edit.Note(c.ctx(), c.store().Layers(), c.caller, in)
}

func getChunk(c *call, q *ledger.ChunkQuery) (ledger.ChunkReply, error) {
	q.ID = c.r.PathValue("id")
	return c.book().GetChunk(c.ctx(), *q)
}

func addArtifact(c *call, a *ledger.Artifact) (ledger.Kept, error) {
	body := &sentBody{r: http.MaxBytesReader(c.w, c.r.Body, ledger.MaxArtifact)}
	kept, err := c.book().AddArtifact(c.ctx(), *a, body)
	if body.err != nil {
		err = bodyError(body.err)
	}
	return kept, err
}

// sentBody is a body that is read elsewhere, and why it broke off.
type sentBody struct {
	r   io.Reader
	err error
}

func (s *sentBody) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
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
		panic(http.ErrAbortHandler) // what was sent must not look whole
	}
	return nil, err
}
