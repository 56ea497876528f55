package server

import (
	"context"
	"encoding/json"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

// GiveTo returns the function that passes memories to a memory behind a server. Where there are
// rules among them it asks at a terminal for a person's token, once; without one they wait there.
func GiveTo(a *app.App, cmd *cobra.Command, at app.ServedAt) transfer.Give {
	var client *remote.Client
	asked := false
	return func(ctx context.Context, lines []byte, hasRules bool) (rep transfer.MoveReport,
		err error) {
		if client == nil {
			if client, _, _, err = clientOf(a, at.URL); err != nil {
				return rep, err
			}
		}
		if hasRules && !asked && policy.IsPerson(a.Caller) && app.IsTerminal(cmd) {
			asked = true
			token, err := readOptional(cmd, "there are rules among them; a person's token of "+
				at.URL+" makes them rules there, and without one they wait: ")
			if err != nil {
				return rep, err
			}
			if token != "" {
				client = client.As(token)
			}
		}
		text, err := askOf(ctx, a, client, at, lines, "move", wire.Stdin, "--json")
		if err == nil && json.Unmarshal(text, &rep) != nil {
			err = app.BadInput(at.URL, "its answer is not that of a memd", app.OneVersion)
		}
		return rep, err
	}
}
