package cli

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// Records of sensitivity high are stored sealed, which only memd can do. A verb of mem that meets
// one fails with ledger.ErrNoKey, before it has stored or printed anything, and memd runs the whole
// command line instead, with the bytes that were read from standard input.

// keyFile names in the environment the file with the key.
const keyFile = "MEM_AGE_IDENTITY"

// openSealed lets memd run a verb that leaves out what it cannot open, where a key is named.
func openSealed(a *app, cmd *cobra.Command) error {
	if hasDaemon(a) || a.getenv(keyFile) == "" {
		return nil
	}
	return handOver(a, cmd.Name(), nil)
}

// keysFor returns what seals and opens in these stores; nil without error where no key is named, or
// this program is mem.
func keysFor(a *app, l *mem.Layers) (ledger.Keys, error) {
	path := a.getenv(keyFile)
	if path == "" || a.build.Keys == nil {
		return nil, nil
	}
	var roots []string
	for _, site := range l.Sites.List() {
		roots = append(roots, site.Root)
	}
	return a.build.Keys(path, roots...)
}
