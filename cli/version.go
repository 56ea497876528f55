package cli

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

type versionOptions struct{}

func newVersionCmd(a *app) *cobra.Command {
	o := &versionOptions{}
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Long: `Print the version of mem, the commit it was built from, and the store format
it writes.`,
		Example: `  mem version --json`,
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *versionOptions) run(a *app, cmd *cobra.Command) error {
	doc := mem.NewVersionReply(a.build.Version, a.build.Commit)
	if a.asJSON() {
		return a.printValue(cmd, doc)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s (%s, format %d, %s %s)\n",
		a.build.Program, doc.Version, doc.Commit, doc.Format, doc.Go, doc.OS)
	return err
}
