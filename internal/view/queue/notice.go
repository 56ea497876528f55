package queue

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/intake"
	"github.com/set-memory/mem/keypath"
)

// CountFacts says how many facts are proposed, and how many rules were typed.
func CountFacts(list []inbox.Proposal) string {
	rules := len(typedRules(list))
	var what []string
	if n := len(list) - rules; n > 0 {
		what = append(what, text.Count(n, "proposed fact"))
	}
	if rules > 0 {
		what = append(what, text.Count(rules, "typed rule"))
	}
	return strings.Join(what, " and ")
}

func typedRules(list []inbox.Proposal) []inbox.Proposal {
	return slices.DeleteFunc(slices.Clone(list), func(p inbox.Proposal) bool {
		return p.Class != inbox.Rule
	})
}

// CountChanges says how many changes are proposed.
func CountChanges(n int) string {
	if n == 1 {
		return "1 proposed change of your rules"
	}
	return fmt.Sprintf("%d proposed changes of your rules", n)
}

// Notice says at the beginning of a session how much waits, beside quarantined writes; "" for
// nothing. A typed rule waits without a limit of time, so it is named once.
func (q *Queue) Notice(ctx context.Context) string {
	changes, err := q.Proposals(ctx)
	changes = slices.DeleteFunc(changes, func(it Item) bool { return it.Proposal.IsGone() })
	facts, _ := q.Facts(ctx)
	facts = slices.DeleteFunc(facts, func(p inbox.Proposal) bool { return p.Named })
	_ = q.Inbox.MarkNamed(typedRules(facts)...) // else it is named again
	var what []string
	if err == nil && len(changes) > 0 {
		what = append(what, CountChanges(len(changes)))
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

// Ended returns a line about typed rules that wait no more because of an agent, once; "" for none.
func (q *Queue) Ended(ctx context.Context) string {
	list, err := intake.Ended(ctx, q.Layers, q.Caller, q.Inbox)
	if err != nil || len(list) == 0 {
		return ""
	}
	_ = q.Inbox.MarkEnded(list...) // else it is said again
	p, more := list[0], ""
	if n := len(list) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	id := RuleID(p)
	return "an agent has changed or forgotten " + id + ", a rule that you typed and that waited: " +
		strconv.Quote(text.Clip(p.Text, maxQuoted)) + more + " (mem history " + id +
		"; mem undo " + id + " brings it back)"
}
