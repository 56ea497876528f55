package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// MaxTokens is the greatest budget, and the default.
const MaxTokens = 65_000

// Request asks for a bundle.
type Request struct {
	Tenant    string     `json:"tenant_id,omitempty" tool:"-"` // for a server
	Session   string     `json:"session_id"`
	Agent     string     `json:"agent_id,omitempty"`               // "": the caller
	Channel   string     `json:"channel,omitempty" enum:"channel"` // "": private
	Intent    string     `json:"intent,omitempty"`
	Query     string     `json:"query_text,omitempty"`                     // "": that is Intent
	MaxTokens *int       `json:"max_tokens,omitempty" min:"0" max:"65000"` // nil: MaxTokens
	Now       *log.Stamp `json:"now,omitempty" tool:"-"`                   // nil: now
	// AsText counts what the bundle costs as Text prints it.
	AsText bool `json:"-"`
}

// From returns whom a request is from.
func (r *Request) From() request.Origin {
	return request.Origin{Tenant: r.Tenant, Session: r.Session, Agent: r.Agent}
}

func (r *Request) complete() error {
	if r.Channel == "" {
		r.Channel = "private"
	}
	if strings.TrimSpace(r.Query) == "" {
		r.Query = r.Intent
	}
	if r.MaxTokens == nil {
		most := MaxTokens
		r.MaxTokens = &most
	}
	switch {
	case r.Session == "":
		return ledger.Missing("session_id", "--session")
	case r.Agent == "":
		return ledger.Missing("agent_id", "--agent")
	case *r.MaxTokens < 0 || *r.MaxTokens > MaxTokens:
		return ledger.BadInput("max_tokens", fmt.Sprint(*r.MaxTokens),
			fmt.Sprintf("want 0 to %d", MaxTokens))
	}
	scope := ledger.Scope{Session: r.Session, Agent: r.Agent, Channel: r.Channel}
	return scope.Check()
}

// Bundle is the context for one call of a model.
type Bundle struct {
	ID         string     `json:"acb_id"`
	Budget     int        `json:"budget_tokens"`
	Used       int        `json:"token_used_est"`
	Sections   []Section  `json:"sections"`  // those with items, never nil
	Omissions  []Omission `json:"omissions"` // never nil
	Provenance Provenance `json:"provenance"`
}

// Section is one part of a bundle.
type Section struct {
	Name   string `json:"name"`
	Items  []Item `json:"items"`
	Tokens int    `json:"token_est"`
}

// Item is one text of a section.
type Item struct {
	Type     string   `json:"type"` // text or decision
	Decision string   `json:"decision_id,omitempty"`
	Text     string   `json:"text"`
	Refs     []string `json:"refs"` // ids, keys and views that it is from; never nil

	tokens int    // of Text, where they were counted; else 0
	of     string // id or key of its record
}

// Omission is something that is not in the bundle, or not as a whole.
type Omission struct {
	Reason     string   `json:"reason"`
	Section    string   `json:"section,omitempty"` // that had no room
	Candidates []string `json:"candidates"`        // ids or keys
	More       int      `json:"more,omitempty"`    // how many are not listed
	Artifact   string   `json:"artifact_id,omitempty"`
}

// Why something is omitted.
const (
	truncatedOutput = "truncated_tool_output" // the artifact has the whole
	sealedRecord    = "sealed"                // there is no key that opens it
	noRoom          = "budget"                // its section is full; a cut record has its beginning
)

// maxOmitted is how many records a section lists for which it had no room.
const maxOmitted = 20

// Provenance says how a bundle was chosen.
type Provenance struct {
	Intent  string   `json:"intent"`
	Terms   []string `json:"query_terms"`
	Pool    int      `json:"candidate_pool_size"`
	Filters struct {
		Sensitivity []string `json:"sensitivity_allowed"`
	} `json:"filters"`
	Scoring struct {
		Alpha float64 `json:"alpha"`
		Beta  float64 `json:"beta"`
		Gamma float64 `json:"gamma"`
	} `json:"scoring"`
}

type builder struct {
	ctx    context.Context // of the one call that it lives for
	read   *ledger.Reader
	req    Request
	now    log.Stamp
	out    Bundle
	pack   *packer
	lately []log.Record // the newest events of the session, of any kind
	// claims are the memories that claim to be rules and are none, the most important first.
	claims []log.Record

	shares  bool // agents share their private sessions
	circles map[string]circle
}

// Build returns the context for the next call of a model. The error wraps mem.ErrInput or is
// the file system's.
func Build(ctx context.Context, book *ledger.Book, r Request) (Bundle, error) {
	caller := book.Caller()
	as, err := policy.Acting(caller, r.Agent)
	if err == nil {
		r.Agent = as.Agent
		err = r.complete()
	}
	if err != nil {
		return Bundle{}, err
	}
	if r.Now != nil {
		caller.Now = *r.Now
	}
	op, err := book.Reads().Begin(caller, policy.Bundle)
	if err != nil {
		return Bundle{}, err
	}
	out, err := build(ctx, book, r, op.Now())
	items := 0
	for _, s := range out.Sections {
		items += len(s.Items)
	}
	op.Done(items, err)
	return out, err
}

func build(ctx context.Context, book *ledger.Book, r Request, now log.Stamp) (Bundle, error) {
	read, err := book.ReadAdmitted(ctx, r.Channel, now)
	if err != nil {
		return Bundle{}, err
	}
	defer read.Close()
	conf, err := book.Reads().Config(ctx)
	if err != nil {
		return Bundle{}, err
	}
	x := &builder{ctx: ctx, read: read, req: r, now: now, pack: newPacker(&r, read.Tokens),
		shares: conf.Bundle.ShareSessions, circles: map[string]circle{}}
	x.out = Bundle{Budget: *r.MaxTokens, Sections: []Section{}, Omissions: []Omission{},
		Provenance: Provenance{Intent: r.Intent, Terms: []string{}}}
	x.out.Provenance.Filters.Sensitivity = policy.Sensitivities(r.Channel)
	scoring := &x.out.Provenance.Scoring
	scoring.Alpha, scoring.Beta, scoring.Gamma = alpha, beta, gamma
	if x.lately, err = read.Newest(ctx, keypath.MustPrefix(keypath.Events+"/"+r.Session),
		fewRecent); err == nil {
		err = x.fill()
	}
	if err != nil {
		return Bundle{}, err
	}
	for i, s := range x.pack.sections {
		if len(s.Items) > 0 {
			x.out.Sections = append(x.out.Sections, *s)
			x.out.Used += s.Tokens
		}
		if list := x.pack.over[i]; len(list) > 0 {
			most := min(len(list), maxOmitted)
			x.out.Omissions = append(x.out.Omissions, Omission{Reason: noRoom, Section: s.Name,
				Candidates: list[:most], More: len(list) - most})
		}
	}
	return x.out, x.out.name()
}

// fill fills the sections, each with what the one before it has left, but for the evidence, whose
// limit is its own. The recent window comes before the evidence: see the package comment.
func (x *builder) fill() error {
	spare := 0
	for _, section := range [...]struct {
		number int
		fill   func() error
	}{{identity, x.identity}, {rules, x.rules}, {taskState, x.tasks}, {decisionLedger, x.decisions},
		{handoffPacket, x.handoff}, {recentWindow, x.recent}, {retrievedEvidence, x.evidence}} {
		if section.number != retrievedEvidence {
			x.pack.left[section.number] += spare
		}
		if err := section.fill(); err != nil {
			return err
		}
		spare = x.pack.left[section.number]
	}
	return nil
}

// name sets the id of a bundle, a hash of all else in it.
func (o *Bundle) name() error {
	o.ID = ""
	text, err := json.Marshal(o)
	sum := sha256.Sum256(text)
	o.ID = "acb_" + ulid.FromHash(sum[:])
	return err
}

// omit lists a record that is not in the bundle.
func (x *builder) omit(reason string, key keypath.Key, artifact string) {
	for i := range x.out.Omissions {
		o := &x.out.Omissions[i]
		if o.Reason == reason && o.Artifact == artifact {
			o.Candidates = append(o.Candidates, nameOf(key))
			return
		}
	}
	x.out.Omissions = append(x.out.Omissions,
		Omission{Reason: reason, Candidates: []string{nameOf(key)}, Artifact: artifact})
}

// nameOf returns the id of a record, or its key if it has none.
func nameOf(key keypath.Key) string {
	if id := ledger.IDOf(key); ledger.IsID(id) {
		return id
	}
	return key.String()
}
