package stores

import (
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

// meaning says to a person what it means to let the rules of a team in.
const meaning = "The rules that members of the team make at %s are then instructions to the " +
	"agents that you run in this project, below your own rules, which win. The server says which " +
	"lines are rules, and of whom: whoever runs it can so direct these agents.\n"

// runRules lets the rules of the team behind a project's server in, or takes that back.
func (o *trustOptions) runRules(a *app.App, cmd *cobra.Command, sites site.Sites,
	dir string) error {
	one, err := candidate(sites, dir)
	if err != nil {
		return err
	}
	if o.revoke {
		return o.takeRulesBack(a, cmd, sites, one)
	}
	if err := policy.CheckPerson(a.Caller, policy.Trust); errors.Is(err, policy.ErrPerson) {
		return err
	}
	switch {
	case !site.IsServed(one.Remote):
		return app.BadInput("--rules",
			"the memories of "+one.Root+" are at no server of a team", "")
	case one.Grant == nil || one.Grant.ID == "":
		return fault.Input("--rules", one.Root+" is not trusted by a record yet",
			advice.RunAlone("trust").Then(" shows it, and asks"))
	case a.Build.Server == nil:
		return a.HandOver("trust", nil)
	}
	server, err := a.Build.Server(a, one.Remote)
	switch {
	case err != nil:
		return err
	case server == "":
		return fault.Input("--rules", "there is no token for "+one.Remote,
			advice.RunAlone("token login", one.Remote).Then(" stores one"))
	case sites.Book.TakesRules(*one.Grant, server):
		return o.printRules(a, cmd, one, "nothing new")
	}
	if !a.Quiet && !a.AsJSON() {
		fmt.Fprintf(cmd.ErrOrStderr(), meaning, app.OneLine(one.Remote))
	}
	if err := a.Confirm(cmd, policy.Trust, "trust these rules?"); err != nil {
		return err
	}
	if err := sites.Book.LetRulesIn(*one.Grant, server); err != nil {
		return err
	}
	return o.printRules(a, cmd, one, "trusted, with the rules of its team")
}

func (o *trustOptions) printRules(a *app.App, cmd *cobra.Command, one *site.Site,
	what string) error {
	ans := trustAnswer{Root: one.Root, In: true, Rules: true, New: []trustedVersion{}}
	return a.Answer(cmd, ans, app.Report(what+": "+one.Root))
}

// takeRulesBack makes the rules of a team data again.
func (o *trustOptions) takeRulesBack(a *app.App, cmd *cobra.Command, sites site.Sites,
	one *site.Site) error {
	if err := policy.CheckPerson(a.Caller, policy.Revoke); err != nil {
		return err
	}
	var was bool
	if one.Grant != nil {
		var err error
		if was, err = sites.Book.RevokeRules(*one.Grant); err != nil {
			return err
		}
	}
	if !was {
		return app.Verdict(mem.KindNo, one.Root+": the rules of its team are not trusted",
			advice.RunAlone("trust", "--list").Then(" lists the trusted stores"))
	}
	return o.print(a, cmd, one, nil, "rules no longer used")
}
