package main

import (
	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

type readOptions struct {
	limit  int
	query  string
	tags   []string
	prefix string
	format string
}

func newReadCmd(a *app) *cobra.Command {
	o := &readOptions{}
	cmd := &cobra.Command{
		Use:   "read",
		Short: "print the memories that matter, within a token budget",
		Long: `Print the live memories that matter most, newest, then important, then matching the tags, as a block to put into a prompt. The
block never costs more than --token-limit. An empty store prints nothing. With --query, those that it finds come, best first.`,
		Example: `  mem read --token-limit 500
  mem read --tags health,travel --prefix /user
  mem read --query 'when is the dentist appointment'
  mem read --json --jq '.memories[].key'`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.IntVar(&o.limit, "token-limit", mem.DefaultTokenLimit, "the budget in tokens: `N`, never passed")
	f.StringVar(&o.query, "query", "", "what it is about: `WORDS`, as mem search takes them; only what they find is printed")
	f.StringArrayVar(&o.tags, "tags", nil, "what the context is about: `TAGS` with commas; they help the ranking and leave nothing out")
	f.StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	f.StringVar(&o.format, "format", "text", "`FORMAT` text or json")
	return cmd
}

func (o *readOptions) run(a *app, cmd *cobra.Command) error {
	switch {
	case o.limit < 0:
		return &usage{what: "--token-limit", why: "want a number of tokens of 0 or more"}
	case o.format != "text" && o.format != "json":
		return &usage{what: "--format " + o.format, why: "want text or json"}
	}
	prefix, err := prefixArg(o.prefix)
	if err != nil {
		return err
	}
	s, err := a.open(cmd)
	if err != nil {
		return err
	}
	page, err := s.Read(mem.ReadOptions{Limit: o.limit, Query: o.query, Tags: splitList(o.tags), Prefix: prefix})
	if err != nil {
		return err
	}
	if a.asJSON() || o.format == "json" {
		return a.printJSON(cmd, page.AppendJSON(nil))
	}
	return page.WriteText(cmd.OutOrStdout())
}
