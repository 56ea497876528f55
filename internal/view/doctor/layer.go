package doctor

import (
	"context"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/lettering"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
)

// layer returns the checks of a store as a layer: unseen lines of others, and memories that belong
// elsewhere. A store that cannot be read has a check of its own already.
func (e *Exam) layer(ctx context.Context, one *site.Site) (checks []Check) {
	l := e.Layers
	if fresh, err := l.Unseen(ctx, e.Caller, one); err == nil && len(fresh) > 0 {
		checks = append(checks, Check{What: "trust", Level: Warn, Fix: "mem trust",
			Message: text.Memories(len(fresh)) + " from other people or machines since it was " +
				"trusted: hooks do not inject them"})
	}
	path := filepath.Join(one.Root, mem.ConfigFile)
	if !site.IsGone(path) && one.HasForeignConfig() {
		checks = append(checks, Check{What: "config", Level: Warn,
			Message: path + " came, or may have come, with the repository, so it is not used",
			Fix:     "git rm --cached .mem/config.json, if git tracks it and it is yours"})
	}
	checks = append(checks, e.plainIDs(ctx, one)...)
	if one == l.Sites.Project {
		return append(checks, e.beside(ctx)...)
	}
	if one != l.Sites.User || l.Sites.Project == nil {
		return checks
	}
	if n, err := l.Unfiled(ctx, e.Caller); err == nil && n > 0 {
		count := text.Memories(n)
		if n == layers.MaxUnfiled {
			count += " and more"
		}
		checks = append(checks, Check{What: "unfiled", Level: OK,
			Message: count + " of no project, which hooks do not inject here; " +
				"mem move --unfiled --to project moves them to this one"})
	}
	return checks
}

// plainIDs returns the check of notes whose ids have no letters, as an earlier mem gave them.
func (e *Exam) plainIDs(ctx context.Context, one *site.Site) []Check {
	s, err := e.Layers.Open(one)
	if err != nil || !one.IsLayer() {
		return nil
	}
	n, err := lettering.Plain(ctx, s, e.Caller)
	if n == 0 || err != nil {
		return nil
	}
	return []Check{{What: "ids", Level: Warn, Message: text.Count(n, "note") +
		" of an earlier mem without letters in the id: no sync sends them",
		Fix: e.Words(advice.Run("fsck", "--repair").Then(" gives them letters"))}}
}

// Full returns the check of a store with as many notes as it may have.
func (e *Exam) Full(ctx context.Context, one *site.Site) []Check {
	s, err := e.Layers.Open(one)
	if err != nil {
		return nil
	}
	full, err := note.FullOf(ctx, s, e.Caller)
	if err != nil || full == nil {
		return nil
	}
	return []Check{{What: "notes", Level: Warn, Message: full.String(),
		Fix: e.Words(full.Raise(e.Layers.FlagsOf(one)...))}}
}

// ignored returns the check of a .mem on the way that is not used.
func ignored(s site.Skipped) Check {
	fix := "name it with --root or MEM_ROOT if you trust it, or remove it"
	if s.Marked != nil {
		fix = s.Marked.Advice().String()
	} else if s.Untrusted {
		fix = "mem trust " + advice.Quote(filepath.Dir(s.Root))
	}
	return Check{What: "ignored", Message: s.Root + " is not used: " + s.Why, Level: Warn, Fix: fix}
}

// beside returns the check of memories of the repository that a .mem hides.
func (e *Exam) beside(ctx context.Context) []Check {
	hidden, err := e.Layers.HiddenBeside(ctx, e.Caller)
	if err != nil || hidden == nil {
		return nil
	}
	return []Check{{What: "beside", Level: OK, Message: hidden.String()}}
}

// matches returns a check of each store that may be of the repository here, and is not in use.
func (e *Exam) matches(ctx context.Context) (checks []Check) {
	list, err := e.Layers.Matches(ctx, e.Caller)
	if err != nil {
		return nil // as long as a store cannot be read it has a check of its own
	}
	for _, one := range list {
		checks = append(checks, Check{What: "project", Level: Warn,
			Message: layers.MatchText + ": " + text.Memories(one.Memories),
			Fix:     e.Words(advice.Run("project", "link", one.ID))})
	}
	return checks
}

// facts returns the check of the facts that wait.
func (e *Exam) facts(ctx context.Context) []Check {
	list, _ := e.Facts(ctx)
	if len(list) == 0 {
		return nil
	}
	return []Check{{What: "facts", Level: OK, Message: queue.CountFacts(list) + ": mem approve"}}
}

// proposals returns the check of a store with proposed changes.
func (e *Exam) proposals(ctx context.Context, one *site.Site) []Check {
	s, err := e.Layers.Open(one)
	if err != nil {
		return nil
	}
	list, err := proposal.List(ctx, s, e.Caller)
	if err != nil || len(list) == 0 {
		return nil
	}
	return []Check{{What: "proposals", Level: OK,
		Message: queue.CountChanges(len(list)) + ": mem approve"}}
}
