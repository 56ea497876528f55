package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/note"
	"github.com/set-memory/mem/policy"
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
}

func newReadCmd(a *app) *cobra.Command {
	o := &readOptions{}
	cmd := &cobra.Command{
		Use:   "read",
		Short: "print the memories that matter, within a token budget",
		Long: `Print the live memories that matter most, newest, then important, then matching
the tags, as a block to put into a prompt. The block never costs more than --token-limit. An
empty store prints nothing. With --query, those that it finds come, best first. What was said
in conversations comes only with --session or a --prefix below /session.

With --format notes, print the notes that share words with --query, the user's last message, as
a block [Memories]; where none does, the 5 newest. "memory" in config.json has its budget and
its mode; --mode overrides that.`,
		Example: `  mem read --token-limit 500
  mem read --tags health,travel --prefix /user
  mem read --query 'when is the dentist appointment'
  mem read --session 2026-02-22-abc
  mem read --format notes --query 'What indentation style should I use?'
  mem read --json --jq '.memories[].key'`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.limit, "token-limit", mem.DefaultTokenLimit,
		"the budget in tokens: `N`, never passed")
	f.StringVar(&o.query, "query", "",
		"what it is about: `WORDS`, as mem search takes them, or - for standard input; only what "+
			"they find is printed")
	f.StringArrayVar(&o.tags, "tags", nil,
		"what the context is about: `TAGS` with commas; they help the ranking and leave nothing "+
			"out")
	o.place.register(cmd)
	f.StringVar(&o.format, "format", "text", "`FORMAT` text, json or notes")
	f.StringVar(&o.mode, "mode", "", "`MODE` relevant, recent_only or off; with --format notes")
	return cmd
}

func (o *readOptions) run(a *app, cmd *cobra.Command) (err error) {
	if err := o.check(cmd); err != nil {
		return err
	}
	if o.query, err = textArg(cmd, "--query", o.query, policy.MaxContent); err != nil {
		return err
	}
	if o.format == "notes" {
		return o.notes(a, cmd)
	}
	prefix, err := o.place.parse(cmd)
	if err != nil {
		return err
	}
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	page, err := s.Read(cmd.Context(), caller, mem.ReadOptions{
		Limit: o.limit, Query: o.query, Tags: splitList(o.tags), Prefix: prefix,
	})
	if err != nil {
		return err
	}
	if a.asJSON() || o.format == "json" {
		return a.printJSON(cmd, page.AppendJSON(nil))
	}
	if len(page.Entries) == 0 {
		why, err := o.whyEmpty(cmd, s, page, prefix)
		if err != nil {
			return err
		}
		sayEmpty(a, cmd, s, 0, why)
	}
	return page.WriteText(cmd.OutOrStdout())
}

// whyEmpty says why a page has nothing on it.
func (o *readOptions) whyEmpty(cmd *cobra.Command, s *mem.Store, page readout.Page,
	prefix keypath.Prefix) (string, error) {
	switch {
	case o.query != "" && page.Considered == 0:
		return "nothing found", nil
	case page.Considered == 0:
		return "no memories", nil
	case o.query != "":
		return "nothing fits into this --token-limit", nil
	}
	// Those that others have superseded are considered, too: to count them is left to who asks.
	found, err := s.Reader(caller).Search(cmd.Context(),
		mem.SearchOptions{Prefix: prefix, Limit: 1, ForPage: true})
	if len(found) == 0 {
		return "no memories but superseded ones; mem ls " + shellWord(prefix.String()) +
			" lists them", err
	}
	return "nothing fits into this --token-limit", err
}

// check refuses flags that would have no effect.
func (o *readOptions) check(cmd *cobra.Command) error {
	unused, hint := []string{"mode"}, "it goes with --format notes"
	switch {
	case o.limit < 0:
		return &usage{what: "--token-limit", why: "want a number of tokens of 0 or more"}
	case o.format == "notes":
		unused = []string{"token-limit", "tags", "prefix", "session"}
		hint = "notes have their own budget, max_inject_chars and max_inject_count in config.json"
	case o.format != "text" && o.format != "json":
		return &usage{what: "--format " + o.format, why: "want text, json or notes"}
	}
	for _, name := range unused {
		if cmd.Flags().Changed(name) {
			return &usage{
				what: "--" + name, why: "it does nothing with --format " + o.format,
				hint: hint,
			}
		}
	}
	return nil
}

func (o *readOptions) notes(a *app, cmd *cobra.Command) error {
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	page, err := note.Read(cmd.Context(), s, caller,
		note.ReadOptions{Message: o.query, Mode: readout.NoteMode(o.mode)})
	if err != nil {
		return err
	}
	if !a.asJSON() {
		return page.WriteText(cmd.OutOrStdout())
	}
	return a.printValue(cmd, mem.NewNotePage(page))
}
