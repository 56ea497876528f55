package cli

import (
	"fmt"

	"github.com/set-memory/mem/journal"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type memoriesOptions struct{ agent string }

func newMemoriesCmd(a *app) *cobra.Command {
	o := &memoriesOptions{}
	cmd := &cobra.Command{
		Use:   "memories",
		Short: "list what an agent keeps for itself",
		Long: `List the newest 100 entries of an agent's journal and core, newest first: id, level,
time in UTC, whether a journal entry is older than a week, and the text. A person may look at any
agent's, to review it; where MEM_AGENT is set an agent sees its own alone.
"mem forget /agent/AGENT/journal/ID --purge" takes one out for good, a person only.`,
		Example: `  mem memories --agent ada
  mem memories --agent ada --jq '.memories[] | select(.expired) | .id'`,
		Args: wantArgs(0, 0, "no arguments (--agent says whose)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	registerAgent(cmd, &o.agent, agentUsage)
	return cmd
}

// agentMemories is what --json prints.
type agentMemories struct {
	Count    int              `json:"count"` // of all there are
	Memories []journal.Listed `json:"memories"`
}

func (o *memoriesOptions) run(a *app, cmd *cobra.Command) error {
	if err := refuseEmpty(cmd, "agent"); err != nil {
		return err
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	newest, total, err := journal.List(cmd.Context(), s, caller, o.agent)
	if err != nil {
		return err
	}
	doc := agentMemories{total, journal.NewListed(newest, log.StampOf(s.Now()))}
	if a.asJSON() {
		return a.printValue(cmd, doc)
	}
	t := table{head: []string{"ID", "LEVEL", "CREATED", "STATE", "TEXT"}}
	for _, m := range doc.Memories {
		state := "active"
		if m.Expired {
			state = "expired"
		}
		t.add(m.ID, string(m.Level), m.Created, state, oneLine(m.Content))
	}
	sayEmpty(a, cmd, s, total, journal.NoMemories)
	if err := t.write(cmd, a); err != nil {
		return err
	}
	if left := total - len(newest); left > 0 && talks(a) {
		a.tell(cmd, "hint", fmt.Sprintf("%d more; mem stat --agent counts all", left))
	}
	return nil
}
