package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type historyOptions struct{}

func newHistoryCmd(a *app) *cobra.Command {
	o := &historyOptions{}
	return &cobra.Command{
		Use:   "history <key>",
		Short: "print every version of a key, newest first",
		Long: `Print every write of a key that log and archives hold, newest first: its time,
set or void, where it came from, and the content. Exit code 1 if the key was never written.`,
		Example: `  mem history /user/preference/style
  mem history /user/preference/style --json --jq '.memories[1].content'`,
		Args:              wantArgs(1, 1, "one key"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
}

func (o *historyOptions) run(a *app, cmd *cobra.Command, arg string) error {
	key, s, err := openKeyToRead(a, cmd, arg)
	if err != nil {
		return err
	}
	versions, err := s.History(cmd.Context(), key)
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.printValue(cmd, mem.NewVersionList(versions))
	}
	t := table{head: []string{"TIME", "WRITE", "SOURCE", "CONTENT"}}
	for _, v := range versions {
		source := oneLine(mem.SourceSummary(v.Source))
		t.add(v.TS.String(), verbOf(v.Envelope), source, string(v.Content))
	}
	return t.write(cmd, a)
}

func verbOf(e log.Envelope) string {
	if e.Valid() {
		return "set"
	}
	return "void"
}
