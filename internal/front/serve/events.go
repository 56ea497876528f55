package serve

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/request"
)

const maxEvents = 1_000

type sentEvent struct {
	ledger.Event
	err error
}

// recordEvents records the event of a body, or a list of them: a JSON array, or lines.
func recordEvents(c *call) (any, error) {
	text := bytes.TrimSpace(c.body())
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	var sent []sentEvent
	var err error
	switch {
	case kind == "application/x-ndjson":
		sent, err = c.eventLines(text)
	case len(text) > 0 && text[0] == '[':
		sent, err = c.eventArray(text)
	default:
		return c.recordEvent(text)
	}
	if err == nil && len(sent) == 0 {
		err = fault.Input("body", "it is a list without an event", nil)
	}
	if err != nil {
		return nil, err
	}
	c.status = http.StatusOK
	return c.recordEach(sent)
}

// errEvents is the error of a list that is too long.
var errEvents = newFault(mem.KindRefused, http.StatusRequestEntityTooLarge,
	fmt.Sprintf("the list has more than %d events", maxEvents), nil)

func (c *call) recordEvent(text []byte) (any, error) {
	one := c.event("body", text, request.Decode)
	if one.err != nil {
		return nil, one.err
	}
	if err := c.open(one.Event.From()); err != nil {
		return nil, err
	}
	recorded, err := c.book().Record(c.ctx(), one.Event)
	if err != nil {
		return nil, err
	}
	return recorded[0], nil
}

// event reads an event. It also takes the agent that an event is by for its sender: its token must
// be for it.
func (c *call) event(what string, text []byte, decode func(string, []byte, any) error) (
	one sentEvent) {
	one.err = decode(what, text, &one.Event)
	if one.Agent+c.query.Get("agent_id") == "" && one.Actor.Type == "agent" && c.token != nil {
		one.Agent = one.Actor.ID
	}
	return one
}

// eventLines reads a list of lines. One that is too long is not read.
func (c *call) eventLines(text []byte) (sent []sentEvent, err error) {
	if bytes.Count(text, []byte("\n")) >= 2*maxEvents { // half of them may be blank
		return nil, errEvents
	}
	err = mem.EachLine(bytes.NewReader(text), func(n int, line []byte, err error) {
		one := sentEvent{err: err}
		if err == nil {
			one = c.event(fmt.Sprintf("line %d", n), line, request.Decode)
		}
		sent = append(sent, one)
	})
	if err == nil && len(sent) > maxEvents {
		err = errEvents
	}
	return sent, err
}

func (c *call) eventArray(text []byte) (sent []sentEvent, err error) {
	text, err = jsontext.Compact(nil, text)
	if err != nil {
		return nil, fmt.Errorf("body: %w", err)
	}
	for element := range jsontext.Elements(text) {
		if len(sent) == maxEvents {
			return nil, errEvents
		}
		sent = append(sent, c.event(fmt.Sprintf("event %d", len(sent)+1), element,
			request.DecodeCompact))
	}
	return sent, nil
}

// recordEach records the events of a list, those that are good, and answers each: with a
// ledger.Recorded, or an ErrorReply.
func (c *call) recordEach(sent []sentEvent) (any, error) {
	events, err := c.openForAll(sent)
	if err != nil {
		return nil, err
	}
	var results []ledger.Result
	if len(events) > 0 {
		if results, err = c.book().RecordEach(c.ctx(), events); err != nil {
			return nil, err
		}
	}
	replies := make([]any, len(sent))
	for i, one := range sent {
		if one.err == nil {
			replies[i], one.err = results[0].Recorded, results[0].Err
			results = results[1:]
		}
		if one.err != nil {
			replies[i] = c.server.replyOf(c.caller, one.err)
		}
	}
	return replies, nil
}

// openForAll opens the memory that a list is for, for the agent and the session of its events; ""
// where there are several, and returns the good events. One that the token does not permit, or of
// another tenant than the first, has that for its error.
func (c *call) openForAll(sent []sentEvent) (events []ledger.Event, err error) {
	var all *mem.Caller
	for i := range sent {
		one := &sent[i]
		if one.err != nil {
			continue
		}
		caller, err := c.name(one.From())
		switch {
		case err != nil:
			one.err = err
			continue
		case all == nil:
			all = &caller
		case caller.Tenant != all.Tenant:
			one.err = fault.Input("tenant_id", "the events of a list are of one tenant",
				advice.Say("send those of another in a list of their own"))
			continue
		}
		one.Agent = caller.Agent
		events = append(events, one.Event)
		if caller.Agent != all.Agent {
			all.Agent = ""
		}
		if caller.Session != all.Session {
			all.Session = ""
		}
	}
	if all == nil {
		return nil, nil
	}
	c.caller = *all
	if err := c.acquire(); err != nil {
		return nil, err
	}
	c.turn, err = c.take(c.ctx(), false)
	return events, err
}
