package cli

import (
	"fmt"
	"runtime"

	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type versionOptions struct{}

func newVersionCmd(a *app) *cobra.Command {
	o := &versionOptions{}
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    `Print the version of mem, the commit it was built from, and the store format it writes.`,
		Example: `  mem version --json`,
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *versionOptions) run(a *app, cmd *cobra.Command) error {
	doc := struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		Format  int    `json:"format"`
		Go      string `json:"go"`
		OS      string `json:"os"`
	}{a.build.Version, a.build.Commit, log.FormatVersion, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if a.asJSON() {
		return a.printValue(cmd, doc)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s (%s, format %d, %s %s)\n", a.build.Program, doc.Version, doc.Commit, doc.Format, doc.Go, doc.OS)
	return err
}
