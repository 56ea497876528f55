package mem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/rule/policy"
)

// warnOwners warns of what was written for other agents than the one that calls: it is not shown
// what it has written. A backup that is brought back is meant so, so this is no error.
func (op *Operation) warnOwners(written []Checked) {
	var owners []string
	count := 0
	for _, p := range written {
		if !p.env.Valid() || policy.Permits(op.caller, p.env.Key) {
			continue
		}
		count++
		if owner := p.env.Key.Realm().Owner; !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	if count == 0 {
		return
	}
	what := "written for agent " + strings.Join(owners, ", ") + ": MEM_AGENT is "
	if op.caller.Agent == "" {
		what += "not set, and nobody else is shown it"
	} else {
		what += op.caller.Agent + ", who cannot see it"
	}
	if count > 1 {
		what += fmt.Sprintf(" (memories: %d)", count)
	}
	op.store.opts.Warn(what)
}
