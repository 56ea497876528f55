package hook

import (
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/readout"
)

// maxAnswer is how many units of its client's limit a block may have.
const maxAnswer = 9000

// unitOf returns how a client counts the length of an answer.
func unitOf(client *setup.Client) func(string) int {
	if client.CountsBytes {
		return func(s string) int { return len(s) }
	}
	return readout.UTF16
}

// retainedAtResume returns what a conversation of the client still has when it is resumed. Where
// that is not known, memories are delivered again: better twice than never.
func retainedAtResume(client *setup.Client) inject.Retained {
	switch client.Resumes {
	case setup.ResumesAll:
		return inject.RetainedAll
	case setup.ResumesPrompts:
		return inject.RetainedPrompts
	}
	return inject.RetainedUnknown
}

// newStart is the source of a start in VS Code, and of none in a client whose hooks it runs too.
const newStart = "new"

// as returns the hook for the client that the event is of, so that it knows what another hook has
// delivered to the same conversation.
func (h *Hook) as(e event) *Hook {
	reader := setup.ClientByName(h.Client.Hooks.Reader)
	if reader == nil || e.Source != newStart {
		return h
	}
	other := *h
	other.Client = reader
	return &other
}
