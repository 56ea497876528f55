package daily

import (
	"fmt"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type lsOptions struct {
	keys    bool
	long    bool
	expired bool
	limit   int
	which   lsConditions
	sort    string
	agent   string
	private bool // as agent, of the calling one
}

func NewLsCmd(a *app.App) *cobra.Command {
	o := &lsOptions{}
	cmd := &cobra.Command{
		Use:   "ls [<prefix>]",
		Short: "list live memories by key",
		Long: `List the live keys below a prefix, with type, age and a summary: in columns on
a terminal, with tabs in a pipe. --sort time lists the newest first, importance
and size the greatest, with a column for it; type and key sort by the alphabet.
A terminal shows superseded, expired and hidden memories dim.

--agent lists the newest 100 entries of an agent's journal and core: id, level,
age (in a pipe the time in UTC), whether a journal entry is older than a week,
the text, and in a pipe the key. A person may list those of any agent; if
MEM_AGENT is set, an agent lists its own alone.`,
		Example: `  mem ls /user
  mem ls --type decision --since 7d --sort time
  mem ls -1 /task | tr '\n' '\0' | xargs -0 -n1 mem get
  mem ls --agent ada --limit 0
  mem ls --json --jq '.memories[] | select(.type=="decision") | .key'`,
		Args:              app.WantArgs(0, 1, "at most one prefix"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, "/")[0])
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.keys, "keys", "1", false, "print only the keys, one on a line")
	f.BoolVarP(&o.long, "long", "l", false,
		"with layer and source; also memories of the user that the project's layer hides")
	f.BoolVar(&o.expired, "expired", false, "also expired memories")
	f.IntVar(&o.limit, "limit", 0, "the greatest number of keys: `N`; 0 lists all")
	f.StringVar(&o.sort, "sort", byKey, "the `ORDER`: key, time, importance, size or type")
	app.RegisterAgent(cmd, &o.agent, "the journal and core of this `AGENT`")
	f.BoolVar(&o.private, "private", false, "the journal and core of $MEM_AGENT")
	o.which.register(cmd)
	return cmd
}

func (o *lsOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	if o.limit < 0 {
		return app.BadInput("--limit", "want a number of 0 or more", "")
	}
	if o.private || o.agent != "" {
		flag := app.FirstChanged(cmd, "keys", "long", "expired", "sort", "type", "tag", "since",
			"until", "pinned")
		if flag != "" || arg != "/" {
			return app.BadInput("--agent", "it works only with --limit", "")
		}
		return o.runAgent(a, cmd)
	}
	if err := checkOrder(o.sort); err != nil {
		return err
	}
	prefix, err := app.PrefixArg(arg)
	if err != nil {
		return err
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	if err := o.which.parse(a, cmd, s.Now()); err != nil {
		return err
	}
	if o.long {
		return o.runLong(a, cmd, s, prefix)
	}
	rows, count, err := o.list(a, cmd, s, prefix)
	if err != nil {
		return err
	}
	doc := mem.MemoryList{Count: count, Memories: []mem.Memory{}}
	for _, row := range rows {
		doc.Memories = append(doc.Memories, row.Memory)
	}
	a.SayEmpty(cmd, s, count, o.whatIsEmpty(arg, prefix))
	a.SayMatch(cmd)
	return a.Answer(cmd, doc, func(*app.App, *cobra.Command) error {
		return sayMore(a, cmd, count-len(rows), o.print(a, cmd, rows, s.Now()))
	})
}

// whatIsEmpty returns the message of an empty listing.
func (o *lsOptions) whatIsEmpty(arg string, prefix keypath.Prefix) string {
	switch {
	case o.which.isGiven():
		return "nothing found"
	case arg != "/":
		return "no keys below " + prefix.String()
	}
	return "no memories"
}

// list returns the wanted memories of a store, in order, and how many there are.
func (o *lsOptions) list(a *app.App, cmd *cobra.Command, s *mem.Store, prefix keypath.Prefix) (
	rows []listed, count int, err error) {
	filter := mem.Filter{Prefix: prefix, Expired: o.expired, Browse: true}
	now := s.Now()
	err = s.List(cmd.Context(), a.Caller, filter, func(rec log.Record) error {
		if !o.which.hold(a, rec) {
			return nil
		}
		// The keys come in order, so that of more than the limit none is kept but of notes, which
		// come by their numbers.
		_, _, numbered := rec.Key.Number()
		if count++; o.sort != byKey || o.limit == 0 || count <= o.limit || numbered {
			rows = append(rows, newListed(s, rec, now))
		}
		return nil
	})
	sortListed(rows, o.sort, func(row listed) listed { return row })
	if o.limit > 0 {
		rows = rows[:min(len(rows), o.limit)]
	}
	return rows, count, err
}

func (o *lsOptions) print(a *app.App, cmd *cobra.Command, rows []listed, now time.Time) error {
	if o.keys {
		t := app.Table{Head: []string{"KEY"}}
		for _, row := range rows {
			t.Add(row.Key.Shown())
		}
		return t.Write(a, cmd)
	}
	t := app.Table{Head: []string{"KEY", "TYPE", "AGE"}}
	column := sortColumn(o.sort)
	if column != "" {
		t.Head = append(t.Head, column)
	}
	t.Head = append(t.Head, "SUMMARY")
	for _, row := range rows {
		fields := []string{row.Key.Shown(), app.OneLine(row.Type), app.Age(row.Timestamp(), now)}
		if column != "" {
			fields = append(fields, row.sortField(o.sort))
		}
		t.Add(append(fields, marked(row.Summary, row.SupersededBy, row.Untrusted))...)
		t.Styled(row.style)
	}
	return t.Write(a, cmd)
}

// sayMore says how many a limit has left out, where the others were printed.
func sayMore(a *app.App, cmd *cobra.Command, left int, err error) error {
	if left > 0 && !a.Quiet && err == nil {
		a.Tell(cmd, "hint", fmt.Sprintf("%d more; --limit 0 lists all", left))
	}
	return err
}
