package cli

import (
	"cmp"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

// printOutcome answers a write: with the path of its file, so that cat "$(mem set ...)" works, or
// where there is none with the key, for mem get.
func (a *app) printOutcome(cmd *cobra.Command, out mem.Outcome) error {
	if out.Reason != "" && !a.quiet {
		a.tell(cmd, "warning", "quarantined as "+out.Key.Shown()+": "+out.Reason)
	}
	switch {
	case a.asJSON():
		return a.printValue(cmd, out)
	case a.quiet || !out.Valid:
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), cmp.Or(out.Path, out.Key.String()))
	return err
}
