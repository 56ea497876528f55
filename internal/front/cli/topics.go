package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// helpTopics are pages of "mem help" that are no verbs.
func helpTopics(root *cobra.Command) []*cobra.Command {
	return []*cobra.Command{
		{Use: "flags", Short: "the flags of all verbs",
			Long: root.PersistentFlags().FlagUsages()},
		{Use: "exit-codes", Short: "what the exit codes mean", Long: exitCodes()},
		{Use: "editing", Short: "how memories are changed", Long: editingDoc},
		{Use: "format", Short: "what the files of a store look like", Long: log.FormatDoc()},
	}
}

const editingDoc = `  mem set KEY ...             store something new under a key
  mem edit KEY                change the content of a memory in an editor
  mem touch KEY...            change only its importance, expiry or tags
  mem mv OLD NEW              give it another key in the same store
  mem move KEY... --to LAYER  move it to the other layer, under its key
  mem merge KEY... --into KEY make one memory of several
  mem supersede OLD NEW       keep it, and inject the new one in its place
  mem rm KEY...               delete it; mem forget ID a note
  mem undo KEY                revert the newest version of any verb

  mem history KEY             every version of one key, with its content
  mem diff KEY                the changes between two versions
  mem history                 the newest writes to all keys

Each change is a new version: the history keeps all of them. If another program
wrote to a memory between the read and the write of a change, nothing is stored
and the exit code is 4; the same command again uses the new version.

touch, mv, merge, supersede and undo keep the time of a memory: if its content
has no time, it gets "created_at" with the time of the version that the text is
from. edit gives the current time, unless the content has one: a "created_at",
also from an earlier touch or mv, stays until you edit or remove it.

touch, supersede and undo keep the source, and add "edited":{"verb","at"} to
it; mv keeps it unchanged; edit and merge write a new source. --source and
related flags give another one.

Notes and memories under /untrusted have their own verbs: a note keeps its id,
and a quarantined memory is approved or rejected.`

// newHelpCmd returns cobra's help command, which here also explains a group of verbs.
func newHelpCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "help [<command>]",
		Short: "explain a verb, a group of verbs or a topic",
		Long:  `Explain a verb, a group of verbs or a topic in full.`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) (
			names []cobra.Completion, _ cobra.ShellCompDirective) {
			at, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range at.Commands() {
				isShown := sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()
				if isShown && strings.HasPrefix(sub.Name(), begun) {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return explain(a, cmd, args) },
	}
}

// explain prints the help of a command, or the verbs of a group.
func explain(a *app.App, cmd *cobra.Command, args []string) error {
	root := cmd.Root()
	if len(args) == 1 && args[0] != firstPage && root.ContainsGroup(args[0]) {
		lines := listing(verbLines(root, args[0]), widthOfHelp(cmd))
		_, err := io.WriteString(cmd.OutOrStdout(), lines)
		return err
	}
	words := slices.DeleteFunc(slices.Clone(expand(args, 0)), func(word string) bool {
		return strings.HasPrefix(word, "-")
	})
	found, left, err := root.Find(words)
	if err == nil && len(left) == 0 {
		return found.Help()
	}
	return noSuchCommand(root, a.Args, strings.Join(args, " "))
}

// noSuchShell runs when completion is given no shell that it knows.
func noSuchShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return app.BadInput("completion "+args[0], "no such shell",
		"there is bash, zsh, fish and powershell")
}
