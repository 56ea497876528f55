package cli

import (
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

// defaultWrites is how many writes are listed where no number is given.
const defaultWrites = 100

// runAll lists the writes to all keys.
func (o *historyOptions) runAll(a *app, cmd *cobra.Command) error {
	if o.limit < 0 {
		return &usage{what: "--limit", why: "want a number of 0 or more"}
	}
	prefix, err := prefixArg(o.prefix)
	if err != nil {
		return err
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	q := edit.ChangeQuery{Prefix: prefix, Limit: o.limit}
	since, err := parseWhen("--since", o.since, s.Now())
	if err != nil {
		return err
	}
	if since != nil {
		q.Since = *since
	}
	list, err := edit.ListChanges(cmd.Context(), s, caller, q)
	if err != nil {
		return err
	}
	sayEmpty(a, cmd, s, list.Count, "nothing was stored")
	return a.answer(cmd, list, func(*app, *cobra.Command) error {
		return o.printAll(a, cmd, list, s.Now())
	})
}

func (o *historyOptions) printAll(a *app, cmd *cobra.Command, list mem.MemoryList,
	now time.Time) error {
	head, when := ageOrTime(cmd.OutOrStdout(), now)
	t := table{head: []string{head, "KEY", "WRITE", "SOURCE", "SUMMARY"}}
	for _, m := range list.Memories {
		write := "void"
		if m.Valid {
			write = "set"
		}
		t.add(when(m.TS), m.Key.Shown(), strings.TrimSpace(m.Layer+" "+write),
			sourceOf(m.Source), marked(m.Summary, m.SupersededBy, m.Untrusted))
		if !m.Valid {
			t.styled(term.Red)
		}
	}
	return sayMore(a, cmd, list.Count-len(list.Memories), t.write(a, cmd))
}
