package tidy

import (
	"fmt"
	"io"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type statOptions struct {
	each  app.StoresFlag
	agent string
}

func NewStatCmd(a *app.App) *cobra.Command {
	o := &statOptions{}
	cmd := &cobra.Command{
		Use:   "stat",
		Short: "count the memories, lines and bytes of the store",
		Long: `Print counts, bytes, ages, the largest namespaces and the authors of the store:
you, agents by name, else the kind of the source. The private entries of agents
other than $MEM_AGENT are counted separately. --agent prints only the counts of
that agent, with journal entries older than a week.`,
		Example: `  mem stat
  mem stat --agent ada
  mem stat --jq .live`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	o.each.Register(cmd)
	app.RegisterAgent(cmd, &o.agent, "only the size of the journal and core of this `AGENT`")
	return cmd
}

func (o *statOptions) run(a *app.App, cmd *cobra.Command) error {
	// Says if there is no store at all.
	s, err := a.OpenToRead(cmd)
	switch {
	case err != nil:
		return err
	case o.agent != "" && o.each.All:
		return app.BadInput("--agent", "it cannot be used with --all", "")
	case o.agent != "":
		return o.printAgent(a, cmd, s)
	}
	return o.each.Run(a, cmd, func(s *mem.Store, title string) error {
		return o.one(a, cmd, s, title)
	})
}

// agentStat is what --json prints of an agent.
type agentStat struct {
	Agent  string         `json:"agent"`
	Counts journal.Counts `json:"memories_count"`
}

func (o *statOptions) printAgent(a *app.App, cmd *cobra.Command, s *mem.Store) error {
	n, err := journal.Count(cmd.Context(), s, a.Caller, o.agent)
	if err != nil {
		return err
	}
	return a.Answer(cmd, agentStat{o.agent, n},
		app.Verbatim(fmt.Sprintf("core        %d\njournal     %d\n", n.Core, n.Journal)))
}

// counted is what --json prints of one store.
type counted struct {
	Layer string `json:"layer,omitempty"`
	mem.Stat
	NotesFull *note.Full `json:"notes_full,omitempty"`
}

func (o *statOptions) one(a *app.App, cmd *cobra.Command, s *mem.Store, title string) error {
	st, err := s.Stat(cmd.Context(), a.Caller)
	if err != nil {
		return err
	}
	if a.Served != nil {
		st.Root = a.Served.Request.Root
	}
	full, err := note.FullOf(cmd.Context(), s, a.Caller)
	if err != nil {
		return err
	}
	if st.Private > 0 && a.Talks() {
		a.Advise(cmd, "hint", advice.Say(app.Memories(st.Private)+" of other agents left out: ").
			Run("stat", "--agent", "NAME").Then(" counts those of one"))
	}
	return a.Answer(cmd, counted{title, st, full}, func(_ *app.App, cmd *cobra.Command) error {
		writeStat(cmd.OutOrStdout(), s.Now(), title, st, full)
		return nil
	})
}

func writeStat(w io.Writer, now time.Time, title string, st mem.Stat, full *note.Full) {
	if title != "" {
		fmt.Fprintf(w, "layer       %s\n", title)
	}
	fmt.Fprintf(w, "root        %s\n", st.Root)
	fmt.Fprintf(w, "live        %d (%d expired, %d untrusted%s beside them)\n",
		st.Live, st.Expired, st.Untrusted, ofAgents(st.Private))
	fmt.Fprintf(w, "log         %d lines, %d bytes\n", st.LogLines, st.LogBytes)
	if st.Folded {
		fmt.Fprintf(w, "state       %d bytes\n", st.StateBytes)
		fmt.Fprintf(w, "archive     %d segments, %d bytes\n", st.Archives, st.ArchBytes)
	}
	if st.Artifacts > 0 {
		fmt.Fprintf(w, "artifacts   %d files, %d bytes\n", st.Artifacts, st.BlobBytes)
	}
	if full != nil {
		fmt.Fprintf(w, "notes       %s (memory.max_total in config.json)\n", full)
	}
	if st.Newest != "" {
		fmt.Fprintf(w, "newest      %s\n", withAge(w, st.Newest, now))
	}
	if st.Oldest != "" {
		fmt.Fprintf(w, "oldest      %s\n", withAge(w, st.Oldest, now))
	}
	fmt.Fprintf(w, "health      %s\n", health(st))
	for _, ns := range st.Namespaces {
		fmt.Fprintf(w, "%-11s %d\n", keypath.Show(ns.Prefix), ns.Live)
	}
	for _, by := range st.Authors {
		fmt.Fprintf(w, "%-11s %d\n", "by "+app.OneLine(by.Name), by.Live)
	}
}

// withAge returns a stamp; for a person in their own zone, and how long ago it was.
func withAge(w io.Writer, stamp string, now time.Time) string {
	ts, err := log.ParseTime(stamp)
	if err != nil || app.Terminal(w) == 0 {
		return stamp
	}
	return app.ShownTime(w, ts) + ", " + app.Age(ts, now) + " ago"
}

// ofAgents says how many memories other agents keep for themselves; "" for none.
func ofAgents(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of other agents", n)
}

func health(st mem.Stat) string {
	switch {
	case st.LogFault != "":
		return st.LogFault + "; mem doctor has the remedy"
	case st.Damaged > 0:
		return fmt.Sprintf("%d damaged lines; mem fsck lists them", st.Damaged)
	}
	return "ok"
}
