package sync

import (
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/spf13/cobra"
)

func newSyncListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the destinations, with the last exchange and the machines",
		Long: `List the destinations: the time of the last exchange, the lines sent and
received, and the machines that were met there.`,
		Example: `  mem sync list`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			rows, err := places.Exchanges(&s.l.Sites)
			if err != nil {
				return err
			}
			clock, err := a.Clock()
			if err != nil {
				return err
			}
			return a.Answer(cmd, map[string]any{"destinations": append([]places.Row{}, rows...)},
				app.Written(func(w io.Writer) error {
					for _, row := range rows {
						line, _ := row.Line(clock())
						_, err := fmt.Fprintf(w, "%s\t%s\n", app.OneLine(row.Dest), line)
						if err != nil {
							return err
						}
					}
					return nil
				}))
		},
	}
}
