// Command mem is an agent's memory as plain files: see the README for what it does, package mem for
// how, and package cli for the verbs.
package main

import (
	"os"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
)

// Set by the linker; see the Makefile.
var (
	version = "0.2.0-dev"
	commit  = "unknown"
	date    = ""
)

func main() {
	build := app.Build{Program: "mem", Version: version, Commit: commit, Date: date}
	os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, build))
}
