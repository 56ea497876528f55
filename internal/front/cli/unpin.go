package cli

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type unpinOptions struct{ editFlags }

func newUnpinCmd(a *app) *cobra.Command {
	o := &unpinOptions{}
	cmd := &cobra.Command{
		Use:   "unpin <key>...",
		Short: "take a pin back",
		Long: `Take the pin off memories: they are told by what they are worth, as all others.
Preferences and rules of the user stay pinned by their type, or by the tag of a note.`,
		Example: `  mem unpin m-4`,

		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.register(cmd)
	return cmd
}

// ruleBy adds to a warning what of a memory says that it is a rule, and how to change that.
func ruleBy(warning advice.List, rec log.Record) advice.List {
	f := content.Parse(rec.Content)
	for _, tag := range f.Tags {
		if strings.EqualFold(f.Type, "note") {
			if with := (content.Fields{Type: tag}); with.IsRule() {
				return warning.Then("its tag, which ").
					Run("touch", rec.Key.String(), "--tag", "-"+tag).Then(" takes away,")
			}
		}
	}
	return warning.Then("its type, which ").Run("edit", rec.Key.String()).Then(" changes,")
}

func (o *unpinOptions) run(a *app, cmd *cobra.Command, args []string) error {
	list, err := o.pin(a, cmd, args, false)
	if err != nil {
		return err
	}
	for _, h := range list { // what is pinned without a pin
		rec, err := h.store.Get(cmd.Context(), caller, h.key, true)
		if err == nil && policy.IsPinned(rec, h.site.InRepository()) && !a.quiet {
			warning := ruleBy(advice.Say(h.key.Shown()+" stays pinned: "), rec)
			a.advise(cmd, "warning", warning.Then(" says that it is a rule"))
		}
	}
	return nil
}
