package inject

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/readout"
)

// addStart puts the missed start of the conversation before the answer to a prompt: in the room
// that the answer leaves, and without the memories in the answer.
func (in *Injection) addStart(ctx context.Context, s *mem.Store, c mem.Caller, o Options) error {
	start, err := Choose(ctx, s, c, o.ofStart(in))
	if err == nil {
		in.Start, in.Text = &start, start.Text+in.Text
	}
	return err
}

// ofStart returns the options of a missed start that an answer to a prompt delivers.
func (o Options) ofStart(in *Injection) Options {
	unit := o.Block.Unit
	if unit == nil {
		unit = readout.UTF16
	}
	o.Trigger, o.before, o.Block.Teach = AtStart, in, true
	if o.Block.Most > 0 {
		o.Block.Most -= unit(in.Text)
	}
	return o
}
