package app

import (
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// Exam returns what the doctor looks at in a call; opts are of its stores.
func (a *App) Exam(l *layers.Layers, opts mem.Options) *doctor.Exam {
	opts.Program = a.Typed()
	return &doctor.Exam{Queue: a.Queue(l), Options: opts, Getenv: a.Getenv, Root: a.Root,
		Words: a.ForPeople, Stat: func(ctx context.Context, one *site.Site) (mem.Stat, error) {
			return a.StatServed(ctx, ServedAt{URL: one.Address(), Project: one.Name()})
		}}
}

// SayFull says on a terminal which of the stores has as many notes as it may have.
func (a *App) SayFull(cmd *cobra.Command, l *layers.Layers) {
	if Terminal(cmd.ErrOrStderr()) == 0 || !a.Talks() {
		return
	}
	for _, site := range l.Sites.List() {
		for _, c := range a.Exam(l, mem.Options{}).Full(cmd.Context(), site) {
			if name := l.NameOf(site); name != "" {
				c.What += " of the " + name + " layer"
			}
			a.Tell(cmd, "warning", c.What+": "+c.Message+": "+c.Fix+" makes room")
		}
	}
}
