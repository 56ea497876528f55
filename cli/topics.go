package cli

import (
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// helpTopics are pages of "mem help" that are no verbs.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Short: "what the exit codes mean", Long: exitCodes()},
		{Use: "format", Short: "what the files of a store look like", Long: log.FormatDoc()},
	}
}

// newHelpCmd is cobra's help command, but for a topic that does not exist: that is an error here.
func newHelpCmd(*app) *cobra.Command {
	return &cobra.Command{
		Use:   "help [<command>]",
		Short: "explain a command",
		Long:  `Explain a command or a topic in full.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			found, left, err := root.Find(args)
			if err != nil || len(left) > 0 {
				return noSuchCommand(root, strings.Join(args, " "))
			}
			return found.Help()
		},
	}
}

// noSuchShell runs when completion is given no shell that it knows.
func noSuchShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return &usage{
		what: "completion " + args[0], why: "no such shell",
		hint: "there is bash, zsh, fish and powershell",
	}
}

// maxCompletions bounds what a shell is offered.
const maxCompletions = 200

var errEnough = errors.New("enough")

// completeKeys offers the keys of the store to the shell.
func (a *app) completeKeys(
	cmd *cobra.Command, args []string, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := openQuietly(a, cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var keys []cobra.Completion
	err = s.List(cmd.Context(), caller, mem.Filter{Prefix: keypath.Prefix{}},
		func(rec log.Record) error {
			if shown := rec.Key.Shown(); strings.HasPrefix(shown, begun) {
				keys = append(keys, shown)
			}
			if len(keys) == maxCompletions {
				return errEnough
			}
			return nil
		})
	if err != nil && err != errEnough {
		return nil, cobra.ShellCompDirectiveError
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
