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

func isOff(c *mem.Config, t Trigger) bool {
	return c.Memory.InjectMode == readout.NotesOff || t == AtEdit && !c.Inject.AtEdit
}

// IsOff reports whether the settings of a store turn an injection off.
func IsOff(ctx context.Context, s *mem.Store, t Trigger) bool {
	conf, err := s.InjectConfig(ctx)
	return err == nil && isOff(conf, t)
}

func limitOf(l mem.InjectLimits, t Trigger) int {
	switch t {
	case AtPrompt:
		return l.PromptTokens
	case AtSubagent:
		return l.SubagentTokens
	case AtEdit:
		return editTokens
	}
	return l.StartTokens
}
