package tidy

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/fsck"
	"github.com/spf13/cobra"
)

// acceptLoss adds to the advice the way out where an archive has no backup.
func acceptLoss(found []fsck.Finding, do advice.List) advice.List {
	file := "FILE"
	switch list := fsck.Archives(found); len(list) {
	case 0:
		return do
	case 1:
		file = list[0]
	}
	return do.Also(advice.Run("fsck", "--accept-loss", file).
		Then(" gives up what an archive without a backup has lost"))
}

// agree shows what an archive has lost, and asks whether that may be given up.
func agree(a *app.App, cmd *cobra.Command, loss mem.Loss) error {
	if !a.Quiet && !a.AsJSON() {
		printLoss(cmd.ErrOrStderr(), loss)
	}
	return a.Confirm(cmd, policy.GiveUp, "give it up?")
}

func printLoss(w io.Writer, loss mem.Loss) {
	fmt.Fprintf(w, "%s: %s\n", app.OneLine(loss.File), loss.Fault)
	when := "  its lines were written"
	if loss.After != "" {
		when += " after " + loss.After
	}
	if loss.Until != "" {
		fmt.Fprintln(w, when, "until", loss.Until)
	}
	for _, line := range loss.Lines {
		fmt.Fprintf(w, "  line %d cannot be read: %s\n", line.Line, app.OneLine(
			cmp.Or(strings.TrimSpace(line.Key+" "+line.TS), "it shows neither key nor time")))
	}
	fmt.Fprintf(w, "  %s of it stay, and the memories that state.jsonl has\n",
		app.Count(loss.Kept, "line"))
	fmt.Fprintln(w, "  lost: other versions, deletions that state.jsonl does not show,",
		"and marks of purges")
	fmt.Fprintln(w, "  purged memories may come back from another machine or an old copy:",
		"mem forget KEY --purge erases them again")
}
