package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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
	for _, out := range mayHaveOrphans(cmd, all, deleted) {
		orphans = append(orphans, supersededBy(cmd, all, out.Key)...)
	}
	for _, key := range orphans[:min(len(orphans), maxOrphans)] {
		a.advise(cmd, "warning", advice.Say(key.Shown()+" was superseded by it").Also(
			advice.Run("touch", key.String(), "--current").Then(" lets it be told again")))
	}
	if more := len(orphans) - maxOrphans; more > 0 {
		a.advise(cmd, "warning", advice.Say(strconv.Itoa(more)+" more").Also(
			advice.Run("audit", "--dangling").Then(" lists them")))
	}
}

// mayHaveOrphans returns those of the deleted that something may name as its successor. Of a few it
// returns all; of many, a pass over everything costs less than a search for each.
func mayHaveOrphans(cmd *cobra.Command, s *mem.Store, deleted []mem.Outcome) []mem.Outcome {
	const few = 50
	if len(deleted) <= few {
		return deleted
	}
	named := map[string]bool{}
	_, err := s.Reader(caller).Search(cmd.Context(), mem.SearchOptions{
		Superseded: true,
		Accept: func(rec log.Record) bool {
			named[content.Successor(rec.Content)] = true
			return false // it is only looked at
		},
	})
	if err != nil {
		return deleted
	}
	return slices.DeleteFunc(slices.Clone(deleted), func(out mem.Outcome) bool {
		return !named[out.Key.String()]
	})
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
