package stores

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

// incoming returns the input of an import: standard input, or a file of the caller.
func incoming(a *app.App, cmd *cobra.Command, path string) (in transfer.Incoming, err error) {
	switch {
	case path == "-":
		in.Stream, err = app.BatchInput(cmd.InOrStdin())
		return in, err
	case a.Served == nil:
		return transfer.Incoming{Path: path}, nil
	}
	in.Path = path
	if in.Stream, err = a.OpenFile(path); err != nil {
		err = fmt.Errorf("%s: %w: %w", path, mem.ErrInput, cmp.Or(errors.Unwrap(err), err))
	}
	return in, err
}
