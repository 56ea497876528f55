package app

import (
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// Records of sensitivity high are stored sealed, which only memd can do. A verb of mem that meets
// one fails with ledger.ErrNoKey, before it has stored or printed anything, and memd runs the whole
// command line instead, with the bytes that were read from standard input.

// KeyFile names in the environment the file with the key.
const KeyFile = "MEM_AGE_IDENTITY"

// OpenSealed lets memd run a verb that leaves out what it cannot open, where a key is named.
func (a *App) OpenSealed(cmd *cobra.Command) error {
	if a.HasDaemon() || a.Getenv(KeyFile) == "" {
		return nil
	}
	return a.HandOver(cmd.Name(), nil)
}

// Keys returns what seals and opens in these stores; nil without a key, and in mem.
func (a *App) Keys(l *layers.Layers) (ledger.Keys, error) {
	if a.Served != nil {
		return a.Served.Keys, nil
	}
	path := a.Getenv(KeyFile)
	if path == "" || a.Build.Keys == nil {
		return nil, nil
	}
	var roots []string
	for _, site := range l.Sites.List() {
		roots = append(roots, site.Root)
	}
	return a.Build.Keys(path, roots...)
}
