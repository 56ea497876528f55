package mem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Occasion is why memories are put into a conversation.
type Occasion string

// The occasions: a conversation begins, goes on after its context was lost or hands work to a sub-agent; or the user has said something.
const (
	AtStart    Occasion = "start"
	AtSubagent Occasion = "subagent"
	AtPrompt   Occasion = "prompt"
)

// Kept is what a conversation still has of what it was given before.
type Kept string

// What is kept: where the context was replaced by a summary, nothing; where a conversation is resumed, what its client brings back.
const (
	KeptAll     Kept = ""
	KeptPrompts Kept = "prompts" // what prompts brought, but not what a start did
	KeptNothing Kept = "nothing"
	KeptUnknown Kept = "unknown" // nor whether what it is given now arrives
)

// InjectOptions say into which conversation memories are to go, and what for.
type InjectOptions struct {
	Client       string   // who asks, as "claude-code"
	Conversation string   // its id there; "" where nobody knows: then nothing is remembered of what it was given
	Event        string   // the client's name for the occasion, for the record
	Occasion     Occasion // what is chosen, and from what
	Message      string   // what the user said; AtPrompt only
	Kept         Kept     // what the conversation still has
	Block        readout.Block
}

// Injection is a block of memories for a conversation, and what is recorded of it, in this order.
type Injection struct {
	At           log.Stamp  `json:"at"`
	Client       string     `json:"client"`
	Conversation string     `json:"conversation,omitempty"`
	Event        string     `json:"event"`
	Occasion     Occasion   `json:"occasion"`
	Kept         Kept       `json:"kept,omitempty"`
	Memories     []Injected `json:"memories"`
	Tokens       int        `json:"tokens"` // estimate for Text
	Left         []LeftOut  `json:"left,omitempty"`
	LeftOut      int        `json:"left_out"` // memories that could have been injected and were not, those of Left among them
	Text         string     `json:"-"`
}

// Injected is a memory as a conversation was given it.
type Injected struct {
	Key string    `json:"key"`
	TS  log.Stamp `json:"ts"`
}

// LeftOut is a memory that was found and not injected.
type LeftOut struct {
	Key string `json:"key"`
	Why string `json:"why"`
}

// Why a memory was left out.
const (
	leftGiven = "given before"
	leftRoom  = "no room"
	leftFloor = "not relevant enough"
)

// InjectLimits are what one injection may cost, in tokens, fences included.
type InjectLimits struct {
	StartTokens    int `json:"start_tokens"`
	PromptTokens   int `json:"prompt_tokens"`
	SubagentTokens int `json:"subagent_tokens"`
}

// DefaultInjectLimits leave a conversation its room: 1,500 tokens are under 1 % of a context of 200,000.
var DefaultInjectLimits = InjectLimits{StartTokens: 1500, PromptTokens: 600, SubagentTokens: 400}

func (l InjectLimits) of(o Occasion) int {
	switch o {
	case AtPrompt:
		return l.PromptTokens
	case AtSubagent:
		return l.SubagentTokens
	}
	return l.StartTokens
}

func (l InjectLimits) check() error {
	if l.StartTokens < 0 || l.PromptTokens < 0 || l.SubagentTokens < 0 {
		return fmt.Errorf("%s: %w: the limits of inject must not be below 0", ConfigFile, ErrInput)
	}
	return nil
}

// Inject chooses what a conversation is to be told that it does not have yet: at its start what a read brings (M-36), at a prompt what is clearly relevant to it, and
// rather nothing than noise. A sub-agent has nothing of what its conversation was told, nor the other way round. It writes nothing, but for an error into
// the journal, where else nobody would hear of it: once the block has arrived, [Store.Injected] records it. A store that does not exist has nothing to say.
func (s *Store) Inject(o InjectOptions) (in Injection, err error) {
	done := s.begin("inject")
	defer func() {
		if err != nil {
			done.batch(0, err)
		}
	}()
	conf, err := s.Config()
	if err != nil {
		return in, err
	}
	in = Injection{At: s.stamp(), Client: o.Client, Conversation: o.Conversation, Event: o.Event, Occasion: o.Occasion, Kept: o.Kept, Memories: []Injected{}}
	if s.root() == nil || conf.Memory.InjectMode == readout.NotesOff {
		return in, nil
	}
	if o.Occasion == AtPrompt && conf.Memory.InjectMode == readout.NotesRecent {
		return in, nil
	}
	j := injecting{store: s, options: o, limit: max(conf.Inject.of(o.Occasion)-o.Block.Overhead(), 0)}
	page, err := j.page()
	if err != nil {
		return in, err
	}
	text, shown := o.Block.Text(page)
	in.Text, in.Tokens = text, readout.Tokens(text)
	for i, e := range page.Entries {
		if i < shown {
			in.Memories = append(in.Memories, Injected{e.Key, e.TS})
			continue
		}
		j.leave(e.Key, leftRoom)
	}
	in.Left, in.LeftOut = j.left, page.LeftOut+len(page.Entries)-shown+j.before
	return in, nil
}

// injecting is one choice of what to inject.
type injecting struct {
	store   *Store
	options InjectOptions
	limit   int // tokens
	left    []LeftOut
	before  int // left out before anything was ranked
}

// mostLeft is how many of those that were left out are named.
const mostLeft = 5

func (j *injecting) leave(key, why string) {
	if len(j.left) < mostLeft {
		j.left = append(j.left, LeftOut{key, why})
	}
}

func (j *injecting) page() (readout.Page, error) {
	if j.options.Occasion != AtPrompt {
		return j.matters()
	}
	v, err := j.store.view()
	if err != nil {
		return readout.Page{}, err
	}
	defer v.Close()
	return j.relevant(v)
}

// matters gives what a read brings.
func (j *injecting) matters() (readout.Page, error) {
	r, err := j.store.reading(ReadOptions{Limit: j.limit})
	if err != nil {
		return readout.Page{}, err
	}
	page, err := r.choose()
	if j.options.Occasion == AtStart {
		given := j.store.given(j.options)
		page.Entries = slices.DeleteFunc(page.Entries, func(e readout.Entry) bool { return j.has(given, e.Key, e.TS) })
	}
	return page, err
}

// has reports whether a memory, in this version, is among those given before, and notes that it is left out for that.
func (j *injecting) has(given map[string]told, key string, ts log.Stamp) bool {
	if t, ok := given[key]; !ok || t.ts != ts {
		return false
	}
	j.before++
	j.leave(key, leftGiven)
	return true
}

// mostInjected is how many hits a prompt may bring: past the first few they are rarely what was meant.
const mostInjected = 8

// relevant packs what a search for the message finds, its best first.
func (j *injecting) relevant(v *compact.View) (readout.Page, error) {
	given := j.store.given(j.options)
	sel := readout.NewSelector(readout.Query{Now: j.store.stamp(), Limit: j.limit, Lexical: true})
	var found []string
	best := 0.0
	o := SearchOptions{Query: gist(j.options.Message), Plain: true, Limit: 3 * mostInjected, Relevant: true}
	o.Below = func(key string) {
		j.before++
		j.leave(key, leftFloor)
	}
	err := j.store.searchView(v, o, func(h hit) error {
		it := item(h.rec)
		if j.has(given, it.Key, it.TS) || len(found) == mostInjected {
			return nil
		}
		best = max(best, h.Score)
		it.Match = h.Score / best
		found = append(found, it.Key)
		sel.Add(it)
		return nil
	})
	page := sel.Pack()
	for _, key := range found {
		if !slices.ContainsFunc(page.Entries, func(e readout.Entry) bool { return e.Key == key }) {
			j.leave(key, leftRoom)
		}
	}
	return page, err
}

// gistEnds is how many bytes of either end of a message are searched for: what a long one is about stands there, and in between is what was pasted.
const gistEnds = 2 << 10

// gist is what of a message is searched for.
func gist(message string) string {
	message = readout.Unfence(message)
	if len(message) <= 2*gistEnds {
		return message
	}
	// A character that is cut in two becomes a space.
	return strings.ToValidUTF8(message[:gistEnds]+"\n"+message[len(message)-gistEnds:], " ")
}
