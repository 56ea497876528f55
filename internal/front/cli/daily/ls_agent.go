package daily

import (
	"cmp"
	"fmt"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

// agentMemories is what --json prints.
type agentMemories struct {
	Count    int              `json:"count"` // of all there are
	Memories []journal.Listed `json:"memories"`
}

// runAgent lists the newest entries of the journal and the core of an agent.
func (o *lsOptions) runAgent(a *app.App, cmd *cobra.Command) error {
	if !cmd.Flags().Changed("limit") {
		o.limit = journal.Listing
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	newest, total, err := journal.List(cmd.Context(), s, a.Caller, o.agent, o.limit)
	if err != nil {
		return err
	}
	doc := agentMemories{total, journal.NewListed(newest, log.StampOf(s.Now()))}
	a.SayEmpty(cmd, s, total, "agent "+cmp.Or(o.agent, a.Caller.Agent)+
		" has no entries yet: mem journal and mem core store some")
	err = a.Answer(cmd, doc, func(*app.App, *cobra.Command) error {
		return doc.print(a, cmd, s.Now())
	})
	if left := total - len(newest); err == nil && left > 0 && a.Explains() {
		a.Tell(cmd, "hint", fmt.Sprintf("%d more; --limit 0 lists all", left))
	}
	return err
}

// print prints a table. A terminal has no room for keys: a hint has the first one.
func (d *agentMemories) print(a *app.App, cmd *cobra.Command, now time.Time) error {
	t := app.Table{Head: []string{"ID", "LEVEL", "AGE", "STATE", "TEXT"}}
	piped := app.Terminal(cmd.OutOrStdout()) == 0
	for _, m := range d.Memories {
		row := []string{m.ID, string(m.Level), m.Created, "active", app.OneLine(m.Content)}
		if at, err := time.Parse("2006-01-02 15:04", m.Created); err == nil && !piped {
			row[2] = readout.Age(now.Sub(at))
		}
		if m.Expired {
			row[3] = "expired"
		}
		if piped {
			row = append(row, m.Key)
		}
		t.Add(row...)
		if m.Expired {
			t.Styled(term.Dim)
		}
	}
	err := t.Write(a, cmd)
	if err == nil && !piped && a.Talks() && a.Caller.Agent == "" && len(d.Memories) > 0 {
		a.Advise(cmd, "hint",
			advice.Run("forget", d.Memories[0].Key).Then(" deletes the first of these"))
	}
	return err
}
