package stores

import (
	"errors"
	"io"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

// send moves memories to the server that has the project's.
func (o *moveOptions) send(a *app.App, cmd *cobra.Command, l *layers.Layers, at app.ServedAt,
	args []string) error {
	switch {
	case o.to != site.Project:
		return fault.Input("--to "+o.to,
			"the project's memories are behind a server, and stay there",
			advice.Run("forget", "KEY").Then(" deletes one there"))
	case a.Build.Give == nil:
		return a.HandOver("move", nil)
	}
	from, err := l.Sites.User, error(nil)
	if o.from != "" {
		from, err = l.Sites.Source(o.from)
	}
	if err == nil && from == nil {
		err = app.NoLayer(site.User)
	}
	if err != nil {
		return err
	}
	job := transfer.MoveJob{Place: at.URL, DryRun: o.dryRun}
	if job.From, err = l.Open(from); err != nil {
		return err
	}
	if err := o.checkStore(job.From); err != nil {
		return err
	}
	if o.unfiled {
		job.Wanted = layers.IsUnfiled
	}
	if job.Keys, o.unknown, err = a.NamedKeys(cmd, job.From, args); err != nil {
		return err
	}
	rep, err := transfer.Send(cmd.Context(), a.Caller, job, a.Build.Give(a, cmd, at))
	if err != nil && len(rep.Moved)+len(rep.Kept) == 0 {
		return err
	}
	print := func(*app.App, *cobra.Command) error {
		return o.print(a, cmd, &site.Site{Layer: site.Project}, rep)
	}
	return errors.Join(a.Answer(cmd, rep, print), err, o.unknown.And(rep.Missing))
}

// receive stores the memories that send has passed to this server.
func (o *moveOptions) receive(a *app.App, cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] != wire.Stdin || o.from != "" || o.unfiled {
		return fault.Input("move",
			"it takes memories from a store beside you to the project whose memory this is",
			advice.Run("init", "--remote", a.Served.Request.Root).
				Then(" makes it that of a project"))
	}
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	lines, err := io.ReadAll(cmd.InOrStdin())
	if err != nil {
		return err
	}
	one := l.Sites.List()[0]
	s, err := l.Open(one)
	if err != nil {
		return err
	}
	rep, err := transfer.Receive(cmd.Context(), a.Caller, s, note.IDsOf(one), lines)
	if err != nil {
		return err
	}
	return a.Answer(cmd, rep, func(*app.App, *cobra.Command) error {
		return o.print(a, cmd, one, rep)
	})
}
