package inject

import (
	"cmp"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// block returns the layout of the block of a conversation. At a prompt the best matches come first;
// otherwise the rules do, since they hold for the whole conversation.
func (o *Options) block() readout.Block {
	b := o.Block
	b.Layered, b.Repository = o.Layered, o.Repository
	b.RulesFirst = o.Trigger == AtStart || o.Trigger == AtSubagent
	return b
}

// labels returns the labels of the lines of a block, and a function that releases their resources.
// A client replays old prompts when it resumes a conversation, so a prompt has days and no ages.
func (o *Options) labels(ctx context.Context, s *mem.Store, c mem.Caller) (
	*readout.Labels, func()) {
	alone, done := note.Alone(ctx, cmp.Or(o.Names, s), c)
	return &readout.Labels{Days: !o.block().RulesFirst, Zone: o.Zone, Alone: alone}, done
}

// sessionNotes are the only memories that accept can refuse.
var sessionNotes = backend.Classes(0).With(keypath.Session)

// accept returns a function that reports whether a memory may be injected into the conversation;
// nil accepts all, as for one store, whose scopes filter nothing. What a team has of a person's own
// is of nobody there.
func (o *Options) accept() func(log.Record) bool {
	if o.Away && o.Project != "" {
		return func(rec log.Record) bool { return policy.CheckTeam(rec.Key) == nil }
	}
	if !o.Layered {
		return nil
	}
	return func(rec log.Record) bool {
		return rec.Key.Class() != keypath.Session || o.wrote(rec.Source, "agent")
	}
}
