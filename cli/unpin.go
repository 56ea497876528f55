package cli

import "github.com/spf13/cobra"

func newUnpinCmd(a *app) *cobra.Command {
	cmd := (&pinOptions{}).command(a)
	cmd.Use, cmd.Short = "unpin <key>...", "take a pin back"
	cmd.Long = `Take the pin off memories: they are told by what they are worth, as all others.
Preferences and rules of the user stay pinned by their type, or the tag of a note.`
	cmd.Example = `  mem unpin m-4`
	return cmd
}
