package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// askServer are verbs that have to ask a server, or ask none: there is nothing in a copy for them.
var askServer = []string{"init", "trust", "migrate", "space", "token", "key", "serve", "fsck",
	"compact"}

// checkFromCopy refuses --from-copy where there is no copy that could answer. What a copy does not
// have, such as history, and writes the store itself refuses.
func checkFromCopy(a *app, cmd *cobra.Command) error {
	if !a.fromCopy {
		return nil
	}
	top, _, _ := strings.Cut(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), " ")
	if slices.Contains(askServer, top) || slices.Contains(rootless, top) {
		return BadInput("--from-copy", top+" does not read memories", "leave it out")
	}
	if namesRemote(a, cmd) {
		return nil
	}
	return BadInput("--from-copy", "only a memory in PostgreSQL has a copy on this machine",
		"leave it out, or name one with --root postgres://HOST/DATABASE?space=NAME")
}
