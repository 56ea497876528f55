package cli

import (
	"strings"

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

// ruleBy returns what of a memory says that it is a rule, and how to change that.
func ruleBy(rec log.Record) string {
	f := content.Parse(rec.Content)
	for _, tag := range f.Tags {
		if strings.EqualFold(f.Type, "note") {
			if with := (content.Fields{Type: tag}); with.IsRule() {
				return "its tag, which mem touch " + shellWord(rec.Key.String()) + " --tag -" +
					shellWord(tag) + " takes away,"
			}
		}
	}
	return "its type, which mem edit " + shellWord(rec.Key.String()) + " changes,"
}

func (o *unpinOptions) run(a *app, cmd *cobra.Command, args []string) error {
	list, err := o.pin(a, cmd, args, false)
	if err != nil {
		return err
	}
	for _, h := range list { // what is pinned without a pin
		rec, err := h.store.Get(cmd.Context(), caller, h.key, true)
		if err == nil && policy.IsPinned(rec, h.site.InRepository()) && !a.quiet {
			a.tell(cmd, "warning", h.key.Shown()+" stays pinned: "+ruleBy(rec)+
				" says that it is a rule")
		}
	}
	return nil
}
