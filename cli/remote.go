package cli

import (
	"slices"

	"github.com/set-memory/mem/layer"
	"github.com/spf13/cobra"
)

// A store on a server is memd's to open: mem, which links no driver, hands the command line over.

// rootless are the verbs that open no store. setup writes into clients' files how they start mem.
var rootless = []string{"help", "version", "completion", "setup"}

// remote lets memd run a verb on a store on a server.
func remote(a *app, cmd *cobra.Command) error {
	root := a.root
	if root == "" {
		root = a.getenv("MEM_ROOT")
	}
	if hasDaemon(a) || !layer.IsRemote(root) || slices.Contains(rootless, cmd.Name()) {
		return nil
	}
	return handOver(a, cmd.Name(), nil)
}
