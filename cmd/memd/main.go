// Command memd is mem with what mem must not link: a server for many agents at once. It has every
// verb of mem, and those that package cli lists as its own, of packages server and sync.
package main

import (
	"maps"
	"os"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/server"
	"github.com/set-memory/mem/internal/front/cli/sync"
	"github.com/set-memory/mem/internal/view/transfer/tarfile"
)

// Set by the linker; see the Makefile.
var (
	version = "0.2.0-dev"
	commit  = "unknown"
	date    = ""
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, build())) }

// build returns what this program adds to those verbs.
func build() app.Build {
	verbs := maps.Clone(server.Verbs)
	maps.Copy(verbs, sync.Verbs)
	return app.Build{Program: "memd", Version: version, Commit: commit, Date: date, Verbs: verbs,
		Serve: cli.Serve, Doctor: cli.Doctor, Keys: server.LoadKeys, Connect: server.Connect,
		Migrate: server.Migrate, Forward: server.Forward, Ask: server.Ask, Answer: server.Answer,
		Give: server.GiveTo, Server: server.ServerOf, Tar: tarfile.Format{}}
}
