package agents

import (
	"errors"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

type offOptions struct{}

func NewOffCmd(a *app.App) *cobra.Command {
	o := &offOptions{}
	return &cobra.Command{
		Use:   "off",
		Short: "let no hook inject anything in this project",
		Long: `Turn off "mem hook" in this project until "mem on": hooks inject no memories
and do not mention any. All other verbs work as before. The switch applies to
this machine and to all work trees of a repository; run by an agent, to its own
conversation alone, and the next hook says so to the person. MEM_OFF=1 in the
environment of an agent does the same for that agent everywhere. "mem where"
and "mem doctor" report that hooks are off.`,
		Example: `  mem off
  MEM_OFF=1 claude`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *offOptions) run(a *app.App, cmd *cobra.Command) error { return setHooks(a, cmd, true) }

// setHooks turns the hooks of the project here off or on.
func setHooks(a *app.App, cmd *cobra.Command, off bool) error {
	if err := a.Check(); err != nil {
		return err
	}
	sites, err := a.FindSites("")
	if err != nil {
		return err
	}
	if !policy.IsPerson(a.Caller) {
		return setHooksHere(a, cmd, sites, off)
	}
	at := sites.ForProject()
	if at == nil {
		return fault.Input(cmd.Name(), "there is no project here",
			advice.Run("init").Then(" creates one in this directory").
				Also(advice.Say("MEM_OFF=1 turns hooks off anywhere")))
	}
	changed, err := sites.Book.SetOff(at.Root, off)
	if err == nil && off {
		err = stopJournals(a, at)
	}
	if err != nil {
		return err
	}
	what := "nothing changed"
	if changed {
		what = "hooks are " + cmd.Name() + " for " + site.WholePath(at.Root)
	}
	a.Mention(cmd, what)
	if why := sites.WhyOff(a.Getenv); why != "" && !off && a.Explains() {
		a.Tell(cmd, "warning", "hooks stay off: "+why)
	}
	return a.Answer(cmd, struct {
		Root    string `json:"root"`
		Off     bool   `json:"off"`
		Changed bool   `json:"changed"`
	}{site.WholePath(at.Root), off, changed}, app.Nothing)
}

// setHooksHere turns the hooks off or on in the conversation of the client that runs this alone.
func setHooksHere(a *app.App, cmd *cobra.Command, sites site.Sites, off bool) error {
	client, session := hook.Caller(a.Getenv)
	if session == "" {
		return policy.CheckPerson(a.Caller, policy.Off)
	}
	_, err := sites.Book.SetOff(site.Conversation(client, session), off)
	if err == nil && off {
		err = a.Inbox().Stop(client, session)
	}
	if err == nil && a.Talks() {
		a.Say(cmd, "hooks are "+cmd.Name()+" in this conversation alone: only a person turns "+
			"them off for the project")
	}
	return err
}

// stopJournals removes the journals of the conversations of a store.
func stopJournals(a *app.App, at *site.Site) error {
	box := a.Inbox()
	list, err := box.Journals(at.Address())
	for _, j := range list {
		err = errors.Join(err, box.Stop(j.Client, j.Session.Session))
	}
	return err
}
