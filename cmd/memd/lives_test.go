package main

import (
	"testing"

	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/server"
	"github.com/set-memory/mem/internal/test/life"
	"github.com/set-memory/mem/internal/view/transfer/tarfile"
)

// The lives of people with several machines end with all that they wrote and nothing that they
// purged, on all of them.
func TestLives(t *testing.T) {
	life.Check(t, app.Build{Program: "memd", Version: version, Commit: commit, Verbs: verbs,
		Serve: cli.Serve, Doctor: cli.Doctor, Keys: server.LoadKeys, Tar: tarfile.Format{}})
}
