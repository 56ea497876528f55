package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/backend"
	"github.com/set-memory/mem/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/ledger"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/note"
	"github.com/set-memory/mem/policy"
)

// hints say of each error what to do about it with the tools there are: the hints of the errors
// themselves are commands for a shell. The first row that matches decides.
var hints = []struct {
	is   error
	hint string
}{
	{backend.ErrStored, "it is stored: do not repeat it"},
	{policy.ErrPerson, "only the user can do this, with mem on a command line"},
	{journal.ErrNoAgent, "the user starts this server with --agent NAME to say who you are"},
	{note.ErrAmbiguous, "give the whole key"},
	{ledger.ErrNotFound, "memory_build_acb and mem_search tell ids that there are"},
	{mem.ErrNotFound, "mem_search finds memories and their keys"},
	{backend.ErrChanged, "call it again"},
	{log.ErrLocked, "another program is writing: call it again in a moment"},
	{ledger.ErrNoKey, "the user sets MEM_AGE_IDENTITY for this server, to a file that " +
		"memd key new makes"},
	{policy.ErrProvenance, "give source with kind, name and url"},
	{policy.ErrSecret, "take the secret out, and say where it is kept instead"},
	{policy.ErrReserved, "mem_note stores notes, memory_record_event events, save_to_journal and " +
		"save_to_core what is your own; under another key mem_set stores anything"},
	{policy.ErrTooLarge, "make it shorter, or store it as several memories"},
	{backend.ErrTooLarge, "make it shorter, or store it as several memories"},
	{keypath.ErrKey, "a key is like /project/db: words with slashes, the first one in front"},
	{context.Canceled, ""},
	{context.DeadlineExceeded, "call it again, or ask for less"},
}

// hintOf returns what to do about an error; "" where nobody knows.
func hintOf(err error) string {
	if lost := (*mem.ConflictError)(nil); errors.As(err, &lost) {
		if lost.Newest.Key.IsZero() {
			return "there is none: write it without if_ts"
		}
		return "look at it with mem_get, then call mem_set with if_ts " + lost.Newest.TS.String()
	}
	if own := (*inputError)(nil); errors.As(err, &own) {
		return own.hint
	}
	for _, row := range hints {
		if errors.Is(err, row.is) {
			return row.hint
		}
	}
	switch mem.KindOf(err) {
	case mem.KindInput:
		return "the input schema of the tool says what it takes"
	case mem.KindIO, mem.KindBug:
		return "tell the user; mem doctor says more"
	}
	return strings.TrimSpace("")
}
