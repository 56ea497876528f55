package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// Memory is the memory of one request, with its caller.
type Memory struct {
	Caller mem.Caller
	Layers *layers.Layers
	// Book returns what keeps events, decisions and artifacts in a store of the layers.
	Book func(*mem.Store) (*ledger.Book, error)
	// Turn waits for a turn, among those that read or that write, which done ends; nil: nobody has
	// to wait.
	Turn func(ctx context.Context, reads bool) (done func(), err error)

	reads   *mem.Store      // all layers as one
	admits  *mem.Store      // what a model is shown of it unasked
	request context.Context // over HTTP that of the request; else nil
	mu      *sync.Mutex     // guards the layers, which one goroutine may use
}

// place is one of the stores of a memory.
type place struct {
	*mem.Store
	key   keypath.Key // that was asked for
	site  *site.Site
	layer string // "" where one store is named
}

// findPlace returns where a new memory goes that lies at or below a key; with holding where the key
// has one already, if it does.
func (m *Memory) findPlace(ctx context.Context, key string, holding bool) (p place, err error) {
	if p.key, err = keypath.ParseShown(key); err != nil {
		return p, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if holding {
		p.site, _, err = m.Layers.Holding(ctx, m.Caller, p.key)
	} else {
		p.site, err = m.Layers.SiteFor(p.key)
	}
	if err != nil {
		return p, err
	}
	if m.Layers.Sites.One == nil {
		p.layer = p.site.Layer
	}
	p.Store, err = m.Layers.Open(p.site)
	return p, err
}

// placeNote finds the store that a note goes to, and returns what stores it there.
func (m *Memory) placeNote(ctx context.Context, r *note.Request) (
	func(context.Context) (mem.NoteReply, error), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return edit.PlaceNote(ctx, m.Layers, m.Caller, r)
}

type call struct {
	*Memory
	*server
	request *sdk.CallToolRequest
}

// tool does what one tool is for. An answer beside an error says what the error is.
type tool struct {
	verb  string // that does the same on a command line
	set   string
	reads bool // nothing is stored
	runner
}

// runner runs a tool.
type runner struct {
	in  any // the type of its request, for tools.json; nil: it is described there
	run func(ctx context.Context, c *call, arguments []byte) (answer any, err error)
}

// with returns what runs a tool whose arguments are a request.
func with[In any](fn func(context.Context, *call, *In) (any, error)) runner {
	return runner{*new(In), func(ctx context.Context, c *call, arguments []byte) (any, error) {
		in, text := new(In), cmp.Or(string(arguments), "{}")
		if err := request.Decode("arguments", []byte(text), in); err != nil {
			return nil, err
		}
		if from, ok := any(in).(request.Request); ok {
			if err := c.admit(from); err != nil {
				return nil, err
			}
		}
		return fn(ctx, c, in)
	}}
}

// toBook returns what runs a tool whose request a method of a book answers.
func toBook[In, Out any](fn func(*ledger.Book, context.Context, In) (Out, error)) runner {
	return with(func(ctx context.Context, c *call, in *In) (any, error) {
		book, err := c.book(ctx, in)
		if err != nil {
			return nil, err
		}
		return answerOf(fn(book, ctx, *in))
	})
}

// handler returns what answers the calls of a tool. A panic ends no server.
func (s *server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (res *sdk.CallToolResult, _ error) {
		defer func() {
			if cause := recover(); cause != nil {
				res = s.result(nil, fmt.Errorf("panic: %v", cause))
			}
		}()
		ctx, m, done, err := s.begin(ctx, t.reads)
		if err != nil {
			return s.result(nil, err), nil
		}
		defer done()
		c := &call{m, s, r}
		return s.result(t.run(ctx, c, r.Params.Arguments)), nil
	}
}

// result returns what a model reads, also of an error.
func (s *server) result(answer any, err error) *sdk.CallToolResult {
	text := &sdk.TextContent{}
	result := &sdk.CallToolResult{IsError: err != nil, Content: []sdk.Content{text}}
	if err == nil || answer != nil {
		var doc []byte
		if doc, err = mem.EncodeJSON(answer); err == nil {
			result.StructuredContent, text.Text = json.RawMessage(doc), string(doc)
			if said, ok := answer.(filesAnswer); ok {
				text.Text = said.Text
			}
			return result
		}
	}
	result.IsError, text.Text = true, mem.Message(err)
	if s.Hide != "" {
		text.Text = strings.ReplaceAll(text.Text, s.Hide, "ROOT")
	}
	if hint := s.hintOf(err); hint != "" {
		text.Text += "\nhint: " + hint
	}
	return result
}

// begin returns the memory of a request, once it is its turn if it reads, and the context that it
// goes by. done is the end of it.
func (s *server) begin(ctx context.Context, reads bool) (
	_ context.Context, m *Memory, done func(), err error) {
	if m, err = s.open(ctx); err != nil {
		return ctx, nil, nil, err
	}
	if m.request != nil {
		ctx = m.request // an older client's call goes on in the other one when nobody waits for it
	}
	if m.Turn != nil {
		done, err = m.Turn(ctx, reads)
		return ctx, m, done, err
	}
	return ctx, m, func() {}, nil
}

// waiting says once of each .mem that nobody let in that it is there, and nothing of what it holds.
func (c *call) waiting() string {
	for _, skipped := range c.Layers.Sites.Skipped {
		if _, told := c.told.LoadOrStore(skipped.Root, true); skipped.Untrusted && !told {
			return "this project's memory waits for mem trust, which the user runs in its folder"
		}
	}
	return ""
}

// answerOf returns an answer, or no answer where there is an error.
func answerOf[T any](answer T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// reading returns the store in which a name is looked up, and the user's layer where the name means
// a note of that alone: see note.Reading.
func (c *call) reading(ctx context.Context, name string) (*mem.Store, *site.Site, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return note.Reading(ctx, c.Layers, c.Caller, name)
}

// named returns the key of what a name means that an answer has: see edit.Named, or an address.
func (c *call) named(ctx context.Context, name string) (keypath.Key, error) {
	if key, ok := keyOf(name); ok {
		return key, nil
	}
	s, _, err := c.reading(ctx, name)
	if err != nil {
		return keypath.Key{}, err
	}
	return edit.Named(ctx, s, c.Caller, name)
}

// holding returns the place that has the memory of a name, whose key is known.
func (c *call) holding(ctx context.Context, name string, key keypath.Key) (place, error) {
	at, err := c.findPlace(ctx, key.String(), true)
	if err != nil {
		return at, err
	}
	if _, user, err := c.reading(ctx, name); user == nil || err != nil {
		return at, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at.site, at.layer = c.Layers.Sites.User, policy.UserLayer
	at.Store, err = c.Layers.Open(at.site)
	return at, err
}

// admit refuses a request from another tenant or agent than the caller.
func (c *call) admit(from request.Request) error {
	of := from.From()
	if of.Tenant != "" && of.Tenant != c.Caller.Tenant {
		return badInput("tenant_id", "it is another one's", "give none")
	}
	_, err := policy.Acting(c.Caller, of.Agent)
	return err
}

// book returns the book of the caller for a request.
func (c *call) book(ctx context.Context, in any) (*ledger.Book, error) {
	key := keypath.Events
	if keyed, ok := in.(interface{ Key() string }); ok {
		key = keyed.Key()
	}
	at, err := c.findPlace(ctx, key, true)
	if err != nil {
		return nil, err
	}
	return c.Book(at.Store)
}

// maxText is the length in characters of the longest name or reason that a source has.
const maxText = 200

// client returns the name of the client; "" where it is not known.
func (c *call) client() string {
	if info := c.request.ClientInfo(); c.Client == "" && info != nil {
		return readout.Flatten(info.Name, maxText)
	}
	return c.Client
}

// source returns where a write comes from: the client and the agent, or what the call names. Its
// locator says by what way, and more by a name and a value.
func (c *call) source(named *sourceRequest, s *mem.Store, name, value string) []byte {
	var source, where jsontext.Object
	where.TextUnlessEmpty(name, readout.Flatten(value, maxText))
	where.Text("via", "mcp")
	where.TextUnlessEmpty("agent", c.Caller.Agent)
	where.TextUnlessEmpty("session", c.Session)
	where.TextUnlessEmpty("project", c.Layers.Sites.Name())
	if named != nil {
		where.TextUnlessEmpty("url", named.URL)
		source.TextUnlessEmpty("kind", named.Kind)
		source.TextUnlessEmpty("name", named.Name)
		source.Text("retrieved_at", s.Now().Format(time.RFC3339))
	} else {
		source.Text("kind", "agent")
		source.Text("name", cmp.Or(c.client(), "mcp"))
	}
	source.Raw("locator", where.Bytes())
	return source.Bytes()
}

// hintOf returns what to do about an error with the tools of the server; "" where nobody knows.
func (s *server) hintOf(err error) string {
	do, kind := mem.AdviceOf(err), mem.KindOf(err)
	if text := s.inTools(do, true); text != "" {
		return text
	}
	if kind == mem.KindIO || kind == mem.KindBug {
		return "tell the user; mem doctor says more"
	}
	if text := s.inTools(do, false); text != "" {
		return text
	}
	if kind == mem.KindInput {
		return "the schema of the tool says what it takes"
	}
	return ""
}

// inTools returns the advice that is for models alone, or all other, with the names of tools for
// verbs. Clauses with flags, and with verbs that no tool of the server does, are left out.
func (s *server) inTools(do advice.List, forModels bool) string {
	var clauses []string
	for _, c := range do {
		text, known := "", c.Tools == forModels && !c.Shell
		for _, p := range c.Parts {
			tool := s.toolFor(p.Verb)
			text += p.Text + tool
			known = known && (p.Verb == "" || tool != "")
		}
		if known {
			clauses = append(clauses, text)
		}
	}
	return strings.Join(clauses, "; ")
}

// toolFor returns the name of the tool that does what a verb does; "" for none.
func (s *server) toolFor(verb string) string {
	for name, t := range tools {
		if t.verb == verb && slices.Contains(s.Sets, t.set) {
			return name
		}
	}
	return ""
}

// badInput returns the error for a wrong argument, with what a model can do about it.
func badInput(what, why, do string) error {
	return fault.Input(what, why, advice.List{}.Tools(do))
}

// errEnough ends a walk.
var errEnough = errors.New("enough")
