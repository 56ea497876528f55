package app

import (
	"cmp"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

// PrintOutcome answers a write: with the path of its file, so that cat "$(mem set ...)" works, or
// where there is none with the key, for mem get.
func (a *App) PrintOutcome(cmd *cobra.Command, out mem.Outcome) error {
	if out.Reason != "" && !a.Quiet {
		a.Tell(cmd, "warning", "quarantined as "+out.Key.Shown()+": "+out.Reason)
	}
	if !out.Valid {
		return a.Answer(cmd, out, Nothing)
	}
	path := cmp.Or(out.Path, out.Key.String())
	return a.Answer(cmd, out, UnlessQuiet(Verbatim(path+"\n")))
}

// Outcome is PrintOutcome for an answer whose value has more.
func Outcome(out mem.Outcome) Printer {
	return func(a *App, cmd *cobra.Command) error { return a.PrintOutcome(cmd, out) }
}

// PrintReply prints the answer to a write, always as JSON, unless --quiet is given.
func (a *App) PrintReply(cmd *cobra.Command, reply mem.NoteReply) error {
	return a.Answer(cmd, reply, UnlessQuiet(InJSON(reply)))
}
