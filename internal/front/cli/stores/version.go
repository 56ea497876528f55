package stores

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type versionOptions struct{}

func NewVersionCmd(a *app.App) *cobra.Command {
	o := &versionOptions{}
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    `Print the version of mem, its commit, and the store format that it writes.`,
		Example: `  mem version --json`,
		Args:    app.WantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *versionOptions) run(a *app.App, cmd *cobra.Command) error {
	build := app.WithBuildInfo(a.Build)
	doc := versionReply{
		Version: build.Version, Commit: build.Commit, Date: build.Date, Format: log.FormatVersion,
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
	}
	commit := doc.Commit
	if day, _, dated := strings.Cut(doc.Date, "T"); dated {
		commit += " of " + day
	}
	return a.Answer(cmd, doc, app.Verbatim(fmt.Sprintf("%s %s (%s, format %d, %s %s)\n",
		build.Program, doc.Version, commit, doc.Format, doc.Go, doc.OS)))
}

// versionReply is which program answers.
type versionReply struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date,omitempty"` // of the commit, as RFC 3339
	Format  int    `json:"format"`         // of the stores that it writes
	Go      string `json:"go"`
	OS      string `json:"os"`
}
