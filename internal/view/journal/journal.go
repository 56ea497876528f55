package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Level is how long an entry is kept in prompts.
type Level string

// The levels.
const (
	Journal Level = "journal" // for [Window]
	Core    Level = "core"    // for good
)

// Levels are both, in the order of the page.
var Levels = [...]Level{Core, Journal}

// Window is how long an entry of the journal is active.
const Window = 7 * log.Day

// AgentError is the refusal of what cannot be the id of an agent; errors.Is(err, mem.ErrInput)
// holds.
type AgentError struct{ ID string }

func (e *AgentError) Error() string {
	if e.ID == "" {
		return "agent: none is named"
	}
	return fmt.Sprintf("agent %.80q: want 1 to 64 letters, digits and _ . @ -", e.ID)
}

// Is makes every AgentError bad input.
func (e *AgentError) Is(target error) bool { return target == mem.ErrInput }

// Advice returns how an agent is named.
func (e *AgentError) Advice() advice.List {
	return advice.Shell("--agent NAME or MEM_AGENT names the agent, like ada")
}

// CheckAgent refuses what cannot be the id of an agent, with an *AgentError.
func CheckAgent(id string) error {
	if !ledger.IsAgent(id) {
		return &AgentError{id}
	}
	return nil
}

// Acting returns the caller as the agent whose entries are meant: "" stands for the one that calls.
// The error is a *policy.PersonError or an *AgentError.
func Acting(c mem.Caller, agent string) (mem.Caller, error) {
	c, err := policy.Acting(c, agent)
	if err == nil {
		err = CheckAgent(c.Agent)
	}
	return c, err
}

// Memory is an entry of a journal or core.
type Memory struct {
	Key     keypath.Key
	Agent   string
	Level   Level
	ID      string // the last segment of the key
	Text    string
	Created log.Stamp // as the entry says
	TS      log.Stamp // of the write
}

// Expired reports whether an entry of the journal is older than a week at now.
func (m *Memory) Expired(now log.Stamp) bool {
	return m.Level == Journal && m.Created < now-Window
}

// oldestFirst compares by the time of the entries, then by that of the writes, then by key.
func oldestFirst(a, b Memory) int {
	return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.TS, b.TS), a.Key.Compare(b.Key))
}

// split returns the parts of the key of an entry; not ok for any other key.
func split(key keypath.Key) (agent string, level Level, id string, ok bool) {
	realm := key.Realm()
	if realm.Class != keypath.Private {
		return "", "", "", false
	}
	rest := strings.TrimPrefix(key.String(), keypath.AgentPrefix+"/"+realm.Owner+"/")
	kind, id, _ := strings.Cut(rest, "/")
	return realm.Owner, Level(kind), id, true
}

// keyOf returns the key of an entry; it is none if that would not be one's key.
func keyOf(agent string, level Level, id string) (key keypath.Key, ok bool) {
	key, err := keypath.Parse(keypath.AgentPrefix + "/" + agent + "/" + string(level) + "/" + id)
	if err != nil {
		return key, false
	}
	_, _, is, ok := split(key)
	return key, ok && is == id
}

// NewMemory returns the entry at a key; not ok for the key of a record of another kind.
func NewMemory(key keypath.Key, text string, created, ts log.Stamp) (m Memory, ok bool) {
	m = Memory{Key: key, Text: text, Created: created, TS: ts}
	m.Agent, m.Level, m.ID, ok = split(key)
	return m, ok
}

// memoryOf returns a record as an entry; not ok for a record of another kind. An entry that was put
// there by other means and has no text is all that it holds.
func memoryOf(rec log.Record) (m Memory, ok bool) {
	f := content.Parse(rec.Content)
	text := f.Text
	if text == "" {
		text = string(rec.Content)
	}
	return NewMemory(rec.Key, text, f.Time(rec.TS), rec.TS)
}

// prefixOf returns the prefix of what an agent has; "" is all agents.
func prefixOf(agent string) (keypath.Prefix, error) {
	return keypath.ParsePrefix(strings.TrimSuffix(keypath.AgentPrefix+"/"+agent, "/"))
}

// each calls fn with every live entry of an agent, or with "" of all agents, for any caller; with
// current only with entries that a read may return.
func each(ctx context.Context, s *mem.Store, c mem.Caller, agent string, current bool,
	fn func(Memory)) error {
	below, err := prefixOf(agent)
	if err != nil {
		return err
	}
	filter := mem.Filter{Prefix: below, Expired: !current, All: true}
	return s.List(ctx, c, filter, func(rec log.Record) error {
		m, ok := memoryOf(rec)
		if ok && (!current || content.Successor(rec.Content) == "") {
			fn(m)
		}
		return nil
	})
}

// ForPrompt returns the entries for a prompt of an agent: all of its core and the journal of a
// week, oldest first. The error is as that of [List].
func ForPrompt(ctx context.Context, s *mem.Store, c mem.Caller, agent string) (
	active []Memory, err error) {
	if c, err = Acting(c, agent); err != nil {
		return nil, err
	}
	op, err := s.Begin(c, policy.Read)
	if err != nil {
		return nil, err
	}
	err = each(ctx, s, c, c.Agent, true, func(m Memory) {
		if !m.Expired(op.Now()) {
			active = append(active, m)
		}
	})
	slices.SortFunc(active, oldestFirst)
	return active, err
}

// Read is [ForPrompt] with a line in the journal of what ran.
func Read(ctx context.Context, s *mem.Store, c mem.Caller, agent string) ([]Memory, error) {
	op, err := s.Begin(c, policy.Read)
	if err != nil {
		return nil, err
	}
	active, err := ForPrompt(ctx, s, c, agent)
	op.Done(len(active), err)
	return active, err
}
