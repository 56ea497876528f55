package cli

import (
	"fmt"

	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type statOptions struct{}

func newStatCmd(a *app) *cobra.Command {
	o := &statOptions{}
	return &cobra.Command{
		Use:   "stat",
		Short: "print what the store holds, in numbers",
		Long:  `Print counts, bytes, ages and the fullest namespaces of the store.`,
		Example: `  mem stat
  mem stat --jq .live`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *statOptions) run(a *app, cmd *cobra.Command) error {
	s, err := openToRead(a, cmd)
	if err != nil {
		return err
	}
	st, err := s.Stat(cmd.Context(), caller)
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.printValue(cmd, st)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "root        %s\n", st.Root)
	fmt.Fprintf(w, "live        %d (%d expired, %d untrusted beside them)\n",
		st.Live, st.Expired, st.Untrusted)
	fmt.Fprintf(w, "log         %d lines, %d bytes\n", st.LogLines, st.LogBytes)
	fmt.Fprintf(w, "state       %d bytes\n", st.StateBytes)
	fmt.Fprintf(w, "archive     %d segments, %d bytes\n", st.Archives, st.ArchBytes)
	if st.Newest != "" {
		fmt.Fprintf(w, "newest      %s\n", st.Newest)
	}
	if st.Oldest != "" {
		fmt.Fprintf(w, "oldest      %s\n", st.Oldest)
	}
	fmt.Fprintf(w, "health      %s\n", health(st.Damaged))
	for _, ns := range st.Namespaces {
		fmt.Fprintf(w, "%-11s %d\n", keypath.Show(ns.Prefix), ns.Live)
	}
	return nil
}

func health(damaged int) string {
	if damaged > 0 {
		return fmt.Sprintf("%d damaged lines; mem fsck tells more", damaged)
	}
	return "ok"
}
