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
