package cli

import (
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/spf13/cobra"
)

type logOptions struct {
	since string
	limit int
}

// defaultLogLimit is how many writes are listed where no number is given.
const defaultLogLimit = 100

func newLogCmd(a *app) *cobra.Command {
	o := &logOptions{}
	cmd := &cobra.Command{
		Use:   "log [<prefix>]",
		Short: "list what was stored, newest first",
		Long: `List the writes to all keys, or to those below a prefix, newest first: time, key, set or
void, where it came from, and a summary; archives and both layers included. In a pipe there are
tabs between the fields, and times in full. mem history has every
version of one key with its whole content, and mem diff what changed.`,
		Example: `  mem log --since 7d
  mem log /project --limit 10
  mem log --limit 0 | grep -c void`,
		Args:              wantArgs(0, 1, "at most one prefix"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, "/")[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "",
		"only written since this `TIME`: RFC 3339, or 12h, 7d, 2w ago")
	f.IntVar(&o.limit, "limit", defaultLogLimit, "at most `N` writes; 0 is all")
	return cmd
}

func (o *logOptions) run(a *app, cmd *cobra.Command, arg string) error {
	if err := refuseEmpty(cmd, "since"); err != nil {
		return err
	}
	if o.limit < 0 {
		return &usage{what: "--limit", why: "want a number of 0 or more"}
	}
	prefix, err := prefixArg(arg)
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
	if a.asJSON() {
		return a.printValue(cmd, list)
	}
	sayEmpty(a, cmd, s, list.Count, "nothing was stored")
	return o.print(a, cmd, list, s.Now())
}

func (o *logOptions) print(a *app, cmd *cobra.Command, list mem.MemoryList, now time.Time) error {
	head, when := ageOrTime(cmd.OutOrStdout(), now)
	t := table{head: []string{head, "KEY", "WRITE", "SOURCE", "SUMMARY"}}
	for _, m := range list.Memories {
		write := "void"
		if m.Valid {
			write = "set"
		}
		t.add(when(m.TS), m.Key.Shown(), strings.TrimSpace(m.Layer+" "+write),
			oneLine(mem.SourceSummary(m.Source)), marked(m.Summary, m.SupersededBy, m.Untrusted))
		if !m.Valid {
			t.styled(term.Red)
		}
	}
	if err := t.write(cmd, a); err != nil {
		return err
	}
	return sayMore(a, cmd, list.Count-len(list.Memories))
}
