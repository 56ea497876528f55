package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// checkFromCopy refuses --from-copy where there is no copy that could answer. What a copy does not
// have, such as history, and writes the store itself refuses.
func checkFromCopy(a *app, cmd *cobra.Command) error {
	if !a.fromCopy {
		return nil
	}
	top, _, _ := strings.Cut(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "), " ")
	if hasTrait(top, noCopy|rootless) {
		return BadInput("--from-copy", top+" does not read memories", "leave it out")
	}
	if namesRemote(a, cmd) {
		return nil
	}
	return BadInput("--from-copy", "only a memory in PostgreSQL has a copy on this machine",
		"leave it out, or name one with --root postgres://HOST/DATABASE?space=NAME")
}
