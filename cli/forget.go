package cli

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/note"
	"github.com/spf13/cobra"
)

type forgetOptions struct{ source sourceFlags }

func newForgetCmd(a *app) *cobra.Command {
	o := &forgetOptions{}
	cmd := &cobra.Command{
		Use:   "forget <id>",
		Short: "delete a note",
		Long: `Write a tombstone for the note of an id: it leaves every search and every prompt,
and stays in the log. Exit code 1 if there is no such note. Its id is never given again.`,
		Example: `  mem forget m-4
  mem notes --tag stale --jq '.memories[].id' | xargs -n1 mem forget`,
		Args:              wantArgs(1, 1, "one id"),
		ValidArgsFunction: a.completeNotes,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	o.source.register(cmd)
	return cmd
}

func (o *forgetOptions) run(a *app, cmd *cobra.Command, id string) error {
	l, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	all, err := l.Reading()
	if err != nil {
		return err
	}
	key, err := note.Named(cmd.Context(), all, caller, id)
	if err != nil {
		return deleteError(err)
	}
	site, found, err := l.Holding(cmd.Context(), caller, key)
	if err == nil && !found {
		err = &note.UnknownError{ID: id}
	}
	if err != nil {
		return deleteError(err)
	}
	s, err := l.Open(site)
	if err != nil {
		return err
	}
	if err := note.Forget(cmd.Context(), s, caller, key.String(), source); err != nil {
		return deleteError(err)
	}
	return a.printReply(cmd, mem.NoteReply{OK: true, Layer: layerName(l, site)})
}

// completeNotes offers the ids of the newest notes to the shell, with their texts.
func (a *app) completeNotes(
	cmd *cobra.Command, _ []string, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := openQuietly(a, cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	found, _, err := note.Find(cmd.Context(), s, caller, note.Filter{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []cobra.Completion
	for _, n := range found {
		if strings.HasPrefix(n.ID, begun) {
			ids = append(ids, cobra.CompletionWithDesc(n.ID, oneLine(n.Text)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
