package inject

import (
	"cmp"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// block returns how the block of a conversation is made up. At a prompt what fits it best comes
// first; else the rules do, for all that follows.
func (o *Options) block() readout.Block {
	b := o.Block
	b.Layered, b.Repository = o.Layered, o.Repository
	b.RulesFirst = o.Trigger != AtPrompt
	return b
}

// labels returns how the lines of a block name their memories, and what ends that. What is told at
// a prompt is replayed when the conversation is resumed, so it says the day and not how long ago.
func (o *Options) labels(ctx context.Context, s *mem.Store, c mem.Caller) (
	*readout.Labels, func()) {
	alone, done := note.Alone(ctx, cmp.Or(o.Names, s), c)
	return &readout.Labels{Days: o.Trigger == AtPrompt, Zone: o.Zone, Alone: alone}, done
}

// sessionNotes are all that accept asks about.
var sessionNotes = backend.Classes(0).With(keypath.Session)

// accept returns which memories the conversation may be told; nil is all of them, as for one store,
// whose scopes filter nothing.
func (o *Options) accept() func(log.Record) bool {
	if !o.Layered {
		return nil
	}
	return func(rec log.Record) bool {
		return rec.Key.Class() != keypath.Session || o.wrote(rec.Source)
	}
}
