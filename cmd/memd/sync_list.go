package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/exchange"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// syncRow is one destination, and what this machine remembers of it.
type syncRow struct {
	exchange.Stored
	exchange.Past
}

func newSyncListCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "list the destinations, with the last exchange and the machines",
		Long: `List the destinations: the time of the last exchange, the lines sent and
received, and below each the machines that were met there.`,
		Example: `  mem sync list`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSync(a, cmd)
			if err != nil {
				return err
			}
			return s.list()
		},
	}
}

func (s *syncing) list() error {
	root, err := filepath.Abs(s.l.Sites.User.Root)
	if err != nil {
		return err
	}
	clock, err := s.a.Clock()
	if err != nil {
		return err
	}
	now, rows := clock(), []syncRow{}
	for _, one := range s.places.List {
		rows = append(rows, syncRow{one, s.places.PastOf(one.ID, exchange.User, root)})
	}
	return s.a.Answer(s.cmd, map[string]any{"destinations": rows},
		app.Written(func(w io.Writer) (err error) {
			for _, row := range rows {
				last := "never"
				if row.At != 0 {
					last = text.Ago(now.Sub(row.At.Time()))
				}
				_, err = fmt.Fprintf(w, "%s\t%s\t%d sent\t%d received\n", row.Dest, last, row.Sent,
					row.Received)
				for _, id := range slices.Sorted(maps.Keys(row.Machines)) {
					m := row.Machines[id]
					_, err = fmt.Fprintf(w, "  %s\t%s\n", m, text.Ago(now.Sub(m.At.Time())))
				}
			}
			return err
		}))
}

func stampOf(now func() time.Time) log.Stamp { return log.StampOf(now()) }
