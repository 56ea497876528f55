package cli

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// showUnseen prints the memories that would be injected.
func showUnseen(a *app, cmd *cobra.Command, site *site.Site, list []log.Record) {
	what := "is not trusted yet. It holds"
	if site.Grant != nil {
		what = "has, from other people or machines,"
	}
	showRecords(a, cmd, fmt.Sprintf("%s %s %s:", oneLine(site.Root), what, memories(len(list))),
		site, list)
}

// showDeleted prints the keys that others have deleted.
func showDeleted(a *app, cmd *cobra.Command, gone []log.Record) {
	if len(gone) == 0 || a.quiet || a.asJSON() {
		return
	}
	var names []string
	for _, rec := range gone {
		names = append(names, rec.Key.Shown())
	}
	fmt.Fprintln(cmd.ErrOrStderr(), oneLine("deleted by other people or on other machines: "+
		strings.Join(names, ", ")))
}
