package doctor

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/queue"
)

// Exam is what the doctor looks at: the stores of a call, what waits there, and the environment.
// Checks that need to know a front are functions of that front.
type Exam struct {
	*queue.Queue
	Options mem.Options // of a store
	Getenv  func(string) string
	Root    string // that the call names; "" for none

	// Words returns advice as the front prints it.
	Words func(advice.List) string
	// Stat counts a memory behind a server.
	Stat func(context.Context, *site.Site) (mem.Stat, error)
}

// Checks returns the checks of some stores, each with its title, and of what belongs to none.
func (e *Exam) Checks(ctx context.Context, list []*site.Site, title func(*site.Site) string) (
	checks []Check) {
	for _, s := range e.Layers.Sites.Skipped {
		checks = append(checks, ignored(s))
	}
	if served := e.Layers.Sites.Served; served != nil {
		checks = append(append(checks, e.served(ctx, served)), e.beside(ctx)...)
	}
	for _, one := range list {
		checks = append(checks, e.store(ctx, one, title(one))...)
	}
	return slices.Concat(checks, e.matches(ctx), e.facts(ctx), e.exchanges(), e.environment())
}

func (e *Exam) store(ctx context.Context, one *site.Site, title string) []Check {
	sites := &e.Layers.Sites
	if at := sites.One; at != nil && site.IsServed(at.Address()) {
		return []Check{e.served(ctx, at)}
	}
	opts := e.Options
	opts.Shared = one.Shared()
	if flags := e.Layers.FlagsOf(one); len(flags) > 0 && flags[0] == "--root" {
		opts.Program = "mem --root " + advice.Quote(one.Root)
	}
	checks := Diagnose(site.WholePath(one.Address()), opts)
	isOpen := checks[0].Level == OK
	if isOpen && title != "" {
		checks[0].Message += " (" + one.Why + ")"
	}
	if one == sites.Project && sites.One == nil || one == sites.User {
		checks = append(checks, e.layer(ctx, one)...)
	}
	if isOpen {
		checks = slices.Concat(checks, e.Full(ctx, one), e.proposals(ctx, one))
	}
	for i := range checks {
		checks[i].Layer = title
	}
	return checks
}

// served returns the check of a memory behind a server.
func (e *Exam) served(ctx context.Context, one *site.Site) Check {
	c := Check{What: "server", Message: one.Address(), Level: OK}
	st, err := e.Stat(ctx, one)
	if err == nil {
		c.Message += " answers: " + text.Memories(st.Live)
		return c
	}
	c.Level, c.Message = Bad, mem.Message(err)
	c.Fix = cmp.Or(e.Words(mem.AdviceOf(err)), "look into the log of memd there")
	return c
}

// environment returns the checks of what the environment says of stores and hooks.
func (e *Exam) environment() (checks []Check) {
	root := e.Getenv("MEM_ROOT")
	if whole := site.WholePath(root); e.Root == "" && root != "" && !filepath.IsAbs(root) &&
		whole != root {
		checks = append(checks, Check{What: "MEM_ROOT", Level: Warn,
			Message: root + " is a relative path: each working directory has its own memory",
			Fix:     "export MEM_ROOT=" + advice.Quote(whole)})
	}
	for _, path := range filepath.SplitList(e.Getenv("MEM_TRUST")) {
		why := " is a relative path"
		if filepath.IsAbs(path) {
			why = " is not there"
			if !site.IsGone(path) {
				continue
			}
		}
		checks = append(checks, Check{What: "MEM_TRUST", Level: Warn,
			Message: path + why + ", so it trusts no store",
			Fix:     "name the .mem, or the directory that has it, by its whole path"})
	}
	// Somebody wanted it, so there is no remedy.
	if why := e.Layers.Sites.WhyOff(e.Getenv); why != "" {
		checks = append(checks, Check{What: "hooks", Level: Warn, Message: "off: " + why})
	}
	return checks
}
