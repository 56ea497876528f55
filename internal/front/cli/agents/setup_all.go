package agents

import (
	"slices"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/spf13/cobra"
)

func (o *setupOptions) plan(ask setup.Request) ([]setup.Change, error) {
	if o.remove {
		return setup.Uninstall(ask)
	}
	return setup.Install(ask)
}

// requests returns the requests for the clients that are meant.
func (o *setupOptions) requests(ask setup.Request, names []string) (
	asks []setup.Request, err error) {
	var list []setup.Status
	for _, name := range names {
		list = append(list, setup.Status{Client: name, Scope: o.scope()})
	}
	if o.all {
		list = o.found(ask)
	}
	for _, w := range list {
		r := ask
		r.Flags = slices.Clip(ask.Flags)
		if err := o.setClient(&r, w.Client, w.Scope); err != nil {
			return nil, err
		}
		asks = append(asks, r)
	}
	if len(asks) == 0 && !o.remove {
		err = app.BadInput("setup", "no client was found here", "want one of "+clientNames())
	}
	return asks, err
}

// found returns the clients on this machine, each in the scopes that --all means.
func (o *setupOptions) found(ask setup.Request) (list []setup.Status) {
	for _, w := range setup.List(ask) {
		scopes := setup.Scopes(setup.ClientByName(w.Client))
		if o.scope() != "" {
			w.Scope = o.scope()
		} else if w.State == setup.Found && slices.Contains(scopes, setup.User) {
			w.Scope = setup.User
		}
		known := slices.ContainsFunc(list, func(other setup.Status) bool {
			return other.Client == w.Client && other.Scope == w.Scope
		})
		if w.State != setup.Absent && !known && slices.Contains(scopes, w.Scope) {
			list = append(list, w)
		}
	}
	return list
}

// scope returns the scope that a flag names, "" for the default of each client.
func (o *setupOptions) scope() setup.Scope {
	switch {
	case o.user:
		return setup.User
	case o.project:
		return setup.Project
	}
	return ""
}

// setUp makes the changes, client by client, since some share a file, and prints them.
func (o *setupOptions) setUp(a *app.App, cmd *cobra.Command, asks []setup.Request) (err error) {
	answers := []setupAnswer{}
	problems := false
	for i, ask := range asks {
		changes, err := o.plan(ask)
		if err == nil && !o.check {
			err = o.apply(a, ask, changes)
		}
		if err != nil {
			return o.explain(err)
		}
		ans := o.answer(ask, changes, i == 0)
		answers, problems = append(answers, ans), problems || ans.problems
		if !a.AsJSON() {
			o.printLines(a, cmd.OutOrStdout(), ask, ans, len(asks) > 1)
		}
	}
	var doc any = map[string]any{"clients": answers}
	if len(answers) == 1 {
		doc = answers[0]
	}
	return app.NoIf(problems, a.Answer(cmd, doc, func(*app.App, *cobra.Command) error {
		if len(asks) == 0 {
			return app.Line("mem is wired in no client here")(a, cmd)
		}
		if o.remove && !a.Quiet {
			return app.Line("the memories stay: mem where --all lists their directories")(a, cmd)
		}
		o.printNext(a, cmd, asks)
		return nil
	}))
}

func (o *setupOptions) apply(a *app.App, ask setup.Request, changes []setup.Change) error {
	if err := setup.CheckAccess(changes); err != nil {
		return err // before anything else is made for the client
	}
	if o.remove {
		if err := setup.Apply(changes); err != nil {
			return err
		}
		if err := a.Inbox().Leave(ask.Client.Name); err != nil {
			return err
		}
		setup.RemoveRoots(ask)
		return setup.RemovePrograms(ask)
	}
	self, err := ownMem()
	if err != nil {
		return err
	}
	if err := setup.MakeRoots(ask); err != nil {
		return err
	}
	if err := setup.CopyPrograms(ask, self); err != nil {
		return err
	}
	return setup.Apply(changes)
}
