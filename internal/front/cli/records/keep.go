package records

import (
	"cmp"
	"errors"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/spf13/cobra"
)

// What the verbs share that are about what an agent keeps for itself.

// keptText completes the help of both verbs: the limit and the sources of a text.
const keptText = `, at most 10,000 characters; "-" reads it from standard input, and a leading @ ` +
	`belongs to the text and names no file.`

// keepFlags are the flags of the verbs that store what an agent keeps.
type keepFlags struct {
	agent       string
	allowSecret []string
}

func (k *keepFlags) register(cmd *cobra.Command) {
	app.RegisterAgent(cmd, &k.agent, app.AgentUsage)
	cmd.Flags().SetAnnotation("agent", app.MayBeEmpty, []string{"a model reads the error"})
	cmd.Flags().StringArrayVar(&k.allowSecret, "allow-secret", nil, app.AllowSecretUsage)
}

// run stores a text and prints what a model reads of it: that it was refused, too.
func (k *keepFlags) run(a *app.App, cmd *cobra.Command, level journal.Level, arg string) error {
	m, err := k.save(a, cmd, level, arg)
	return k.reply(a, cmd, m, err)
}

// args is WantArgs for one text, with the reply of a model where it fails.
func (k *keepFlags) args(a *app.App) cobra.PositionalArgs {
	want := app.WantArgs(1, 1, "one text (quote it for the shell)")
	return func(cmd *cobra.Command, args []string) error {
		if err := want(cmd, args); err != nil {
			return k.reply(a, cmd, journal.Memory{}, err)
		}
		return nil
	}
}

// reply prints what a model reads of a call that ended with an error, or without, and returns it;
// in words for people where no agent is named.
func (k *keepFlags) reply(a *app.App, cmd *cobra.Command, m journal.Memory, err error) error {
	answer := journal.NewReply(m, err)
	if errors.Is(err, journal.ErrNoAgent) {
		err = &journal.AgentError{}
	}
	// What standard output fails with matters only where nothing else has failed.
	return cmp.Or(err, a.Answer(cmd, answer, app.UnlessQuiet(app.InJSON(answer))))
}

func (k *keepFlags) save(a *app.App, cmd *cobra.Command, level journal.Level, arg string) (
	m journal.Memory, err error) {
	text, err := app.TextArg(cmd, "text", arg, policy.MaxContent)
	if errors.Is(err, policy.ErrTooLarge) {
		text, err = strings.Repeat("x", journal.MaxText+1), nil // whatever it is, it is too long
	}
	if err != nil {
		return m, err
	}
	s, err := a.OpenPersonal(cmd)
	if err != nil {
		return m, err
	}
	return journal.Save(cmd.Context(), s, a.Caller, level, text,
		journal.Options{Agent: k.agent, AllowSecrets: k.allowSecret})
}
