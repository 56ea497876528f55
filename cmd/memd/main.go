// Command memd is mem with what mem must not link: a server for many agents at once. It has every
// verb of mem, and those that package cli lists as its own, each in a file of this package.
package main

import (
	"os"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/transfer/tarfile"
	"github.com/spf13/cobra"
)

// Set by the linker; see the Makefile.
var (
	version = "0.2.0-dev"
	commit  = "unknown"
	date    = ""
)

// verbs are those that mem has not.
var verbs = map[string]func(*app.App) *cobra.Command{
	"serve": newServeCmd, "mcp": newMCPCmd, "page": newPageCmd, "token": newTokenCmd,
	"key": newKeyCmd, "space": newSpaceCmd, "sync": newSyncCmd, "depot": newDepotCmd,
	"backup": newBackupCmd, "restore": newRestoreCmd,
}

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, build())) }

// build returns what this program adds to those verbs.
func build() app.Build {
	return app.Build{Program: "memd", Version: version, Commit: commit, Date: date, Verbs: verbs,
		Keys: loadKeys, Connect: connect, Migrate: migrate,
		Forward: forward, Ask: ask, Answer: answer, Give: giveTo, Server: serverOf,
		Tar: tarfile.Format{}}
}
