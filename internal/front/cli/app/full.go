package app

import (
	"slices"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/spf13/cobra"
)

// FullCheck returns the check of a store with as many notes as it may have.
func (a *App) FullCheck(cmd *cobra.Command, l *layers.Layers, site *site.Site) []doctor.Check {
	s, err := l.Open(site)
	if err != nil {
		return nil
	}
	full, err := note.FullOf(cmd.Context(), s, a.Caller)
	if err != nil || full == nil {
		return nil
	}
	return []doctor.Check{{What: "notes", Level: doctor.Warn, Message: full.String(),
		Fix: a.ForPeople(full.Raise(FlagsOf(l, site)...))}}
}

// FlagsOf returns the flags that name a store; none where it is the one that there is.
func FlagsOf(l *layers.Layers, site *site.Site) []string {
	if name := LayerName(l, site); !slices.Contains(l.Sites.List(), site) {
		return []string{"--root", site.Root}
	} else if name != "" {
		return []string{"--layer", name}
	}
	return nil
}

// SayFull says on a terminal which of the stores has as many notes as it may have.
func (a *App) SayFull(cmd *cobra.Command, l *layers.Layers) {
	if Terminal(cmd.ErrOrStderr()) == 0 || !a.Talks() {
		return
	}
	for _, site := range l.Sites.List() {
		for _, c := range a.FullCheck(cmd, l, site) {
			if name := LayerName(l, site); name != "" {
				c.What += " of the " + name + " layer"
			}
			a.Tell(cmd, "warning", c.What+": "+c.Message+": "+c.Fix+" makes room")
		}
	}
}
