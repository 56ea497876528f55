package inject

import (
	"context"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/readout"
)

// DefaultDeadline returns how long a hook may take where no store has said it yet.
func DefaultDeadline(t Trigger) time.Duration { return deadline(settings.Default(), t) }

// Deadline returns how long a hook may take by the settings of a store.
func Deadline(ctx context.Context, s *mem.Store, t Trigger) time.Duration {
	conf, err := s.InjectConfig(ctx)
	if err != nil {
		return DefaultDeadline(t)
	}
	return deadline(conf, t)
}

func deadline(c *mem.Config, t Trigger) time.Duration {
	ms := c.Inject.PromptMS
	if t == AtStart {
		ms = c.Inject.StartMS
	}
	return time.Duration(ms * float64(time.Millisecond))
}

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
