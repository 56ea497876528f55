package agents

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/spf13/cobra"
)

// machine returns the checks of the environment and of the coding agents.
func (o *doctorOptions) machine(a *app.App, cmd *cobra.Command, l *layers.Layers,
	opts mem.Options) []doctor.Check {
	return slices.Concat(relativeRoot(a), badTrust(a), hooksCheck(a, l.Sites),
		[]doctor.Check{pathCheck()}, buildChecks(),
		o.clients(a, cmd, l, opts), nativeChecks(a, cmd, &l.Sites))
}

// HereChecks returns the checks of doctor without flags, for a caller that has no store open.
func HereChecks(a *app.App, cmd *cobra.Command) []doctor.Check {
	opts, err := a.Clocks()
	if err != nil {
		return nil // the caller has checked the flags
	}
	sites, err := a.FindSites("")
	if err != nil {
		return nil
	}
	l := layers.New(sites, func(*site.Site) mem.Options { return opts })
	defer l.Close() // it only reads
	return new(doctorOptions).checks(a, cmd, l, sites.List(), opts)
}
