package records

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/erase"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

type agentOptions struct{ purge bool }

func NewAgentCmd(a *app.App) *cobra.Command {
	o := &agentOptions{}
	cmd := &cobra.Command{
		Use:   "agent <action> [<name>]",
		Short: "list the agents with a journal or core, or delete both of one",
		Long: `List the agents that have a journal or a core with "mem agent list", or delete
both for one agent with "mem agent delete NAME"; its other keys stay. Deleted
entries leave every prompt and stay in the history: "mem undo KEY" restores
one. --purge also removes every version from the history, and asks first at a
terminal. Only a person may delete: the verb refuses it if MEM_AGENT is set.
Exit code 1 if the agent has no entries.`,
		Example: `  mem agent list
  mem agent delete ada
  mem agent delete ada --purge --yes`,
		Args: app.WantArgs(1, 2, "list, or delete and a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.purge, "purge", false, "delete: remove every version from the history for good")
	return cmd
}

func (o *agentOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	switch {
	case args[0] == "list" && len(args) == 1 && *o == agentOptions{}:
		return o.list(a, cmd)
	case args[0] == "delete" && len(args) == 2:
		return o.delete(a, cmd, args[1])
	}
	return fault.Input("agent", "want list, or delete and a name",
		advice.Run("agent", "--help").Then(" shows how"))
}

// agentList is what --json prints.
type agentList struct {
	Count  int             `json:"count"`
	Agents []journal.Agent `json:"agents"`
}

func (o *agentOptions) list(a *app.App, cmd *cobra.Command) error {
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	list, err := journal.Agents(cmd.Context(), s, a.Caller)
	if err != nil {
		return err
	}

	t := app.Table{Head: []string{"AGENT", "CORE", "JOURNAL"}}
	for _, agent := range list {
		t.Add(app.OneLine(agent.ID), strconv.Itoa(agent.Counts.Core),
			strconv.Itoa(agent.Counts.Journal))
	}
	a.SayEmpty(cmd, s, len(list), "no agent has entries")
	return a.Answer(cmd, agentList{len(list), append([]journal.Agent{}, list...)}, t.Write)
}

// agentDeleted is what --json prints.
type agentDeleted struct {
	Agent   string         `json:"agent"`
	Deleted journal.Counts `json:"deleted"`
	Purged  *forget.Purged `json:"purged,omitempty"`
}

func (o *agentOptions) delete(a *app.App, cmd *cobra.Command, agent string) error {
	if err := journal.MayDeleteAgent(a.Caller, agent); err != nil {
		return err
	}
	if err := o.ask(a, cmd, agent); err != nil {
		return err
	}
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	doc := agentDeleted{Agent: agent}
	if o.purge {
		doc.Purged = &forget.Purged{Stores: []forget.PurgedStore{}}
	}
	var unknown, failed error
	err = l.Each(func(s *mem.Store, site *site.Site) error {
		gone, err := journal.DeleteAgent(cmd.Context(), s, a.Caller, agent, o.purge)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			unknown = err
			return nil
		case errors.Is(err, mem.ErrRemains):
			failed = err
		case err != nil:
			return err
		}
		doc.add(l.NameOf(site), gone)
		return nil
	})
	if err != nil {
		return err
	}
	if doc.Deleted == (journal.Counts{}) {
		return unknown
	}
	return errors.Join(a.Answer(cmd, &doc, app.UnlessQuiet(doc.print)), failed)
}

// ask asks a person at a terminal before a purge: nothing brings purged records back.
func (o *agentOptions) ask(a *app.App, cmd *cobra.Command, agent string) error {
	if !o.purge {
		return nil
	}
	return a.Confirm(cmd, policy.Purge, "purge the journal and the core of agent "+
		app.OneLine(agent)+" for good?")
}

func (d *agentDeleted) add(layer string, gone journal.Deleted) {
	d.Deleted.Core += gone.Counts.Core
	d.Deleted.Journal += gone.Counts.Journal
	if d.Purged != nil {
		d.Purged.Add(forget.Part{Layer: layer, Keys: gone.Keys}, gone.Proof)
	}
}

func (d *agentDeleted) print(a *app.App, cmd *cobra.Command) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(),
		"agent %s: deleted %d of its core, %d of its journal\n", d.Agent, d.Deleted.Core,
		d.Deleted.Journal)
	if d.Purged == nil || err != nil {
		return err
	}
	return erase.PrintPurged(a, cmd, *d.Purged)
}
