package sync

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/spf13/cobra"
)

func newDepotCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "depot <name>",
		Long: `Serve a depot over standard input and output: mem sync starts this program over
ssh, for a destination ssh://HOST/NAME. The depot is the folder
$XDG_DATA_HOME/mem-depots/NAME. The machine needs no key, and reads nothing.`,
		Example: `  mem sync init ssh://nas.example/home`,
		Args:    app.WantArgs(1, 1, "the name of a depot"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.Check(); err != nil {
				return err
			}
			// The name passes the same rules as that of a URL.
			if _, err := places.ParseDest("ssh://host/" + args[0]); err != nil {
				return app.BadInput("depot "+args[0], "no name of a depot",
					"want letters, digits, and between them ., - and _")
			}
			data := a.Getenv("XDG_DATA_HOME")
			if !filepath.IsAbs(data) {
				home, err := os.UserHomeDir()
				if err != nil {
					return app.BadInput("depot", err.Error(), "set HOME or XDG_DATA_HOME")
				}
				data = filepath.Join(home, ".local", "share")
			}
			err := depot.Serve(filepath.Join(data, "mem-depots", args[0]), cmd.InOrStdin(),
				cmd.OutOrStdout())
			if errors.Is(err, depot.ErrNoServer) {
				err = app.BadInput("depot", err.Error(), "mem sync starts this verb, over ssh")
			}
			return err
		},
	}
}
