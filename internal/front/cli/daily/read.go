package daily

import (
	"cmp"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type readOptions struct {
	limit  int
	query  string
	tags   []string
	place  placeFlags
	format string
	mode   string

	private privateFlags
}

func NewReadCmd(a *app.App) *cobra.Command {
	o := &readOptions{}
	cmd := &cobra.Command{
		Use:   "read",
		Short: "print the memories that matter, within a token budget",
		Long: `Print the most important live memories as a block for a prompt, ranked by age,
importance and --tags. The block never costs more than --token-limit. An empty
store prints nothing. With --query it has only the memories that the query
finds, best first. Conversations need --session or a --prefix below /session.

--format notes prints the notes that share words with --query, the user's last
message, as a block [Memories], or the 5 newest if none does. "memory" in
config.json sets its budget and mode; --mode overrides the mode.

--format private prints an agent's own page: its whole core and the journal of
a week, or nothing. With --name, it prints the whole system message of that
agent in a group.`,
		Example: `  mem read --token-limit 500
  mem read --tags health,travel --prefix /user
  mem read --query 'when is the dentist appointment'
  mem read --session sess_20260222_ada
  mem read --format notes --query 'What indentation style should I use?'
  mem read --format private --agent ada
  mem read --json --jq '.memories[].key'`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.limit, "token-limit", mem.DefaultTokenLimit,
		"the budget in tokens: `N`, never exceeded")
	f.StringVar(&o.query, "query", "",
		"`WORDS` as in mem search, or - for standard input; only the memories that they find are "+
			"printed")
	f.StringArrayVar(&o.tags, "tags", nil,
		"`TAGS` of the context, with commas; they rank memories and exclude none")
	o.place.register(cmd)
	f.StringVar(&o.format, "format", "text", "`FORMAT` text, json, notes or private")
	f.StringVar(&o.mode, "mode", "", "`MODE` relevant, recent_only or off; with --format notes")
	o.private.register(f)
	app.GivenFlags(cmd, app.Dash, "query")
	app.GivenFlags(cmd, app.AtFile, "agent-prompt")
	return cmd
}

func (o *readOptions) run(a *app.App, cmd *cobra.Command) (err error) {
	if err := o.check(cmd); err != nil {
		return err
	}
	if o.query, err = app.TextArg(cmd, "--query", o.query, policy.MaxContent); err != nil {
		return err
	}
	switch o.format {
	case "notes":
		return o.notes(a, cmd)
	case "private":
		return o.private.run(a, cmd)
	}
	prefix, err := o.place.parse(cmd)
	if err != nil {
		return err
	}
	s, err := a.OpenAdmitted(cmd)
	if err != nil {
		return err
	}
	page, err := s.Read(cmd.Context(), a.Caller, mem.ReadOptions{
		Limit: o.limit, Query: o.query, Tags: app.SplitList(o.tags), Prefix: prefix,
		Remark: a.Remark(),
	})
	if err != nil {
		return err
	}
	if a.AsJSON() || o.format == "json" {
		return a.PrintJSON(cmd, page.AppendJSON(nil))
	}
	if len(page.Entries) == 0 {
		why, err := o.whyEmpty(a, cmd, s, page, prefix)
		if err != nil {
			return err
		}
		a.SayEmpty(cmd, s, 0, o.place.whyEmpty(a, cmd, s, why))
	}
	return page.WriteText(cmd.OutOrStdout())
}

func (o *readOptions) whyEmpty(a *app.App, cmd *cobra.Command, s *mem.Store, page readout.Page,
	prefix keypath.Prefix) (string, error) {
	switch {
	case o.query != "" && page.Considered == 0:
		return "nothing found", nil
	case page.Considered == 0:
		return "no memories", nil
	case o.query != "":
		return "nothing fits into this --token-limit", nil
	}
	// Those that others have superseded are considered, too: this search leaves them out.
	found, err := s.Reader(a.Caller).Search(cmd.Context(),
		mem.SearchOptions{Limit: 1, ForPage: true, Conditions: mem.Conditions{Prefix: prefix}})
	if len(found) == 0 {
		return "no memories but superseded ones; mem ls " + advice.Quote(prefix.String()) +
			" lists them", err
	}
	return "nothing fits into this --token-limit", err
}

// check refuses flags that would have no effect.
func (o *readOptions) check(cmd *cobra.Command) error {
	selecting := []string{"token-limit", "tags", "prefix", "session"}
	switch {
	case o.limit < 0:
		return app.BadInput("--token-limit", "want a number of tokens of 0 or more", "")
	case o.format == "notes":
		return cmp.Or(o.unused(cmd, "it works only with --format private", privateNames...),
			o.unused(cmd, "notes have their own budget, max_inject_chars and max_inject_count in "+
				"config.json", selecting...))
	case o.format == "private":
		return cmp.Or(o.unused(cmd, "the page has all active entries; --max-tokens cuts the core",
			append(selecting, "query", "mode")...), o.private.check(cmd))
	case o.format != "text" && o.format != "json":
		return app.BadInput("--format "+o.format, "want text, json, notes or private", "")
	}
	return cmp.Or(o.unused(cmd, "it works only with --format notes", "mode"),
		o.unused(cmd, "it works only with --format private", privateNames...))
}

// unused refuses flags that go with another format.
func (o *readOptions) unused(cmd *cobra.Command, hint string, names ...string) error {
	name := app.FirstChanged(cmd, names...)
	if name == "" {
		return nil
	}
	return app.BadInput("--"+name, "it does nothing with --format "+o.format, hint)
}

func (o *readOptions) notes(a *app.App, cmd *cobra.Command) error {
	s, err := a.OpenAdmitted(cmd)
	if err != nil {
		return err
	}
	page, err := note.Read(cmd.Context(), s, a.Caller,
		note.ReadOptions{Message: o.query, Mode: readout.NoteMode(o.mode)})
	if err != nil {
		return err
	}
	return a.Answer(cmd, mem.NewNotePage(page), app.Written(page.WriteText))
}
