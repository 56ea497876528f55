package stores

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// showUnseen prints the memories that would be injected.
func showUnseen(a *app.App, cmd *cobra.Command, site *site.Site, list []log.Record) {
	what := "is not trusted yet. It holds"
	if site.Grant != nil {
		what = "has, from other people or machines,"
	}
	a.ShowRecords(cmd, fmt.Sprintf("%s %s %s:", app.OneLine(site.Root), what,
		app.Memories(len(list))),
		site, list)
}

// showDeleted prints the keys that others have deleted.
func showDeleted(a *app.App, cmd *cobra.Command, gone []log.Record) {
	if len(gone) == 0 || a.Quiet || a.AsJSON() {
		return
	}
	var names []string
	for _, rec := range gone {
		names = append(names, rec.Key.Shown())
	}
	fmt.Fprintln(cmd.ErrOrStderr(), app.OneLine("deleted by other people or on other machines: "+
		strings.Join(names, ", ")))
}
