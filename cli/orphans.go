package cli

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// maxOrphans is how many memories without their successor are named.
const maxOrphans = 3

// sayOrphans warns of the memories that what was deleted has superseded: nothing would tell them
// any more. It is no error where they cannot be looked for: the deletion is stored.
func sayOrphans(a *app, cmd *cobra.Command, l *mem.Layers, deleted []mem.Outcome) {
	all, err := l.Reading()
	if err != nil || !talks(a) {
		return
	}
	var orphans []keypath.Key
	for _, out := range deleted {
		orphans = append(orphans, supersededBy(cmd, all, out.Key)...)
	}
	for _, key := range orphans[:min(len(orphans), maxOrphans)] {
		a.tell(cmd, "warning", key.Shown()+" was superseded by it; mem touch "+
			shellWord(key.String())+" --current lets it be told again")
	}
	if more := len(orphans) - maxOrphans; more > 0 {
		a.tell(cmd, "warning", fmt.Sprintf("%d more; mem audit --dangling lists them", more))
	}
}

// supersededBy returns the memories that name a key as their successor, unless the key is there. It
// searches for the words of the key: to look at every memory would be slow.
func supersededBy(cmd *cobra.Command, s *mem.Store, key keypath.Key) (list []keypath.Key) {
	if _, err := s.Get(cmd.Context(), caller, key, false); err == nil {
		return nil // the other layer has it
	}
	words := strings.NewReplacer("/", " ", `"`, " ").Replace(key.String())
	found, _ := s.Reader(caller).Search(cmd.Context(), mem.SearchOptions{
		Query: `"` + words + `"`, Limit: 1000, Superseded: true,
	})
	for _, f := range found {
		if content.Successor(f.Record.Content) == key.String() {
			list = append(list, f.Record.Key)
		}
	}
	return list
}
