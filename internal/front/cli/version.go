package cli

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type versionOptions struct{}

func newVersionCmd(a *app) *cobra.Command {
	o := &versionOptions{}
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    `Print the version of mem, its commit, and the store format that it writes.`,
		Example: `  mem version --json`,
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *versionOptions) run(a *app, cmd *cobra.Command) error {
	build := withBuildInfo(a.build)
	doc := newVersionReply(build.Version, build.Commit)
	doc.Date = build.Date
	commit := doc.Commit
	if day, _, dated := strings.Cut(doc.Date, "T"); dated {
		commit += " of " + day
	}
	return a.answer(cmd, doc, verbatim(fmt.Sprintf("%s %s (%s, format %d, %s %s)\n",
		build.Program, doc.Version, commit, doc.Format, doc.Go, doc.OS)))
}

// unknownCommit is the commit of a program that was linked without one, by a plain go build or go
// install.
const unknownCommit = "unknown"

// builtFrom returns a build with what Go itself knows of it: the revision of the working tree, or
// else the version of the module.
func builtFrom(b Build, info *debug.BuildInfo) Build {
	if b.Commit != unknownCommit {
		return b
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if rev := set["vcs.revision"]; rev != "" {
		if b.Commit = rev[:min(len(rev), 12)]; set["vcs.modified"] == "true" {
			b.Commit += "+modified"
		}
		return b
	}
	if strings.HasPrefix(info.Main.Version, "v") {
		b.Version, b.Commit = info.Main.Version[1:], info.Main.Version
		// Of a commit that has no tag, the version ends in it.
		untagged := regexp.MustCompile(`-(?:0\.)?[0-9]{14}-([0-9a-f]{12})$`)
		if m := untagged.FindStringSubmatch(info.Main.Version); m != nil {
			b.Commit = m[1]
		}
	}
	return b
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

// newVersionReply returns the answer of a program of that version.
func newVersionReply(version, commit string) versionReply {
	return versionReply{
		Version: version, Commit: commit, Format: log.FormatVersion,
		Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
	}
}
