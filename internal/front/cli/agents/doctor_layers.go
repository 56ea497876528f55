package agents

import (
	"context"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// layerChecks returns the checks of a store as a layer: unseen lines of others, and memories that
// belong elsewhere. A store that cannot be read has a check of its own already.
func (o *doctorOptions) layerChecks(a *app.App, cmd *cobra.Command, l *layers.Layers,
	site *site.Site) (checks []doctor.Check) {
	if fresh, err := l.Unseen(cmd.Context(), a.Caller, site); err == nil && len(fresh) > 0 {
		checks = append(checks, doctor.Check{
			What: "trust", Level: doctor.Warn, Fix: "mem trust",
			Message: app.Memories(len(fresh)) + " from other people or machines since it was " +
				"trusted: hooks do not inject them",
		})
	}
	checks = append(checks, foreignConfig(site)...)
	checks = append(checks, plainIDs(a, cmd, l, site)...)
	if site == l.Sites.Project {
		return append(checks, besideCheck(a, cmd, l)...)
	}
	if site != l.Sites.User || l.Sites.Project == nil {
		return checks
	}
	if n, err := l.Unfiled(cmd.Context(), a.Caller); err == nil && n > 0 {
		text := app.Memories(n)
		if n == layers.MaxUnfiled {
			text += " and more"
		}
		checks = append(checks, doctor.Check{
			What: "unfiled", Level: doctor.OK,
			Message: text + " of no project, which hooks do not inject here; " +
				"mem move --unfiled --to project moves them to this one",
		})
	}
	return checks
}

// plainIDs returns the check of notes whose ids have no letters, as an earlier mem gave them.
func plainIDs(a *app.App, cmd *cobra.Command, l *layers.Layers, site *site.Site) []doctor.Check {
	s, err := l.Open(site)
	if err != nil || !site.IsLayer() {
		return nil
	}
	n, err := lettering.Plain(cmd.Context(), s, a.Caller)
	if n == 0 || err != nil {
		return nil
	}
	return []doctor.Check{{What: "ids", Level: doctor.Warn, Message: app.Count(n, "note") +
		" of an earlier mem without letters in the id: no sync sends them",
		Fix: a.ForPeople(advice.Run("fsck", "--repair").Then(" gives them letters"))}}
}

// ignored returns the check of a .mem on the way that is not used.
func ignored(s site.Skipped) doctor.Check {
	fix := "name it with --root or MEM_ROOT if you trust it, or remove it"
	if s.Marked != nil {
		fix = s.Marked.Advice().String()
	} else if s.Untrusted {
		fix = "mem trust " + advice.Quote(filepath.Dir(s.Root))
	}
	return doctor.Check{
		What: "ignored", Message: s.Root + " is not used: " + s.Why, Level: doctor.Warn, Fix: fix,
	}
}

// besideCheck returns the check of memories of the repository that a .mem hides.
func besideCheck(a *app.App, cmd *cobra.Command, l *layers.Layers) []doctor.Check {
	root, n, err := l.StoreBeside(cmd.Context(), a.Caller)
	if err != nil || n == 0 {
		return nil
	}
	return []doctor.Check{{What: "beside", Level: doctor.OK,
		Message: app.HiddenBeside(l, root, n).String()}}
}

// matchChecks returns a check of each store that may be of the repository here, and is not in use.
func matchChecks(a *app.App, cmd *cobra.Command, l *layers.Layers) (checks []doctor.Check) {
	list, err := l.Matches(cmd.Context(), a.Caller)
	if err != nil {
		return nil // as long as a store cannot be read it has a check of its own
	}
	for _, one := range list {
		checks = append(checks, doctor.Check{What: "project", Level: doctor.Warn,
			Message: app.MatchText + ": " + app.Memories(one.Memories),
			Fix:     a.ForPeople(advice.Run("project", "link", one.ID))})
	}
	return checks
}

// sayMatch returns for the person that begins a session that another store may be of the repository
// here; "" for none, and where that was said often enough. It names no project.
func sayMatch(ctx context.Context, a *app.App, l *layers.Layers) string {
	clock, err := a.Clock()
	if err != nil {
		return ""
	}
	id := l.MatchToShow(ctx, a.Caller, log.StampOf(clock()))
	if id == "" {
		return ""
	}
	return app.MatchText + ": " + app.LinkTo(id).String()
}

// badTrust warns of paths in MEM_TRUST that name no store.
func badTrust(a *app.App) (checks []doctor.Check) {
	for _, path := range filepath.SplitList(a.Getenv("MEM_TRUST")) {
		why := ""
		switch {
		case !filepath.IsAbs(path):
			why = " is a relative path"
		case app.IsGone(path):
			why = " is not there"
		default:
			continue
		}
		checks = append(checks, doctor.Check{What: "MEM_TRUST", Level: doctor.Warn,
			Message: path + why + ", so it trusts no store",
			Fix:     "name the .mem, or the directory that has it, by its whole path"})
	}
	return checks
}

// foreignConfig warns of a configuration that came with a repository.
func foreignConfig(site *site.Site) []doctor.Check {
	path := filepath.Join(site.Root, mem.ConfigFile)
	if app.IsGone(path) || !site.HasForeignConfig() {
		return nil
	}
	return []doctor.Check{{What: "config", Level: doctor.Warn,
		Message: path + " came, or may have come, with the repository, so it is not used",
		Fix:     "git rm --cached .mem/config.json, if git tracks it and it is yours"}}
}
