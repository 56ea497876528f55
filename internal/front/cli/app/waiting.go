package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// FactsHere returns the facts that hooks propose for the stores here, and how many for others. An
// inbox that cannot be read has none.
func (a *App) FactsHere(ctx context.Context, l *layers.Layers) (
	list []inbox.Proposal, others int) {
	list, others, err := intake.Here(ctx, l, a.Caller, a.Inbox())
	if err != nil || list == nil {
		list = []inbox.Proposal{}
	}
	return list, others
}

// FactCheck returns the check of the facts that wait.
func (a *App) FactCheck(ctx context.Context, l *layers.Layers) []doctor.Check {
	list, _ := a.FactsHere(ctx, l)
	if len(list) == 0 {
		return nil
	}
	return []doctor.Check{{What: "facts", Level: doctor.OK,
		Message: CountFacts(list) + ": mem approve"}}
}

// CountFacts returns how many facts are proposed, and how many rules that were typed.
func CountFacts(list []inbox.Proposal) string {
	rules := typedRules(list)
	var what []string
	if n := len(list) - len(rules); n > 0 {
		what = append(what, Count(n, "proposed fact"))
	}
	if len(rules) > 0 {
		what = append(what, Count(len(rules), "typed rule"))
	}
	return strings.Join(what, " and ")
}

func typedRules(list []inbox.Proposal) []inbox.Proposal {
	return slices.DeleteFunc(slices.Clone(list), func(p inbox.Proposal) bool {
		return p.Class != inbox.Rule
	})
}

// ProposalsIn returns the proposals of all layers.
func (a *App) ProposalsIn(ctx context.Context, l *layers.Layers) (
	list []proposal.Proposal, err error) {
	err = EachLayer(l, func(s *mem.Store, site *site.Site) error {
		some, err := proposal.List(ctx, s, a.Caller)
		for _, p := range some {
			p.Layer = site.Layer
			list = append(list, p)
		}
		return err
	})
	return list, err
}

// ProposalsWaiting returns how many proposals wait for a person, in words; "" for none. A typed
// rule waits without a limit of time, so it is named once.
func (a *App) ProposalsWaiting(ctx context.Context, l *layers.Layers) string {
	list, err := a.ProposalsIn(ctx, l)
	list = slices.DeleteFunc(list, func(p proposal.Proposal) bool { return p.IsGone() })
	facts, _ := a.FactsHere(ctx, l)
	facts = slices.DeleteFunc(facts, func(p inbox.Proposal) bool { return p.Named })
	_ = a.Inbox().Name(typedRules(facts)...) // else it is named again
	var what []string
	if err == nil && len(list) > 0 {
		what = append(what, proposedChanges(len(list)))
	}
	if len(facts) > 0 {
		what = append(what, CountFacts(facts))
	}
	if len(what) == 0 {
		return ""
	}
	return strings.Join(what, " and ") + ": mem approve"
}

// RuleID returns the id of the fact of a typed rule, or its key.
func RuleID(p inbox.Proposal) string {
	if key, err := keypath.Parse(p.Fact); err == nil {
		if id, ok := keypath.NoteID(key); ok {
			return id
		}
	}
	return p.Fact
}

// maxQuoted is how many characters of a rule a line quotes.
const maxQuoted = 120

// RulesEnded returns a line about typed rules that wait no more because of an agent, once; "" for
// none.
func (a *App) RulesEnded(ctx context.Context, l *layers.Layers) string {
	list, err := intake.Ended(ctx, l, a.Caller, a.Inbox())
	if err != nil || len(list) == 0 {
		return ""
	}
	_ = a.Inbox().NameEnded(list...) // else it is said again
	p, more := list[0], ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	id := RuleID(p)
	return "an agent has changed or forgotten " + id + ", a rule that you typed and that waited: " +
		strconv.Quote(text.Clip(p.Text, maxQuoted)) + more + " (mem history " + id +
		"; mem undo " + id + " brings it back)"
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
		Message: proposedChanges(len(list)) + ": mem approve"}}
}

func proposedChanges(n int) string {
	if n == 1 {
		return "1 proposed change of your rules"
	}
	return fmt.Sprintf("%d proposed changes of your rules", n)
}

// Inbox returns the inbox of this person. Its ages are those of files, whatever --now says.
func (a *App) Inbox() *inbox.Inbox {
	if a.Served != nil {
		return inbox.In("", SystemClock()) // the caller's is on another machine
	}
	home, _ := os.UserHomeDir() // without one there is no inbox
	return inbox.In(site.OpenBook(a.Getenv, home).Dir(), SystemClock())
}
