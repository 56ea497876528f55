package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/spf13/cobra"
)

// factsHere returns the facts that hooks propose for the stores here, and how many for others. An
// inbox that cannot be read has none.
func factsHere(a *app, l *mem.Layers) (list []inbox.Proposal, others int) {
	list, others, err := intake.Here(l, inboxOf(a))
	if err != nil || list == nil {
		list = []inbox.Proposal{}
	}
	return list, others
}

// factCheck returns the check of the facts that wait.
func factCheck(a *app, l *mem.Layers) []doctor.Check {
	list, _ := factsHere(a, l)
	if len(list) == 0 {
		return nil
	}
	return []doctor.Check{{What: "facts", Level: doctor.OK,
		Message: count(len(list), "proposed fact") + ": mem approve"}}
}

// proposalsIn returns the proposals of all layers.
func proposalsIn(ctx context.Context, l *mem.Layers) (list []proposal.Proposal, err error) {
	err = eachLayer(l, func(s *mem.Store, site *site.Site) error {
		some, err := proposal.List(ctx, s, caller)
		for _, p := range some {
			p.Layer = site.Layer
			list = append(list, p)
		}
		return err
	})
	return list, err
}

// proposalsWaiting returns how many proposals wait for a person, in words; "" for none.
func proposalsWaiting(ctx context.Context, a *app, l *mem.Layers) string {
	list, err := proposalsIn(ctx, l)
	facts, _ := factsHere(a, l)
	var what []string
	if err == nil && len(list) > 0 {
		what = append(what, proposedChanges(len(list)))
	}
	if len(facts) > 0 {
		what = append(what, count(len(facts), "proposed fact"))
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, " and ") + ": mem approve"
}

// proposalCheck returns the check of a store with proposals.
func proposalCheck(cmd *cobra.Command, l *mem.Layers, site *site.Site) []doctor.Check {
	s, err := l.Open(site)
	if err != nil {
		return nil
	}
	list, err := proposal.List(cmd.Context(), s, caller)
	if err != nil || len(list) == 0 {
		return nil
	}
	return []doctor.Check{{What: "proposals", Level: doctor.Warn, Fix: "mem approve",
		Message: proposedChanges(len(list))}}
}

func proposedChanges(n int) string {
	if n == 1 {
		return "1 proposed change of your rules"
	}
	return fmt.Sprintf("%d proposed changes of your rules", n)
}

// inboxOf returns the inbox of this person.
func inboxOf(a *app) *inbox.Inbox {
	home, _ := os.UserHomeDir() // without one there is no inbox
	now, _ := a.clock()         // the verb has reported a wrong one before
	return inbox.In(site.OpenBook(a.getenv, home).Dir(), now)
}
