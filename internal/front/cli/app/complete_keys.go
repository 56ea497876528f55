package app

import (
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// maxCompletions bounds what a shell is offered.
const maxCompletions = 200

var errEnough = errors.New("enough")

// CompleteKeys offers the keys of the store to the shell, or the ids of notes where one is begun.
func (a *App) CompleteKeys(
	cmd *cobra.Command, args []string, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := a.openQuietly(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	if begun != "" && !strings.HasPrefix(begun, "/") {
		return a.completeNotes(cmd, args, begun)
	}
	var keys []cobra.Completion
	err = s.List(cmd.Context(), a.Caller, mem.Filter{Browse: true},
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

// completeNotes offers the ids of the newest notes to the shell, with their texts.
func (a *App) completeNotes(
	cmd *cobra.Command, _ []string, begun string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := a.openQuietly(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	found, _, err := note.Find(cmd.Context(), s, a.Caller, note.Filter{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []cobra.Completion
	for _, n := range found {
		if strings.HasPrefix(n.ID, begun) {
			ids = append(ids, cobra.CompletionWithDesc(n.ID, OneLine(n.Text)))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
