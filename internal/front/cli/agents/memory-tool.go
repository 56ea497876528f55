package agents

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type memoryToolOptions struct{}

func NewMemoryToolCmd(a *app.App) *cobra.Command {
	o := &memoryToolOptions{}
	return &cobra.Command{
		Use:         "memory-tool [<json>|-]",
		Short:       "run a command of Anthropic's memory tool",
		Annotations: app.GivenArgs(app.Input),
		Long: `Run one command of Anthropic's memory tool (memory_20250818), a JSON object as
a model sends it, and print the answer for the model. "-" or no argument reads
the command from standard input. The tool's files are the keys below /memories;
the commands are view, create, str_replace, insert, delete and rename.

Exit code 1 if the tool refuses a command. A refusal of the store, such as a
secret or a file over 1 MiB, is also an answer for the model, and has its own
exit code. --json prints {"text","is_error"}.`,
		Example: `  mem memory-tool '{"command":"view","path":"/memories"}'
  echo '{"command":"create","path":"/memories/a.md","file_text":"..."}' |
    mem memory-tool -`,
		Args: app.WantArgs(0, 1, "one command, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, append(args, "-")[0])
		},
	}
}

// toolAnswer is what --json prints.
type toolAnswer struct {
	Text    string `json:"text"`
	IsError bool   `json:"is_error"`
}

func (o *memoryToolOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	command, err := app.TextArg(cmd, "command", arg, policy.MaxBatchLine)
	if err != nil {
		return err
	}
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	s, _, err := app.OpenFor(l, keypath.MustParse(keypath.Files))
	if err != nil {
		return err
	}
	text, failed := memtool.New(s, a.Caller, nil).Call(cmd.Context(), []byte(command))
	err = a.Answer(cmd, toolAnswer{text, failed != nil}, app.Verbatim(text+"\n"))
	switch {
	case failed == nil:
		return err
	case errors.As(failed, new(*memtool.Error)):
		return app.ErrNo // what standard output failed with is known there
	case errors.Is(failed, policy.ErrSecret):
		return app.Hinted(failed, advice.Say("remove the secret, and write its place "+
			"instead"))
	case mem.KindOf(failed) == mem.KindInput:
		return app.Hinted(failed, advice.Run("memory-tool", "--help").
			Then(" shows examples"))
	}
	return failed
}
