package app

import (
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// SayMatch names at a terminal the store that may be of the repository here.
func (a *App) SayMatch(cmd *cobra.Command) {
	if !a.Explains() || a.IsHook || a.Served != nil || !policy.IsPerson(a.Caller) ||
		Terminal(cmd.ErrOrStderr()) == 0 {
		return
	}
	now, err := a.Clock()
	if err != nil || a.Layers == nil {
		return
	}
	match := a.Layers.NearestMatch(cmd.Context(), a.Caller, log.StampOf(now()))
	if match.ID != "" {
		a.Advise(cmd, "hint", advice.Say(layers.MatchText).Also(layers.LinkTo(match.ID)))
	}
}

// SayBeside says that the repository had memories before its .mem, which nothing reads now.
func (a *App) SayBeside(cmd *cobra.Command) {
	hidden, err := a.Layers.HiddenBeside(cmd.Context(), a.Caller)
	if err == nil && hidden != nil && a.Talks() {
		a.Advise(cmd, "hint", hidden)
	}
}
