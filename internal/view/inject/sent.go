package inject

import (
	"context"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Sent is an injection into a conversation on another machine, which makes the block of it.
type Sent struct {
	Lines []readout.Line `json:"lines,omitempty"`
	More  int            `json:"more,omitempty"`  // pinned memories without room
	Own   []readout.Line `json:"own,omitzero"`    // the agent's journal and core; nil: not again
	Start *Sent          `json:"start,omitempty"` // as Injection.Start
}

// The most that another machine may send: lines, and bytes of the text of one.
const maxSent, maxSentText = 1000, 32 << 10

// Empty reports whether there is nothing to make a block of.
func (s *Sent) Empty() bool {
	return len(s.Lines) == 0 && s.Own == nil && (s.Start == nil || s.Start.Empty())
}

// Sent returns an injection for the machine of its conversation.
func (in *Injection) Sent() (s Sent) {
	if in.Text == "" {
		return s
	}
	page := in.draft.page
	s.Lines = page.Sent()
	s.More = page.MorePinned + max(page.Pinned-len(s.Lines), 0)
	if in.Own != nil {
		s.Own = []readout.Line{}
		for _, m := range slices.Concat(in.draft.own.Core, in.draft.own.Journal) {
			s.Own = append(s.Own, readout.Line{Key: m.Key.String(), Text: m.Text, TS: m.TS,
				Time: m.Created})
		}
	}
	if in.Start != nil {
		start := in.Start.Sent()
		s.Start = &start
	}
	return s
}

// Frame makes the block of what another machine has sent, within the limits of a store here; see
// the package comment. Lines with the key of no memory that a conversation may get are dropped: in
// a project, of a person's own memories; else own entries of another agent.
func Frame(ctx context.Context, s *mem.Store, o Options, sent Sent) (in Injection) {
	conf, err := s.InjectConfig(ctx)
	if err != nil {
		conf = settings.Default() // as for Deadline
	}
	in.Trigger, in.draft.block = o.Trigger, o.block()
	block := &in.draft.block
	block.Team = o.TeamRules
	if sent.Own != nil && o.Agent != "" && o.Project == "" && o.Trigger == AtStart {
		_, block.Own = ownPage(sent.ownOf(o.Agent), o.Agent, conf.Inject.PrivateTokens, *block)
	}
	q := readout.Query{Now: log.StampOf(s.Now()),
		Limit:  max(limitOf(conf.Inject, o.Trigger)-block.Overhead(), 0),
		Labels: &readout.Labels{Days: !block.RulesFirst, Zone: o.Zone}}
	in.draft.page = q.PackSent(sent.lines(o.Project != ""), sent.More, o.TeamRules)
	shown := in.compose()
	for _, e := range in.draft.page.Entries[:shown] {
		m := Injected{Key: e.Key, TS: e.TS, Layer: policy.ProjectLayer}
		in.Memories = append(in.Memories, m)
	}
	if sent.Start == nil || o.Trigger != AtPrompt {
		return in
	}
	start := Frame(ctx, s, o.ofStart(&in), *sent.Start)
	in.Text, in.Start = start.Text+in.Text, &start
	return in
}

// lines returns the lines that a block may have: in a project not those of a person's own memories.
func (s *Sent) lines(inProject bool) (list []readout.Line) {
	for _, line := range s.Lines[:min(len(s.Lines), maxSent)] {
		key, err := keypath.Parse(line.Key)
		if err != nil || len(line.Text) > maxSentText || key.Class() == keypath.Quarantined ||
			inProject && policy.CheckTeam(key) != nil {
			continue
		}
		line.Key = key.String()
		list = append(list, line)
	}
	return list
}

func (s *Sent) ownOf(agent string) (list []journal.Memory) {
	for _, line := range s.Own[:min(len(s.Own), maxSent)] {
		key, err := keypath.Parse(line.Key)
		if err != nil || len(line.Text) > maxSentText {
			continue
		}
		if m, ok := journal.NewMemory(key, line.Text, line.Time, line.TS); ok && m.Agent == agent {
			list = append(list, m)
		}
	}
	return list
}
