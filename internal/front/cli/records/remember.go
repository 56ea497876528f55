package records

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type rememberOptions struct {
	source      app.SourceFlags
	record      session.Record
	importance  float64
	at          string
	allowSecret []string
}

func NewRememberCmd(a *app.App) *cobra.Command {
	o := &rememberOptions{}
	cmd := &cobra.Command{
		Use:         "remember <session> <text>",
		Short:       "store a message, decision, finding or preference in a session",
		Annotations: app.GivenArgs(app.Text, app.AtFile),
		Long: `Store a message, decision, finding or preference (--type) in a session and
print its id. "-" reads the text from standard input, "@file" from a file; a
text that begins with @ must come from standard input.

Old records of little importance lose relevance, and mem search --session lists
the most relevant first. A session has its own limit, 10 MiB: when it is nearly
full, the least relevant records are dropped, but no preference. Exit code 1 if
there is no such session, 3 if it is closed or full.`,
		Example: `  mem remember sess_20260222_ada 'How do I implement OAuth2?' \
    --type conversation --tag oauth2
  mem remember sess_20260222_ada 'Use the code flow' --type decision \
    --rationale 'safe for servers' --alternative 'implicit flow' --importance 0.9
  printf %s '@ada asked for OAuth2' |
    mem remember sess_20260222_ada - --type conversation`,
		Args: rememberArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0], args[1])
		},
	}
	o.source.Register(cmd)
	f, r := cmd.Flags(), &o.record
	f.StringVar(&r.Type, "type", "", "`TYPE` conversation, decision, finding or preference")
	f.StringVar(&r.Role, "role", "", "the `ROLE` of the speaker: user, assistant or another")
	f.StringVar(&r.Rationale, "rationale", "", "the reason of a decision: a `TEXT`")
	f.StringArrayVar(&r.Alternatives, "alternative", nil,
		"an option that was rejected: a `TEXT`; repeatable")
	f.StringArrayVar(&r.References, "references", nil,
		"the `ID` of a record that it refers to, or a key; repeatable")
	f.Float64Var(&o.importance, "importance", 0.5, "the importance: `N` from 0 to 1")
	f.StringArrayVar(&r.Tags, "tag", nil, "a `TAG`; several with commas or by repeating")
	f.StringVar(&o.at, "at", "", "its `TIME`: RFC 3339, or 12h, 7d ago")
	f.StringArrayVar(&o.allowSecret, "allow-secret", nil, app.AllowSecretUsage)
	return cmd
}

// rememberArgs wants a session and a text: a text alone is probably a fact for a note.
func rememberArgs(cmd *cobra.Command, args []string) error {
	err := app.WantArgs(2, 2, "a session and a text (quote it for the shell)")(cmd, args)
	if len(args) == 1 && args[0] != "" && !strings.HasPrefix(args[0], session.IDPrefix) {
		return app.Hinted(err, advice.Run("note", args[0]).Then(" keeps a fact in no session").
			Also(app.HelpOf(cmd, " shows how to keep a record of one")))
	}
	return err
}

func (o *rememberOptions) run(a *app.App, cmd *cobra.Command, id, arg string) error {
	if err := o.complete(a, cmd, arg); err != nil {
		return err
	}
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	s, layer, err := a.SessionStore(cmd, l, id)
	if err != nil {
		return err
	}
	stored, err := session.Remember(cmd.Context(), s, a.Caller, id, o.record,
		session.Options{Source: source, AllowSecrets: o.allowSecret})
	if err != nil {
		return err
	}
	return a.Answer(cmd, mem.NoteReply{OK: true, ID: stored, Layer: layer}, app.Line(stored))
}

// complete reads the text, and the flags that are no plain text.
func (o *rememberOptions) complete(a *app.App, cmd *cobra.Command, arg string) error {
	f := cmd.Flags()
	var err error
	if o.record.Text, err = longText(a, cmd, "text", arg, policy.MaxContent); err != nil {
		return err
	}
	if o.record.Tags, err = app.ListFlag("tag", o.record.Tags); err != nil {
		return err
	}
	if f.Changed("importance") {
		o.record.Importance = &o.importance
	}
	now, err := a.Clock()
	if err != nil {
		return err
	}
	at, err := app.ParseWhen("--at", o.at, now())
	if at != nil {
		o.record.At = max(*at, log.MinStamp)
	}
	return err
}
