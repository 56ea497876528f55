// Command memd is mem with what mem must not link: a server for many agents at once. It has every
// verb of mem, and those that package cli lists as its own, of packages server and sync.
package main

import (
	"os"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/server"
	"github.com/set-memory/mem/internal/front/cli/sync"
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
	"serve": server.NewServeCmd, "mcp": server.NewMCPCmd, "page": server.NewPageCmd,
	"token": server.NewTokenCmd, "key": server.NewKeyCmd, "space": server.NewSpaceCmd,
	"sync": sync.NewSyncCmd, "depot": sync.NewDepotCmd,
	"backup": sync.NewBackupCmd, "restore": sync.NewRestoreCmd,
}

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, build())) }

// build returns what this program adds to those verbs.
func build() app.Build {
	return app.Build{Program: "memd", Version: version, Commit: commit, Date: date, Verbs: verbs,
		Serve: cli.Serve, Doctor: cli.Doctor, Keys: server.LoadKeys, Connect: server.Connect,
		Migrate: server.Migrate, Forward: server.Forward, Ask: server.Ask, Answer: server.Answer,
		Give: server.GiveTo, Server: server.ServerOf, Tar: tarfile.Format{}}
}
