package cli

import (
	"io"
	"slices"
	"strings"

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
  mem edit KEY                change what a memory says, in an editor
  mem touch KEY...            change its importance, expiry or tags alone
  mem mv OLD NEW              give it another key, in the store that it is in
  mem move KEY... --to LAYER  take it to the other layer, under its key
  mem merge KEY... --into KEY make one memory of several
  mem supersede OLD NEW       keep it, and tell the new one in its place
  mem rm KEY...               delete it; mem forget ID a note
  mem undo KEY                take back the newest version, whatever wrote it

  mem history KEY             every version of one key, with its content
  mem diff KEY                what changed in it
  mem history                 what was stored under all keys

Each is a new version: nothing leaves the history. An edit is stored only if nobody wrote to what it
read meanwhile; otherwise the exit code is 4, and the same command again goes by what is there now.

touch, mv, merge, supersede and undo keep the time of a memory: where its content names none, it
gets "created_at" with the time of the version that the text is from. What edit stores is of now,
unless its content names a time: a "created_at", also one from an earlier touch or mv, stays until
it is edited or taken out.

touch, supersede and undo keep the source, and add "edited":{"verb","at"} to it; mv keeps it as it
is; edit and merge have a source of their own. --source and its like give another.

Notes and what lies under /untrusted have verbs of their own: a note keeps its id, and what is
quarantined is approved or rejected.`

// newHelpCmd returns cobra's help command, which here also explains a group of verbs, and refuses a
// topic that does not exist.
func newHelpCmd(a *app) *cobra.Command {
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
func explain(a *app, cmd *cobra.Command, args []string) error {
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
	return noSuchCommand(root, a.args, strings.Join(args, " "))
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
