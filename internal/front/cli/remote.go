package cli

import (
	"cmp"
	"slices"

	"github.com/set-memory/mem/internal/rule/site"
	"github.com/spf13/cobra"
)

// A store on a server is memd's to open: mem, which links no driver, hands the command line over.

// remote lets memd run a verb on a store on a server.
func remote(a *app, cmd *cobra.Command) error {
	if hasDaemon(a) || hasTrait(cmd.Name(), rootless) || !namesRemote(a, cmd) {
		return nil
	}
	return handOver(a, cmd.Name(), nil)
}

// serverRoot returns the URL of a server that --root or MEM_ROOT names; "" where neither does.
func (a *app) serverRoot() string {
	if root := a.namedRoot(); site.IsRemote(root) {
		return root
	}
	return ""
}

// namedRoot returns the root that --root names, or else MEM_ROOT; "" for none.
func (a *app) namedRoot() string { return cmp.Or(a.root, a.getenv("MEM_ROOT")) }

// namesRemote reports whether a verb is about a server: its root, an argument or a flag is a URL,
// or the project's store here is on one.
func namesRemote(a *app, cmd *cobra.Command) bool {
	if a.serverRoot() != "" {
		return true
	}
	if f := cmd.Flags().Lookup(remoteFlag); f != nil && f.Changed {
		return true
	}
	if cmd.Name() == "copy" && slices.ContainsFunc(cmd.Flags().Args(), site.IsRemote) {
		return true
	}
	return a.namedRoot() == "" && a.layer != site.User && site.IsNearRemote("")
}
