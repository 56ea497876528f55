package journal

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
)

// MaxText is how many characters (code points) an entry may have.
const MaxText = 10_000

// What the two tools are to a model: their descriptions, and those of what they take.
const (
	JournalTool = "Save a memory to your personal journal. Journal entries are temporary and " +
		"will fade after about a week. Use this for observations, insights, or things you want " +
		"to remember in the short term."
	JournalContent = "The memory to save (keep it concise, under a paragraph)"
	CoreTool       = "Save a memory to your core identity. Core memories are permanent and " +
		"define who you are. Use sparingly for fundamental beliefs, key learnings, or essential " +
		"information about yourself."
	CoreContent = "The core memory to save (keep it concise and meaningful)"
)

// permanent is the note of a success.
const permanent = "This memory is now part of your permanent identity"

// The refusals, in the order in which they are looked for.
var (
	ErrNoAgent error = &fault.Fault{Code: string(mem.KindInput),
		Why: "This tool only works in group conversations", Later: func() advice.List {
			return advice.Shell("--agent or MEM_AGENT names the agent").
				Tools("the user starts this server with --agent NAME to say who you are")
		}}
	ErrBlank   error = &fault.Fault{Code: string(mem.KindInput), Why: "Content cannot be blank"}
	ErrTooLong error = &fault.Fault{Code: string(mem.KindRefused),
		Why: "Content too long (max 10,000 characters)"}
)

// SaveError is a failure of the store to keep a text that may be kept.
type SaveError struct{ cause error }

func (e *SaveError) Error() string {
	messages := strings.ReplaceAll(mem.Message(e.cause), "\n", ", ")
	return "Failed to save: " + messages
}

// Unwrap returns what the store said: it decides the kind and the hint.
func (e *SaveError) Unwrap() error { return e.cause }

// Options go with a text.
type Options struct {
	Agent        string   // whose it is; "": the caller's
	AllowSecrets []string // as in mem.SetOptions
	// Random is where ids come from; nil: the system's, with ids that grow within a process.
	Random io.Reader
}

// ids makes the ids of this process.
var ids ulid.Maker

// Save stores a text as a new entry of a level. The error is ErrNoAgent, ErrBlank or ErrTooLong, in
// this order, a *SaveError, a *policy.PersonError or an *AgentError. Where a *SaveError wraps
// backend.ErrStored the entry is stored, and returned.
func Save(ctx context.Context, s *mem.Store, c mem.Caller, level Level, text string, o Options) (
	m Memory, err error) {
	if c, err = writer(c, o.Agent); err != nil {
		return m, err
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return m, ErrBlank
	case utf8.RuneCountInString(text) > MaxText:
		return m, ErrTooLong
	}
	m = Memory{Agent: c.Agent, Level: level, Text: text}
	if err = m.store(ctx, s, c, o); err != nil {
		err = &SaveError{err}
	}
	return m, err
}

// writer is Acting for a tool, which has a word of its own for that nobody is named.
func writer(c mem.Caller, agent string) (mem.Caller, error) {
	if agent == "" && c.Agent == "" {
		return c, ErrNoAgent
	}
	return Acting(c, agent)
}

// store sets the time and the id of an entry, and stores it.
func (m *Memory) store(ctx context.Context, s *mem.Store, c mem.Caller, o Options) error {
	verb := policy.Journal
	if m.Level == Core {
		verb = policy.Core
	}
	op, err := s.Begin(c, verb, o.AllowSecrets...)
	if err != nil {
		return err
	}
	m.Created = op.Now()
	maker := &ids
	if o.Random != nil {
		maker = &ulid.Maker{Random: o.Random}
	}
	if m.ID, err = maker.New(m.Created.Time()); err != nil {
		return err
	}
	m.Key, _ = keyOf(m.Agent, m.Level, m.ID)
	p, err := op.Check(ctx, mem.Write{Key: m.Key, Content: m.content(),
		Source: op.Source("agent", "mem "+string(m.Level), "agent", m.Agent)}, false)
	if err != nil {
		op.Failed(m.Key, err)
		return err
	}
	written, err := op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
	if len(written) == 1 {
		m.TS = written[0].TS
	}
	return err
}

func (m *Memory) content() []byte {
	var o jsontext.Object
	o.Text("type", string(m.Level))
	o.Text("text", m.Text)
	o.Text("created_at", m.Created.String())
	return o.Bytes()
}

// Reply is what a model reads of a call of the tools: a success, or an error.
type Reply struct {
	Success bool   `json:"success,omitempty"`
	Level   Level  `json:"memory_type,omitempty"`
	Content string `json:"content,omitempty"`
	Expires string `json:"expires_around,omitempty"` // a day in UTC, of the journal
	Note    string `json:"note,omitempty"`           // of the core
	Error   string `json:"error,omitempty"`
}

// NewReply returns the answer to what [Save] returned, or to any other refusal of the call.
func NewReply(m Memory, err error) Reply {
	if err != nil && !errors.Is(err, backend.ErrStored) {
		return Reply{Error: mem.Message(err)}
	}
	r := Reply{Success: true, Level: m.Level, Content: m.Text}
	if m.Level == Core {
		r.Note = permanent
	} else {
		r.Expires = dayOf(min(m.Created+Window, log.MaxStamp))
	}
	return r
}
