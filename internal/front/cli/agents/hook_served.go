package agents

import (
	"context"
	"time"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/spf13/cobra"
)

// serve answers an event of a client on another machine, from the memory of a server alone.
func (o *hookOptions) serve(a *app.App, cmd *cobra.Command, client *setup.Client) error {
	h := &hook.Hook{Client: client, Agent: a.Caller.Agent, Zone: time.UTC, Away: true}
	h.Open = func(string) (*hook.View, error) {
		s, err := a.Layers.Reading()
		return &hook.View{Store: s, Personal: s, Project: a.Layers.Sites.Name()}, err
	}
	if o.agent != "" {
		o.keep(a, h)
	}
	h.Run(cmd.InOrStdin(), cmd.OutOrStdout())
	return nil
}

// server returns what answers the events of a project whose memory is behind a server; nil where
// this program asks none. The agent's own memories are there where that memory is the only one.
func (o *hookOptions) server(a *app.App, at app.ServedAt, client *setup.Client) hook.Server {
	if a.Build.Answer == nil {
		return nil
	}
	args := []string{"hook", client.Name}
	if o.agent != "" && at.Project == "" {
		args = append(args, "--agent", o.agent)
	}
	return func(ctx context.Context, in hook.Forwarded) hook.Part {
		return a.Build.Answer(ctx, a, at, args, in)
	}
}
