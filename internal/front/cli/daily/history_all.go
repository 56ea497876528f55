package daily

import (
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

// defaultWrites is how many writes are listed where no number is given.
const defaultWrites = 100

// runAll lists the writes to all keys.
func (o *historyOptions) runAll(a *app.App, cmd *cobra.Command) error {
	if o.limit < 0 {
		return app.BadInput("--limit", "want a number of 0 or more", "")
	}
	prefix, err := app.PrefixArg(o.prefix)
	if err != nil {
		return err
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	q := edit.ChangeQuery{Prefix: prefix, Limit: o.limit}
	since, err := app.ParseWhen("--since", o.since, s.Now())
	if err != nil {
		return err
	}
	if since != nil {
		q.Since = *since
	}
	list, err := edit.ListChanges(cmd.Context(), s, a.Caller, q)
	if err != nil {
		return err
	}
	a.SayEmpty(cmd, s, list.Count, "nothing was stored")
	return a.Answer(cmd, list, func(*app.App, *cobra.Command) error {
		return o.printAll(a, cmd, list, s.Now())
	})
}

func (o *historyOptions) printAll(a *app.App, cmd *cobra.Command, list mem.MemoryList,
	now time.Time) error {
	head, when := app.AgeOrTime(cmd.OutOrStdout(), now)
	t := app.Table{Head: []string{head, "KEY", "WRITE", "SOURCE", "SUMMARY"}}
	for _, m := range list.Memories {
		write := "void"
		if m.Valid {
			write = "set"
		}
		t.Add(when(m.TS), m.Key.Shown(), strings.TrimSpace(m.Layer+" "+write),
			sourceOf(m.Source), marked(m.Summary, m.SupersededBy, m.Untrusted))
		if !m.Valid {
			t.Styled(term.Red)
		}
	}
	return sayMore(a, cmd, list.Count-len(list.Memories), t.Write(a, cmd))
}
