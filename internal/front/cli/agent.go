package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

type agentOptions struct{ purge bool }

func newAgentCmd(a *app) *cobra.Command {
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
		Args: wantArgs(1, 2, "list, or delete and a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.purge, "purge", false, "delete: remove every version from the history for good")
	return cmd
}

func (o *agentOptions) run(a *app, cmd *cobra.Command, args []string) error {
	switch {
	case args[0] == "list" && len(args) == 1 && *o == agentOptions{}:
		return o.list(a, cmd)
	case args[0] == "delete" && len(args) == 2:
		return o.delete(a, cmd, args[1])
	}
	return &usage{what: "agent", why: "want list, or delete and a name",
		do: advice.Run("agent", "--help").Then(" shows how")}
}

// agentList is what --json prints.
type agentList struct {
	Count  int             `json:"count"`
	Agents []journal.Agent `json:"agents"`
}

func (o *agentOptions) list(a *app, cmd *cobra.Command) error {
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	list, err := journal.Agents(cmd.Context(), s, caller)
	if err != nil {
		return err
	}

	t := table{head: []string{"AGENT", "CORE", "JOURNAL"}}
	for _, agent := range list {
		t.add(oneLine(agent.ID), strconv.Itoa(agent.Counts.Core),
			strconv.Itoa(agent.Counts.Journal))
	}
	sayEmpty(a, cmd, s, len(list), "no agent has entries")
	return a.answer(cmd, agentList{len(list), append([]journal.Agent{}, list...)}, t.write)
}

// agentDeleted is what --json prints.
type agentDeleted struct {
	Agent   string         `json:"agent"`
	Deleted journal.Counts `json:"deleted"`
	Purged  *forget.Purged `json:"purged,omitempty"`
}

func (o *agentOptions) delete(a *app, cmd *cobra.Command, agent string) error {
	if err := journal.MayDeleteAgent(caller, agent); err != nil {
		return err
	}
	if err := o.ask(a, cmd, agent); err != nil {
		return err
	}
	l, err := a.open(cmd)
	if err != nil {
		return err
	}
	doc := agentDeleted{Agent: agent}
	if o.purge {
		doc.Purged = &forget.Purged{Stores: []forget.PurgedStore{}}
	}
	var unknown, failed error
	err = eachLayer(l, func(s *mem.Store, site *site.Site) error {
		gone, err := journal.DeleteAgent(cmd.Context(), s, caller, agent, o.purge)
		switch {
		case errors.Is(err, mem.ErrNotFound):
			unknown = err
			return nil
		case errors.Is(err, mem.ErrRemains):
			failed = err
		case err != nil:
			return err
		}
		doc.add(layerName(l, site), gone)
		return nil
	})
	if err != nil {
		return err
	}
	if doc.Deleted == (journal.Counts{}) {
		return unknown
	}
	return errors.Join(a.answer(cmd, &doc, unlessQuiet(doc.print)), failed)
}

// ask asks a person at a terminal before a purge: nothing brings purged records back.
func (o *agentOptions) ask(a *app, cmd *cobra.Command, agent string) error {
	if !o.purge {
		return nil
	}
	err := confirm(a, cmd, policy.Purge, "purge the journal and the core of agent "+oneLine(agent)+
		" for good?")
	if errors.Is(err, errNo) {
		say(a, cmd, "nothing was deleted")
	}
	return err
}

// add adds the deletions of one store.
func (d *agentDeleted) add(layer string, gone journal.Deleted) {
	d.Deleted.Core += gone.Counts.Core
	d.Deleted.Journal += gone.Counts.Journal
	if d.Purged != nil {
		d.Purged.Add(layer, gone.Keys, gone.Proof)
	}
}

func (d *agentDeleted) print(a *app, cmd *cobra.Command) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(),
		"agent %s: deleted %d of its core, %d of its journal\n", d.Agent, d.Deleted.Core,
		d.Deleted.Journal)
	if d.Purged == nil || err != nil {
		return err
	}
	return printPurged(a, cmd, *d.Purged)
}
