package records

import (
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type bundleOptions struct {
	request   bundle.Request
	maxTokens int
	format    string
}

func NewBundleCmd(a *app.App) *cobra.Command {
	o := &bundleOptions{}
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "print the context for an agent's next call of a model",
		Long: `Print the context for an agent's next model call: its identity, rules, tasks,
current decisions, the handoff to it, the records that --query finds, and the
newest messages of the session. Each part has a share of --max-tokens, and an
eighth is left for the call. The same store, request and --now print the same
bytes.

--channel limits the records: private prints all but secret ones, team those
labelled team or public, agent those labelled agent, team or public whose
sensitivity is not high, public those labelled public with sensitivity none.`,
		Example: `  mem bundle --session s1 --agent ada --query 'what is this project for?'
  mem bundle --session s1 --agent ada --format text --max-tokens 8000`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f, r := cmd.Flags(), &o.request
	f.StringVar(&r.Session, "session", "", "the `ID` of the session")
	f.StringVar(&r.Agent, "agent", "", "the `ID` of the agent (default: $MEM_AGENT)")
	f.StringVar(&r.Channel, "channel", "private", "`CHANNEL` private, team, agent or public")
	f.StringVar(&r.Intent, "intent", "", "the purpose of the call: a `TEXT`, which is\n"+
		"the query if there is no --query")
	f.StringVar(&r.Query, "query", "", "the `TEXT` to search for")
	f.IntVar(&o.maxTokens, "max-tokens", bundle.MaxTokens,
		"the budget of the call: `N` tokens, at most 65000")
	f.StringVar(&o.format, "format", "json", "`FORMAT` json, or text for a prompt")
	return cmd
}

func (o *bundleOptions) run(a *app.App, cmd *cobra.Command) error {
	if o.format != "json" && o.format != "text" {
		return app.BadInput("--format "+o.format, "want json or text", "")
	}
	if err := a.OpenSealed(cmd); err != nil {
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
	if o.format == "text" {
		return a.Answer(cmd, b, app.Verbatim(b.Text()))
	}
	doc, err := mem.EncodeJSON(b)
	if err != nil {
		return err
	}
	return a.Answer(cmd, b, app.Document(doc))
}
