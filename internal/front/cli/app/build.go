package app

import (
	"context"
	"path"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

// Build is which program runs the verbs, and what it was built from.
type Build struct {
	Program string // the name people type; messages begin with it
	Version string
	Commit  string
	Date    string // of the commit, as RFC 3339; "" where the linker was not given one

	// Clock is the machine's own clock, whatever --now says; nil: the system's.
	Clock func() time.Time
	// Verbs are those that only memd has, by their names; nil: the program is mem, which hands them
	// over.
	Verbs map[string]func(*App) *cobra.Command
	// Connect opens a store on a server; nil: the program hands over to memd.
	Connect func(url string, o mem.Options) (*mem.Store, error)
	// Forward runs a verb on a memory behind a server.
	Forward func(a *App, cmd *cobra.Command, at ServedAt) error
	// Ask runs a command line there that needs nothing of this machine, and returns what it prints.
	Ask func(ctx context.Context, a *App, at ServedAt, args ...string) ([]byte, error)
	// Answer answers an event of a client from there, by the hook with these arguments.
	Answer func(ctx context.Context, a *App, at ServedAt, args []string,
		in hook.Forwarded) hook.Part
	// Give returns the function that passes memories to a memory there, as transfer.Send has it.
	Give func(a *App, cmd *cobra.Command, at ServedAt) transfer.Give
	// Server returns the identity of the server of a memory, see site.ServerID; "" without a token.
	Server func(a *App, url string) (id string, err error)
	// Migrate takes the steps that the tables of a store on a server lack, or lists them.
	Migrate func(ctx context.Context, url string, dryRun bool) ([]SchemaStep, error)
	// Keys loads the file with the key that seals records of sensitivity high; it must lie outside
	// the roots. nil: the program cannot seal.
	Keys func(path string, roots ...string) (ledger.Keys, error)
	// Serve runs a verb for a caller over HTTP; Doctor returns the checks of doctor, for the page.
	// They are of package cli, which imports the packages of verbs.
	Serve  func(ctx context.Context, b Build, caller mem.Caller, s *Served) (wire.Reply, error)
	Doctor func(a *App, cmd *cobra.Command) func(context.Context) []doctor.Check
	// Tar reads and writes archives; nil: the program hands over to memd.
	Tar transfer.Tar
}

// SchemaStep is one step of the tables of a store on a server.
type SchemaStep struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	SQL    string `json:"sql"`
}

func buildName(b Build) string { return b.Version + " (" + b.Commit + ")" }

// WithBuildInfo returns a build completed by the build information of Go.
func WithBuildInfo(b Build) Build {
	if info, ok := debug.ReadBuildInfo(); ok {
		return builtFrom(b, info)
	}
	return b
}

// SlowBuild returns the command that builds a program as static as its releases, where this one is
// linked with cgo, which makes each start slower; "" where the program is fast, or is a test of
// one.
func SlowBuild(info *debug.BuildInfo) string {
	if path.Base(path.Dir(info.Path)) != "cmd" {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" && s.Value == "1" {
			return "CGO_ENABLED=0 go install " + path.Dir(info.Path) + "/...@latest"
		}
	}
	return ""
}

// isInstalled reports whether go install has made this program from a module's version.
func isInstalled(b Build, info *debug.BuildInfo) bool {
	return b.Commit == unknownCommit && strings.HasPrefix(info.Main.Version, "v") &&
		!hasRevision(info)
}

func hasRevision(info *debug.BuildInfo) bool {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return true
		}
	}
	return false
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
