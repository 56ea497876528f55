package cli

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/spf13/cobra"
)

// fullCheck returns the check of a store with as many notes as it may have.
func fullCheck(a *app, cmd *cobra.Command, l *mem.Layers, site *site.Site) []doctor.Check {
	s, err := l.Open(site)
	if err != nil {
		return nil
	}
	full, err := note.FullOf(cmd.Context(), s, caller)
	if err != nil || full == nil {
		return nil
	}
	return []doctor.Check{{What: "notes", Level: doctor.Warn, Message: full.String(),
		Fix: forPeople(a, full.Raise(flagsOf(l, site)...))}}
}

// flagsOf returns the flags that name a store; none where it is the one that there is.
func flagsOf(l *mem.Layers, site *site.Site) []string {
	if name := layerName(l, site); !slices.Contains(l.Sites.List(), site) {
		return []string{"--root", site.Root}
	} else if name != "" {
		return []string{"--layer", name}
	}
	return nil
}

// sayFull says on a terminal which of the stores has as many notes as it may have.
func sayFull(a *app, cmd *cobra.Command, l *mem.Layers) {
	if terminal(cmd.ErrOrStderr()) == 0 || !talks(a) {
		return
	}
	for _, site := range l.Sites.List() {
		for _, c := range fullCheck(a, cmd, l, site) {
			if name := layerName(l, site); name != "" {
				c.What += " of the " + name + " layer"
			}
			a.tell(cmd, "warning", c.What+": "+c.Message+": "+c.Fix+" makes room")
		}
	}
}
