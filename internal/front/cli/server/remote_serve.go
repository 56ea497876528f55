package server

import (
	"bytes"
	"context"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/remote"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/view/ledger"
)

// runnerOf returns the function that runs a verb for a caller over HTTP, as on a command line here.
func runnerOf(a *app.App, root *serve.Root, keys ledger.Keys) remote.Runner {
	return func(ctx context.Context, caller mem.Caller, m *serve.Memory, in *wire.Request) (
		wire.Reply, error) {
		s := &app.Served{Request: in, Store: m.Store, Keys: keys, Clock: app.SystemClock(),
			Long: func() error { return m.Long(ctx) }}
		reply, err := a.Build.Serve(ctx, a.Build, caller, s)
		for i, piece := range reply.Printed {
			if piece.IsErr { // an error may name a file of the server
				text := bytes.ReplaceAll(piece.Text, []byte(m.Store.Path()), []byte(in.Root))
				reply.Printed[i].Text = bytes.ReplaceAll(text, []byte(root.Path()), []byte("ROOT"))
			}
		}
		return reply, err
	}
}
