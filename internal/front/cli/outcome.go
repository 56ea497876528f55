package cli

import (
	"cmp"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

// printOutcome answers a write: with the path of its file, so that cat "$(mem set ...)" works, or
// where there is none with the key, for mem get.
func (a *app) printOutcome(cmd *cobra.Command, out mem.Outcome) error {
	if out.Reason != "" && !a.quiet {
		a.tell(cmd, "warning", "quarantined as "+out.Key.Shown()+": "+out.Reason)
	}
	if !out.Valid {
		return a.answer(cmd, out, nothing)
	}
	path := cmp.Or(out.Path, out.Key.String())
	return a.answer(cmd, out, unlessQuiet(verbatim(path+"\n")))
}

// outcome is printOutcome for an answer whose value has more.
func outcome(out mem.Outcome) printer {
	return func(a *app, cmd *cobra.Command) error { return a.printOutcome(cmd, out) }
}

// printReply prints the answer to a write, always as JSON, unless --quiet is given.
func (a *app) printReply(cmd *cobra.Command, reply mem.NoteReply) error {
	return a.answer(cmd, reply, unlessQuiet(inJSON(reply)))
}
