package tidy

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/spf13/cobra"
)

type compactOptions struct {
	mem.CompactOptions
	each app.StoresFlag
}

func NewCompactCmd(a *app.App) *cobra.Command {
	o := &compactOptions{}
	cmd := &cobra.Command{
		Use:   "compact",
		Short: "fold the log into state.jsonl",
		Long: `Write the newest live version of every key to state.jsonl, remove expired
memories from the index, and move the log to archive/ once it has passed
100,000 lines or 64 MiB. Log and archives keep the whole history. Readers and
writers continue meanwhile.`,
		Example: `  mem compact
  17 * * * *  mem compact --all --if-needed --quiet      # a line for cron`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.IfNeeded, "if-needed", false,
		"do nothing if the log has grown little, for cron")
	f.BoolVar(&o.DryRun, "dry-run", false, "only print the work that would be done")
	f.BoolVar(&o.KeepExpired, "keep-expired", false, "leave expired memories in state and index")
	f.BoolVar(&o.NamesOnly, "names-only", false, "compare only the names in index/, not its files")
	f.MarkHidden("names-only")
	o.each.Register(cmd)
	return cmd
}

func (o *compactOptions) run(a *app.App, cmd *cobra.Command) error {
	return o.each.Run(a, cmd, func(s *mem.Store, title string) error {
		return o.one(a, cmd, s, title)
	})
}

// compacted is what --json prints of one store.
type compacted struct {
	Layer string `json:"layer,omitempty"`
	mem.CompactReport
}

func (o *compactOptions) one(a *app.App, cmd *cobra.Command, s *mem.Store, title string) error {
	rep, err := s.Compact(cmd.Context(), a.Caller, o.CompactOptions)
	if err != nil {
		return err
	}
	return a.Answer(cmd, compacted{title, rep}, app.Report(app.Titled(title, o.describe(rep))))
}

func (o *compactOptions) describe(rep mem.CompactReport) string {
	if !rep.Done && (rep.Copy || !o.DryRun) {
		return "nothing done: " + rep.Why
	}
	if rep.Copy {
		return "this machine's copy of the server's memories is folded"
	}
	text := app.Count(rep.Lines, "line") + " folded in, " + app.Count(rep.Keys, "live key")
	if rep.Expired > 0 {
		text += fmt.Sprintf(", %d expired left out", rep.Expired)
	}
	if rep.Repaired > 0 {
		text += fmt.Sprintf(", %d index files repaired", rep.Repaired)
	}
	if rep.Damaged > 0 {
		text += fmt.Sprintf(", %d damaged lines left out (mem fsck lists them)", rep.Damaged)
	}
	if rep.Archive != "" {
		text += ", log moved to " + rep.Archive
	}
	if o.DryRun {
		text += " (dry run: nothing written)"
	}
	return text
}
