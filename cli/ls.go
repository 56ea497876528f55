package cli

import (
	"fmt"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type lsOptions struct {
	keys    bool
	long    bool
	expired bool
	limit   int
}

func newLsCmd(a *app) *cobra.Command {
	o := &lsOptions{}
	cmd := &cobra.Command{
		Use:   "ls [<prefix>]",
		Short: "list live memories by key",
		Long: `List the live keys below a prefix, with type, age and a summary: in columns on a
terminal, with tabs between the fields in a pipe.`,
		Example: `  mem ls /user
  mem ls -1 /task | tr '\n' '\0' | xargs -0 -n1 mem get
  mem ls --json --jq '.memories[] | select(.type=="decision") | .key'`,
		Args:              wantArgs(0, 1, "at most one prefix"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, "/")[0])
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.keys, "keys", "1", false, "print only the keys, one on a line")
	f.BoolVarP(&o.long, "long", "l", false,
		"with layer and source; of two layers also what the project's hides of the user's")
	f.BoolVar(&o.expired, "expired", false, "also those whose time is over")
	f.IntVar(&o.limit, "limit", 0, "at most `N` keys; 0 is all")
	return cmd
}

func (o *lsOptions) run(a *app, cmd *cobra.Command, arg string) error {
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
	if o.long {
		return o.runLong(a, cmd, prefix)
	}
	doc := mem.MemoryList{Memories: []mem.Memory{}}
	filter := mem.Filter{Prefix: prefix, Expired: o.expired, Browse: true}
	err = s.List(cmd.Context(), caller, filter, func(rec log.Record) error {
		if doc.Count++; o.limit == 0 || doc.Count <= o.limit {
			doc.Memories = append(doc.Memories, mem.NewMemory(rec))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.printValue(cmd, doc)
	}
	what := "no memories"
	if arg != "/" {
		what = "no keys below " + prefix.String()
	}
	sayEmpty(a, cmd, s, doc.Count, what)
	return o.print(a, cmd, doc, s.Now())
}

func (o *lsOptions) print(a *app, cmd *cobra.Command, doc mem.MemoryList, now time.Time) error {
	t := table{head: []string{"KEY", "TYPE", "AGE", "SUMMARY"}}
	for _, m := range doc.Memories {
		if o.keys {
			t.add(m.Key.Shown())
			continue
		}
		t.add(m.Key.Shown(), oneLine(m.Type), age(m.When(), now), marked(m.Summary, m.SupersededBy))
	}
	if o.keys {
		t.head = t.head[:1]
	}
	if err := t.write(cmd, a); err != nil {
		return err
	}
	if left := doc.Count - len(doc.Memories); left > 0 && !a.quiet {
		a.tell(cmd, "hint", fmt.Sprintf("%d more; --limit 0 lists all", left))
	}
	return nil
}

// age returns how long ago a ts was, in the largest unit that it reaches.
func age(ts log.Stamp, now time.Time) string {
	d := max(now.Sub(ts.Time()), 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
