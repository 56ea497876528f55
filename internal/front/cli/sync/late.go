package sync

import (
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/spf13/cobra"
)

func newSyncLateCmd(a *app.App) *cobra.Command {
	take, drop := false, false
	cmd := &cobra.Command{
		Use:   "late [<destination>]",
		Short: "list the lines from the future, which wait; take them, or drop them",
		Long: `List the lines that wait at the depots, by machine: they came from a clock that
was more than a day ahead of the one here, and would win against all that is
written until their date. They do not enter when it has come. --take takes them
in, those that are ahead still with a time of now; --drop leaves them out on
this machine for good, but for purges, which go on to wait.`,
		Example: `  mem sync late
  mem sync late --take`,
		Args: app.WantArgs(0, 1, "at most one destination"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if take && drop {
				return app.BadInput("sync late", "--take and --drop exclude each other",
					"give one of them")
			}
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			list, err := s.chosen(args)
			if err != nil {
				return err
			}
			if !take && !drop {
				return s.listLate(list)
			}
			if _, err := a.Person(policy.Join); err != nil {
				return err
			}
			if s.late = exchange.Take; drop {
				s.late = exchange.Drop
			}
			return s.alone(func() error { return s.run(args) })
		},
	}
	cmd.Flags().BoolVar(&take, "take", false, "take the lines in")
	cmd.Flags().BoolVar(&drop, "drop", false, "leave the lines out on this machine, for good")
	return cmd
}

// waitingAt is the lines of a machine that wait at a destination.
type waitingAt struct {
	Dest string `json:"dest"`
	places.Late
}

// listLate lists the lines that wait at some destinations.
func (s *syncing) listLate(list []places.Stored) error {
	rows, err := s.places.Rows()
	if err != nil {
		return err
	}
	waiting := []waitingAt{}
	for _, row := range rows {
		for _, one := range list {
			for _, late := range row.Waiting {
				if one.Dest == row.Dest {
					waiting = append(waiting, waitingAt{row.Dest, late})
				}
			}
		}
	}
	return s.a.Answer(s.cmd, map[string]any{"waiting": waiting},
		app.Written(func(w io.Writer) error {
			for _, late := range waiting {
				purges := ""
				if late.Purges > 0 {
					purges = "\t" + app.Count(late.Purges, "purge") + ", which --drop leaves"
				}
				_, err := fmt.Fprintf(w, "%s\t%s\t%s\tup to %s%s\n", app.OneLine(late.Dest),
					app.OneLine(late.Machine.String()), app.Count(late.Lines, "line"), late.TS,
					purges)
				if err != nil {
					return err
				}
			}
			return nil
		}))
}
