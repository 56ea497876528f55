package cli

import (
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/fsck"
	"github.com/spf13/cobra"
)

type fsckOptions struct{ mem.FsckOptions }

func newFsckCmd(a *app) *cobra.Command {
	o := &fsckOptions{}
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "check the store, and repair it from the log",
		Long: "Hold every file of the store against the log, and name what is wrong. " +
			"Exit code 1 if something is.\n\n" + checkList(),
		Example: `  mem fsck
  mem fsck --repair
  mem fsck --adopt        # after editing files in index/ by hand`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	cmd.Flags().BoolVar(&o.Repair, "repair", false,
		"repair from the log; damaged bytes go to quarantine/, no undamaged record is lost")
	cmd.Flags().BoolVar(&o.Adopt, "adopt", false,
		"take hand edits of index files in as writes of a user")
	cmd.Flags().BoolVar(&o.TrustClock, "trust-clock", false,
		"times that are ahead of the clock are wrong, also where the log agrees with them")
	return cmd
}

func checkList() string {
	text := ""
	for _, c := range fsck.Checks() {
		text += fmt.Sprintf("  %s %-11s%s; --repair: %s\n", c.ID, c.Name, c.Meaning, c.Repair)
	}
	return text
}

func (o *fsckOptions) run(a *app, cmd *cobra.Command) error {
	s, err := a.open(cmd)
	if err != nil {
		return err
	}
	if !s.Exists() && !a.quiet {
		a.tell(cmd, "warning", s.Path()+": there is no store yet")
	}
	rep, err := s.Fsck(cmd.Context(), caller, o.FsckOptions)
	if err != nil {
		return err
	}
	if a.asJSON() {
		err = a.printValue(cmd, rep)
	} else {
		err = o.print(a, cmd.OutOrStdout(), rep)
	}
	if err == nil && len(rep.Left) > 0 {
		return errNo
	}
	return err
}

func (o *fsckOptions) print(a *app, w io.Writer, rep mem.FsckReport) error {
	for _, f := range rep.Found {
		fmt.Fprintln(w, oneLine(f.String()))
	}
	for _, key := range rep.Adopted {
		fmt.Fprintf(w, "adopted %s\n", key)
	}
	if a.quiet {
		return nil
	}
	text := "ok: " + count(rep.Records, "record") + ", nothing wrong"
	switch {
	case len(rep.Found) > 0 && len(rep.Left) == 0:
		text = fmt.Sprintf("%d found, all put right", len(rep.Found))
	case len(rep.Left) > 0 && (o.Repair || o.Adopt):
		text = fmt.Sprintf("%d found, %d left", len(rep.Found), len(rep.Left))
	case len(rep.Left) > 0:
		text = fmt.Sprintf("%d found; mem fsck --repair puts them right", len(rep.Found))
	}
	_, err := fmt.Fprintln(w, text)
	return err
}
