package daily

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type getOptions struct {
	envelope bool
	expired  bool
}

func NewGetCmd(a *app.App) *cobra.Command {
	o := &getOptions{}
	cmd := &cobra.Command{
		Use:   "get <key> [<record>]",
		Short: "print the newest live content of a key",
		Long: `Print the content of a key byte for byte, indented on a terminal. The first
slash of a key is optional. An id names a note, event, decision, task or
artifact, two ids a session and its record, and the id of a chunk prints its
text. Sealed content is opened with the key of $MEM_AGE_IDENTITY, but not with
--json. With --json or --jq the answer is the envelope, whose member content is
the memory: --jq .content.text prints the text of a note. Exit code 1 if the key
has no live memory.`,
		Example: `  mem get /user/preference/style
  mem get /user/preference/style --jq .content.summary
  mem get m-4
  mem get sess_20260222_ada mem_01KJ2N4XK0W4E5V7QD3M8R9T0A
  mem get /task/42 || echo 'nothing known'`,
		Args:              app.WantArgs(1, 2, "one key, or a session and the id of a record"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := app.RecordArg(cmd, args)
			if err != nil {
				return err
			}
			return sessionError(a, cmd, args, o.run(a, cmd, arg))
		},
	}
	cmd.Flags().BoolVar(&o.envelope, "envelope", false,
		"print the whole envelope: key, ts, valid, source, content, checksum")
	cmd.Flags().BoolVar(&o.expired, "expired", false, "also an expired memory")
	return cmd
}

func (o *getOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	if ledger.IsChunk(arg) && !o.envelope && !a.AsJSON() {
		return printChunk(a, cmd, arg)
	}
	key, s, err := a.OpenKeyToRead(cmd, arg)
	if err != nil {
		return err
	}
	rec, err := getLive(a, cmd, s, key, o.expired)
	if err != nil {
		return err
	}
	a.SayLayer(cmd, a.Layers, "from", rec.Layer)
	saySuperseded(a, cmd, rec.Content)
	if !s.Trusts(rec) && a.Talks() {
		a.Say(cmd, "untrusted: another person or machine wrote it; mem trust lists such lines")
	}
	if a.AsJSON() {
		return printEnvelope(a, cmd, rec.Line)
	}
	if origin := content.Claim(rec.Source); origin != "" && a.Talks() {
		a.Say(cmd, "claimed: "+origin)
	}
	text := rec.Content
	if o.envelope {
		text = rec.Line
	} else if text, err = opened(a, cmd, s, text); err != nil {
		return err
	}
	return app.Document(text)(a, cmd)
}

// printEnvelope prints an envelope in JSON, and says what a filter reads that finds nothing.
func printEnvelope(a *app.App, cmd *cobra.Command, line []byte) error {
	if err := a.PrintJSON(cmd, line); err != nil || a.JQ == "" || !a.Talks() {
		return err
	}
	var found bytes.Buffer
	code, err := app.CompileJQ("--jq", a.JQ)
	if err == nil {
		err = app.RunJQ(&found, code, line, true)
	}
	if found.String() == "null\n" {
		a.Tell(cmd, "hint", "the filter reads the envelope: the memory is .content, "+
			"as in --jq .content.text")
	}
	return err
}

// opened returns content; sealed content is decrypted where the environment names a key.
func opened(a *app.App, cmd *cobra.Command, s *mem.Store, text []byte) ([]byte, error) {
	if a.Getenv(app.KeyFile) == "" || !ledger.IsSealed(text) {
		return text, nil
	}
	if err := a.OpenSealed(cmd); err != nil {
		return nil, err
	}
	keys, err := a.Keys(a.Layers)
	if err != nil {
		return nil, err
	}
	return ledger.Opened(ledger.New(s, a.Caller, ledger.Options{Keys: keys}), text)
}

// printChunk prints the text of a chunk of an event.
func printChunk(a *app.App, cmd *cobra.Command, id string) error {
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	keys, err := a.Keys(a.Layers)
	if err != nil {
		return err
	}
	n, err := ledger.New(s, a.Caller, ledger.Options{Keys: keys}).Resolve(cmd.Context(), "", id)
	if err == nil {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), n.Text)
	}
	return err
}

// saySuperseded names on stderr the successor of a memory.
func saySuperseded(a *app.App, cmd *cobra.Command, text []byte) {
	if by := content.Successor(text); by != "" {
		a.Mention(cmd, "superseded by "+readout.Flatten(by, readout.MaxShort))
	}
}

// sessionError returns the error of a record that is not there, or that of its session.
func sessionError(a *app.App, cmd *cobra.Command, args []string, err error) error {
	if !app.InSession(args) || !errors.Is(err, mem.ErrNotFound) {
		return err
	}
	all, oerr := a.Layers.Reading()
	if oerr != nil {
		return err
	}
	if _, none := session.Load(cmd.Context(), all, a.Caller, args[0]); none != nil {
		return none
	}
	return err
}
