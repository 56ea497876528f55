package inject

import (
	"context"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/native"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Trigger is why memories are put into a conversation.
type Trigger string

// The triggers: a conversation begins, goes on after its context was lost or hands work to a
// sub-agent; the user has said something; or the agent is about to edit files.
const (
	AtStart    Trigger = "start"
	AtSubagent Trigger = "subagent"
	AtPrompt   Trigger = "prompt"
	AtEdit     Trigger = "edit"
)

// Retained says whether a conversation still has the memories that were injected before.
type Retained string

// The values of Retained: nothing where a summary replaced the context. What a resumed conversation
// retains depends on its client.
const (
	RetainedAll     Retained = ""
	RetainedNothing Retained = "nothing"
	RetainedUnknown Retained = "unknown" // it is not known, nor whether this injection arrives
	// RetainedPrompts: all but the memories of its start, which the client takes out.
	RetainedPrompts Retained = "prompts"
)

// Options are the conversation that memories are chosen for, and why.
type Options struct {
	Client       string         // the calling program, as "claude-code"
	Conversation string         // its id there; "" if unknown: then nothing is remembered of it
	Project      string         // a name of it, for the record; "" for none
	Event        string         // the client's name for the trigger, for the record
	Trigger      Trigger        // selects the budget and the way to choose
	Message      string         // the user's message; AtPrompt only
	Files        []string       // absolute paths; AtEdit only
	Renamed      []Rename       // by the command that has edited the files
	Root         string         // the folder of the project, a real path; "" for none
	Dir          string         // the working directory; "" for none, or elsewhere
	Branch       string         // of the project's work tree; "" for none
	Mark         func() string  // returns mem.ReadOptions.Project for a start; nil: ""
	SubAgent     string         // the id of a sub-agent, whose context is its own; "" for none
	Remark       readout.Remark // as in readout.Query
	Retained     Retained       // what the conversation still has
	Block        readout.Block
	Zone         *time.Location // of the days that a prompt's block names; nil: UTC

	// Names is the store in which a person or a model looks up an injected name: an id that several
	// memories have there is replaced by the key. nil: the store that is injected from.
	Names *mem.Store

	Unrecorded bool // nothing is kept of it, see Record
	Layered    bool // the store is several that are read together, each a layer
	Repository bool // one of them is inside a repository

	// Personal is the store with the journal and the core of the calling agent, which a start
	// injects; nil: it does not.
	Personal *mem.Store

	// Native returns the memories that other clients keep of this project, whose facts a start
	// injects; nil: none.
	Native func() []native.Folder

	Claim string // as in Injection

	// Away is whether the conversation is on another machine: a start without a record was missed.
	Away  bool
	Agent string // the caller, where several share one store: each has a record of its own

	// TeamRules is whether a person here has let in the rules of the team whose lines are framed.
	TeamRules bool

	before *Injection // delivered in the same answer, and not recorded yet; nil for none
}

// TooLate is the reason of an injection that took longer than its deadline.
const TooLate = "no answer in time"

// Injection is a block of memories for a conversation, and its record: the members with a JSON
// name, in this order.
type Injection struct {
	At           log.Stamp  `json:"at"`
	Client       string     `json:"client"`
	Conversation string     `json:"conversation,omitempty"`
	SubAgent     string     `json:"sub_agent,omitempty"` // as in Options
	Project      string     `json:"project,omitempty"`   // a name of it, for people
	Agent        string     `json:"agent,omitempty"`     // as in Options
	Event        string     `json:"event"`
	Trigger      Trigger    `json:"occasion"`
	Retained     Retained   `json:"kept,omitempty"`
	Memories     []Injected `json:"memories"`
	Own          *Injected  `json:"own,omitempty"`     // the page of the agent, as one; nil: none
	Tokens       int        `json:"tokens"`            // estimate for Text
	Renamed      []Rename   `json:"renamed,omitempty"` // of Options, those whose From a memory names
	Left         []LeftOut  `json:"left,omitempty"`
	LeftOut      int        `json:"left_out"` // memories that could have been injected, with Left
	// Missed says why nothing was injected, or not from all stores; "" where all was.
	Missed string `json:"missed,omitempty"`
	// Claim is a random mark of the lines of one answer in the record.
	Claim string `json:"claim,omitempty"`

	Text  string     `json:"-"` // with that of Start
	Start *Injection `json:"-"` // the missed start that a prompt's answer delivers; nil for none

	draft draft
}

// draft is what the text of an injection is made of.
type draft struct {
	block readout.Block
	own   journal.Page // what block.Own is made of
	page  readout.Page // its entries are those of Injection.Memories
	known bool         // a memory was left out as given before, which no edit's record says yet
}

// Injected is a memory in the version that was injected.
type Injected struct {
	Key   string    `json:"key"`
	TS    log.Stamp `json:"ts"`
	Layer string    `json:"layer,omitempty"` // as log.Record.Layer
	Text  string    `json:"text,omitempty"`  // a short keyed hash of the text on its line
}

// LeftOut is a memory that was found and not injected.
type LeftOut struct {
	Key string `json:"key"`
	Why string `json:"why"`
}

// Why a memory was left out.
const (
	skippedGiven   = "given before"
	skippedWrote   = "written here"
	skippedRoom    = "no room"
	skippedOutdone = "less relevant than others"
	skippedFloor   = "not relevant enough"
)

// Choose returns the memories for a conversation that it does not have yet. Those of a sub-agent do
// not count as injected into its conversation, nor the other way round. Choose takes no lock, and
// writes only an error into the journal and, once, the key of the record; [Claim] records the
// injection before its delivery. A store that does not exist has no memories.
func Choose(ctx context.Context, s *mem.Store, c mem.Caller, o Options) (in Injection, err error) {
	op, err := s.Begin(c, policy.Inject)
	if err != nil {
		return in, err
	}
	defer func() {
		if err != nil {
			op.Done(0, err)
		}
	}()
	conf, err := s.InjectConfig(ctx)
	if err != nil {
		return in, err
	}
	in = Injection{
		At: op.Now(), Client: o.Client, Conversation: o.Conversation, Event: o.Event,
		SubAgent: o.SubAgent, Project: o.Project, Agent: o.Agent,
		Trigger: o.Trigger, Claim: o.Claim,
		Retained: o.Retained, Memories: []Injected{},
	}
	if !s.Exists() || isOff(conf, o.Trigger) {
		return in, nil
	}
	has := givenTo(s, &o)
	block := o.block()
	entries, mine, err := own(ctx, c, &o, has)
	if err != nil {
		return in, err
	}
	if in.Own = mine; mine != nil {
		in.draft.own, block.Own = ownPage(entries, c.Agent, conf.Inject.PrivateTokens, block)
	}
	limit := max(limitOf(conf.Inject, o.Trigger)-block.Overhead(), 0)
	labels, done := o.labels(ctx, s, c)
	defer done()
	ch := choice{
		ctx: ctx, store: s, caller: c, options: o, limit: limit, now: op.Now(), notes: conf.Memory,
		given: has, labels: labels,
	}
	page, err := ch.page()
	if err != nil {
		return in, err
	}
	ch.addNative(&page)
	in.draft.block = block
	in.fill(&ch, page)
	if o.Trigger == AtPrompt && has.missed {
		err = in.addStart(ctx, s, c, o)
	}
	return in, err
}

// fill makes the text of an injection of as many memories of a page as its block has room for.
func (in *Injection) fill(ch *choice, page readout.Page) {
	in.draft.page = page
	shown := in.compose()
	in.draft.page.Entries = page.Entries[:shown]
	for i, e := range page.Entries {
		if i < shown {
			in.Memories = append(in.Memories, Injected{e.Key, e.TS, e.Layer,
				ch.given.sumsOf(e.Text).keyed})
			continue
		}
		ch.skip(e.Key, skippedRoom)
	}
	in.Renamed, in.draft.known = ch.renamed, ch.known
	in.Left, in.LeftOut = ch.left, page.LeftOut+len(page.Entries)-shown+ch.before
}

// compose makes the text of an injection, and returns how many memories of its draft that shows.
func (in *Injection) compose() (shown int) {
	in.Text, shown = in.draft.block.Text(in.draft.page)
	in.Tokens = readout.Tokens(in.Text)
	if in.Start != nil {
		in.Start.compose()
		in.Text = in.Start.Text + in.Text
	}
	return shown
}

type choice struct {
	ctx     context.Context // of the one call that it lives for
	store   *mem.Store
	caller  mem.Caller
	options Options
	limit   int // tokens
	now     log.Stamp
	notes   mem.NoteLimits
	given   *given
	labels  *readout.Labels
	left    []LeftOut
	before  int      // left out before the ranking
	renamed []Rename // as Injection.Renamed
	known   bool     // as in draft
}

const maxNamed = 5

func (ch *choice) skip(key, why string) {
	if len(ch.left) < maxNamed && !slices.Contains(ch.left, LeftOut{key, why}) {
		ch.left = append(ch.left, LeftOut{key, why})
	}
}

func (ch *choice) page() (readout.Page, error) {
	switch {
	case ch.options.Trigger == AtEdit:
		return ch.aboutFiles()
	case ch.options.Trigger != AtPrompt:
		return ch.topRanked()
	case ch.notes.InjectMode == readout.NotesRecent:
		return ch.newestNotes()
	}
	return ch.relevant()
}

// newestNotes returns the newest notes, newest first, whatever the message says.
func (ch *choice) newestNotes() (readout.Page, error) {
	notes, err := note.Newest(ch.ctx, ch.store, ch.caller, ch.notes, ch.options.accept())
	if err != nil {
		return readout.Page{}, err
	}
	found := len(notes)
	notes = slices.DeleteFunc(notes, ch.isKnown)
	ch.before += found - len(notes)
	q := ch.query()
	page, err := q.Pack(len(notes), func(yield func(readout.Candidate, error) bool) {
		for _, n := range notes {
			if !yield(candidateOf(&q, n), nil) {
				return
			}
		}
	})
	for _, n := range notes {
		ch.skipUnlessOn(page, n.Key.String())
	}
	return page, err
}

// query returns the query that makes the lines of a block.
func (ch *choice) query() readout.Query {
	return readout.Query{Now: ch.now, Limit: ch.limit, Labels: ch.labels,
		Remark: ch.options.Remark, Standing: ch.store.Reader(ch.caller).Standing}
}

func candidateOf(q *readout.Query, rec log.Record) readout.Candidate {
	it := mem.ItemOf(rec)
	it.Fields.Summary = "" // a note is its text
	if rec.Layer == "" {
		it.Fields.Type = "note"
	}
	return q.NewCandidate(&it, readout.Parts{})
}

// skipUnlessOn notes that a memory had no room on a page, if it is not on it.
func (ch *choice) skipUnlessOn(page readout.Page, key string) {
	if !slices.ContainsFunc(page.Entries, func(e readout.Entry) bool { return e.Key == key }) {
		ch.skip(key, skippedRoom)
	}
}

// topRanked returns the pinned memories, and then those that a read returns. A conversation that
// has its start gets those that were written since: others had no room then, as less relevant.
func (ch *choice) topRanked() (readout.Page, error) {
	o := mem.ReadOptions{
		Limit: ch.limit, Labels: ch.labels, Remark: ch.options.Remark,
		Accept: ch.options.accept(), AcceptOf: sessionNotes,
		Pinned: true, Start: ch.options.Trigger == AtStart,
	}
	if o.Start && ch.options.Mark != nil {
		o.Project = ch.options.Mark()
	}
	if work := ch.work(); work != nil {
		o.Near = work.names
	}
	if ch.options.Trigger == AtStart && ch.given.met {
		accept := o.Accept
		o.Written = ch.given.started
		o.AcceptOf, o.Accept = 0, func(rec log.Record) bool {
			return (accept == nil || !sessionNotes.Has(rec.Key.Class()) || accept(rec)) &&
				!ch.isKnown(rec)
		}
	}
	return ch.store.Reader(ch.caller).Read(ch.ctx, o)
}

// newest returns the newest version of a memory, if it is still in the same layer.
func (ch *choice) newest(m memory) (rec log.Record, found bool) {
	key, err := keypath.Parse(m.key)
	if err != nil {
		return rec, false
	}
	rec, err = ch.store.Get(ch.ctx, ch.caller, key, false)
	return rec, err == nil && rec.Layer == m.layer
}

// isKnown reports whether the conversation has a memory already, in this version, in the same words
// or because it has written it, and names it as left out for that.
func (ch *choice) isKnown(rec log.Record) bool {
	m := Injected{Key: rec.Key.String(), TS: rec.TS, Layer: rec.Layer}
	switch {
	case ch.given.hasVersion(m), ch.given.hasText(rec, ch.newest):
		ch.skip(m.Key, skippedGiven)
		ch.known = ch.known || !ch.given.noted[m.Key]
	case ch.given.wrote(rec):
		ch.skip(m.Key, skippedWrote)
	default:
		return false
	}
	return true
}
