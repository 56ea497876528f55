package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type memoriesOptions struct {
	agent string
	limit int
}

func newMemoriesCmd(a *app) *cobra.Command {
	o := &memoriesOptions{}
	cmd := &cobra.Command{
		Use:   "memories",
		Short: "list what an agent keeps for itself",
		Long: `List the newest 100 entries of an agent's journal and core, newest first: id,
level, age (in a pipe the time in UTC), whether a journal entry is older than a week, the text, and
in a pipe the key. A person may look at any agent's, to review it; where
MEM_AGENT is set an agent sees its own alone. "mem forget KEY --purge" takes one
out for good, a person only.`,
		Example: `  mem memories --agent ada
  mem memories --agent ada --limit 0 | cut -f 5-6
  mem memories --agent ada --jq '.memories[] | select(.expired) | .key'`,
		Args: wantArgs(0, 0, "no arguments (--agent says whose)"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	registerAgent(cmd, &o.agent, agentUsage)
	cmd.Flags().IntVar(&o.limit, "limit", journal.Listing, "at most `N`, the newest; 0 is all")
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
	if o.limit < 0 {
		return &usage{what: "--limit", why: "want a number of 0 or more"}
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	newest, total, err := journal.List(cmd.Context(), s, caller, o.agent, o.limit)
	if err != nil {
		return err
	}
	doc := agentMemories{total, journal.NewListed(newest, log.StampOf(s.Now()))}
	if a.asJSON() {
		return a.printValue(cmd, doc)
	}
	sayEmpty(a, cmd, s, total, "agent "+cmp.Or(o.agent, caller.Agent)+" keeps nothing yet: mem "+
		"journal and mem core store for it")
	if err := doc.print(a, cmd, s.Now()); err != nil {
		return err
	}
	if left := total - len(newest); left > 0 && talks(a) {
		a.tell(cmd, "hint", fmt.Sprintf("%d more; --limit 0 lists all", left))
	}
	return nil
}

// print prints a table. A terminal has no room for a key beside a text, so it is told how one is
// made of what it shows.
func (d *agentMemories) print(a *app, cmd *cobra.Command, now time.Time) error {
	t := table{head: []string{"ID", "LEVEL", "AGE", "STATE", "TEXT"}}
	piped := terminal(cmd.OutOrStdout()) == 0
	for _, m := range d.Memories {
		row := []string{m.ID, string(m.Level), m.Created, "active", oneLine(m.Content)}
		if at, err := time.Parse("2006-01-02 15:04", m.Created); err == nil && !piped {
			row[2] = readout.Age(now.Sub(at))
		}
		if m.Expired {
			row[3] = "expired"
		}
		if piped {
			row = append(row, m.Key)
		}
		t.add(row...)
		if m.Expired {
			t.styled(term.Dim)
		}
	}
	err := t.write(cmd, a)
	if err == nil && !piped && talks(a) && caller.Agent == "" && len(d.Memories) > 0 {
		a.advise(cmd, "hint",
			advice.Run("forget", d.Memories[0].Key).Then(" deletes the first of these"))
	}
	return err
}
