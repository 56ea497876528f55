package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/readout"
)

// call is one call of a tool.
type call struct {
	*Memory
	server  *server
	request *sdk.CallToolRequest
}

// tool does what one tool is for. Where answer and error come together, the answer says what the
// error is.
type tool struct {
	reads bool // waits for its turn among those that read
	run   func(ctx context.Context, c *call, arguments []byte) (answer any, err error)
}

// with returns what runs a tool whose arguments are of a type.
func with[In any](fn func(context.Context, *call, *In) (any, error)) func(
	context.Context, *call, []byte) (any, error) {
	return func(ctx context.Context, c *call, arguments []byte) (any, error) {
		in := new(In)
		if len(arguments) == 0 {
			arguments = []byte("{}")
		}
		if err := ledger.Decode("arguments", arguments, in); err != nil {
			return nil, err
		}
		return fn(ctx, c, in)
	}
}

// tools are all tools by their names.
var tools = map[string]tool{
	"mem_search": {true, with(search)},
	"mem_get":    {true, with(get)},
	"mem_set":    {false, with(set)},
	"mem_note":   {false, with(addNote)},
	"mem_forget": {false, with(forget)},

	"memory_record_event":    {false, with(recordEvent)},
	"memory_build_acb":       {true, with(buildBundle)},
	"memory_get_artifact":    {true, with(getArtifact)},
	"memory_query_decisions": {true, with(queryDecisions)},

	"save_to_journal": {false, with(saveToJournal)},
	"save_to_core":    {false, with(saveToCore)},
}

// handler returns what answers the calls of a tool. What goes wrong is the tool's answer, for the
// model to read, and no error of the protocol.
func (s *server) handler(name string) sdk.ToolHandler {
	t := tools[name]
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		answer, err := s.call(ctx, t, r)
		if err != nil && answer == nil {
			return s.failed(err), nil
		}
		doc, badAnswer := mem.EncodeJSON(answer)
		if badAnswer != nil {
			return s.failed(badAnswer), nil
		}
		return &sdk.CallToolResult{IsError: err != nil, StructuredContent: json.RawMessage(doc),
			Content: []sdk.Content{&sdk.TextContent{Text: string(doc)}}}, nil
	}
}

// failed returns an error as a model reads it.
func (s *server) failed(err error) *sdk.CallToolResult {
	text := mem.Message(err)
	if hint := hintOf(err); hint != "" {
		text += "\nhint: " + hint
	}
	if s.o.Hide != "" {
		text = strings.ReplaceAll(text, s.o.Hide, "ROOT")
	}
	return &sdk.CallToolResult{IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// panicError is a panic of a tool: of no kind that is known, so a bug.
type panicError struct{ cause any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

// call runs a tool. A panic ends no server.
func (s *server) call(ctx context.Context, t tool, r *sdk.CallToolRequest) (
	answer any, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			answer, err = nil, &panicError{cause}
		}
	}()
	m, err := s.o.Open(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := m.within(ctx)
	defer cancel()
	c := &call{m, s, r}
	if t.reads && m.Turn != nil {
		done, err := m.Turn(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	defer c.tellProgress(ctx)()
	return t.run(ctx, c, r.Params.Arguments)
}

// within returns a context that ends with the request, too.
func (m *Memory) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() bool { return true }
	if m.Request != nil {
		stop = context.AfterFunc(m.Request, func() { cancel(context.Cause(m.Request)) })
	}
	return ctx, func() { stop(); cancel(nil) }
}

// progressEvery is how often a client that asks for it hears that a call goes on.
const progressEvery = time.Second

// tellProgress tells the client now and then that the call goes on, if it asked for that, until what
// is returned is called. An answer over HTTP is one document, and has no room for it.
func (c *call) tellProgress(ctx context.Context) (stop func()) {
	token := c.request.Params.GetProgressToken()
	if token == nil || c.Request != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for n := 1.0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			// Whether it arrives is nothing to the call.
			_ = c.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: n, Message: c.request.Params.Name + " goes on"})
		}
	}()
	return cancel
}

// client returns the name of who calls, as sources have it.
func (c *call) client() string {
	if c.server.o.Client != "" {
		return c.server.o.Client
	}
	if info := c.request.ClientInfo(); info != nil && info.Name != "" {
		return readout.Flatten(info.Name, maxClient)
	}
	return "mcp"
}

// maxClient is the length in characters of the longest name of a client that is stored.
const maxClient = 64

// inputError is something wrong in the arguments; errors.Is(err, mem.ErrInput) holds.
type inputError struct{ what, why, hint string }

func (e *inputError) Error() string { return e.what + ": " + e.why }

// Is makes every inputError bad input.
func (e *inputError) Is(target error) bool { return target == mem.ErrInput }

// ended is what a walk ends with that has seen enough.
var errEnough = errors.New("enough")
