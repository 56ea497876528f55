package app

import (
	"os"

	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/spf13/cobra"
)

// Queue returns what waits for the person in some stores.
func (a *App) Queue(l *layers.Layers) *queue.Queue {
	return &queue.Queue{Layers: l, Caller: a.Caller, Inbox: a.Inbox()}
}

// FactCheck returns the check of the facts that wait.
func (a *App) FactCheck(cmd *cobra.Command, l *layers.Layers) []doctor.Check {
	list, _ := a.Queue(l).Facts(cmd.Context())
	if len(list) == 0 {
		return nil
	}
	return []doctor.Check{{What: "facts", Level: doctor.OK,
		Message: queue.CountFacts(list) + ": mem approve"}}
}

// ProposalCheck returns the check of a store with proposals.
func (a *App) ProposalCheck(cmd *cobra.Command, l *layers.Layers, site *site.Site) []doctor.Check {
	s, err := l.Open(site)
	if err != nil {
		return nil
	}
	list, err := proposal.List(cmd.Context(), s, a.Caller)
	if err != nil || len(list) == 0 {
		return nil
	}
	return []doctor.Check{{What: "proposals", Level: doctor.OK,
		Message: queue.CountChanges(len(list)) + ": mem approve"}}
}

// Inbox returns the inbox of this person. Its ages are those of files, whatever --now says.
func (a *App) Inbox() *inbox.Inbox {
	if a.Served != nil {
		return inbox.In("", SystemClock()) // the caller's is on another machine
	}
	home, _ := os.UserHomeDir() // without one there is no inbox
	return inbox.In(site.OpenBook(a.Getenv, home).Dir(), SystemClock())
}
