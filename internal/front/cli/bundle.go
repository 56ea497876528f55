package cli

import (
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type bundleOptions struct {
	request   bundle.Request
	maxTokens int
	format    string
}

func newBundleCmd(a *app) *cobra.Command {
	o := &bundleOptions{}
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "print the context for an agent's next call of a model",
		Long: `Print what an agent needs to know for its next call of a model: who it is, rules, tasks, decisions
that hold, what was handed over to it, what --query finds in all that happened, and what was said
last in the session. Each part has its share of --max-tokens, and an eighth is left for the call.

--channel decides what may be told: private everything but what is secret, team what is labelled
team or public, agent what is labelled agent, team or public and not high, public what is labelled
public and none. The same store, request and --now print the same bytes.`,
		Example: `  mem bundle --session s1 --agent ada --query 'what is this project for?'
  mem bundle --session s1 --agent ada --format text --max-tokens 8000`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f, r := cmd.Flags(), &o.request
	f.StringVar(&r.Session, "session", "", "the `ID` of the session")
	f.StringVar(&r.Agent, "agent", "", "the `ID` of the agent; none: that of $MEM_AGENT")
	f.StringVar(&r.Channel, "channel", "private", "`CHANNEL` private, team, agent or public")
	f.StringVar(&r.Intent, "intent", "", "what it is for: a `TEXT`, looked up\n"+
		"where there is no --query")
	f.StringVar(&r.Query, "query", "", "what is looked for: a `TEXT`; none: nothing is")
	f.IntVar(&o.maxTokens, "max-tokens", bundle.MaxTokens,
		"the budget of the call: `N` tokens, at most 65000")
	f.StringVar(&o.format, "format", "json", "`FORMAT` json, or text for a prompt")
	return cmd
}

func (o *bundleOptions) run(a *app, cmd *cobra.Command) error {
	if o.format != "json" && o.format != "text" {
		return &usage{what: "--format " + o.format, why: "want json or text"}
	}
	if err := openSealed(a, cmd); err != nil {
		return err
	}
	book, err := openBook(a, cmd, keypath.Events)
	if err != nil {
		return err
	}
	o.request.MaxTokens, o.request.AsText = &o.maxTokens, o.format == "text"
	b, err := bundle.Build(cmd.Context(), book, o.request)
	if err != nil {
		return err
	}
	if o.format == "text" && !a.asJSON() {
		_, err = fmt.Fprint(cmd.OutOrStdout(), b.Text())
		return err
	}
	if terminal(cmd.OutOrStdout()) > 0 && !a.asJSON() {
		doc, err := mem.EncodeJSON(b)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", indented(doc))
		return err
	}
	return a.printValue(cmd, b)
}
