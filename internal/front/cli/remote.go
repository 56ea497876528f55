package cli

import (
	"slices"

	"github.com/set-memory/mem/internal/rule/layer"
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
	if hasDaemon(a) || slices.Contains(rootless, cmd.Name()) ||
		!layer.IsRemote(root) && !namesRemote(a, cmd, root) {
		return nil
	}
	return handOver(a, cmd.Name(), nil)
}

// namesRemote reports whether a verb is about a server besides its root: an argument or a flag is
// its URL, or the project's store here is on one.
func namesRemote(a *app, cmd *cobra.Command, root string) bool {
	if f := cmd.Flags().Lookup(remoteFlag); f != nil && f.Changed {
		return true
	}
	if cmd.Name() == "copy" && slices.ContainsFunc(cmd.Flags().Args(), layer.IsRemote) {
		return true
	}
	return root == "" && a.layer != layer.User && layer.IsNearRemote("")
}
