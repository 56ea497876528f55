package records

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

type taskOptions struct{ task ledger.Task }

func NewTaskCmd(a *app.App) *cobra.Command {
	o := &taskOptions{}
	cmd := &cobra.Command{
		Use:   "task <title>",
		Short: "store a task, or change one",
		Long: `Store an open task and print its id; with the id of a task, change the members
that the flags name. Every bundle contains the tasks that are not done. "mem ls
/task" lists tasks. Exit code 1 if there is no task with that id.`,
		Example: `  mem task 'describe what the project is for' \
    --details 'from README.md and package.json'
  mem task task_01KJ2KH5D04XNZEQFPHTQVBEWQ --status done`,
		Args: app.WantArgs(1, 1, "one title (quote it for the shell), or an id"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	registerRecord(cmd, &o.task.Scope)
	f := cmd.Flags()
	f.StringVar(&o.task.Status, "status", "", "`STATUS` open, doing or done")
	f.StringVar(&o.task.Details, "details", "", "the details: a `TEXT`, which may be - or @file")
	app.GivenFlags(cmd, app.AtFile, "details")
	return cmd
}

func (o *taskOptions) run(a *app.App, cmd *cobra.Command, arg string) (err error) {
	if o.task.Details, err = longText(a, cmd, "--details", o.task.Details,
		policy.MaxContent); err != nil {
		return err
	}
	// A word with a new status is a mistyped id, and no title.
	if o.task.Title = arg; strings.HasPrefix(arg, "task_") ||
		o.task.Status != "" && !strings.ContainsAny(arg, " \n") {
		if app.FirstChanged(cmd, "status", "details", "session", "agent", "channel", "sensitivity",
			"ref") == "" {
			return fault.Input("task", "no flag names a change",
				advice.Run("get", arg).Then(" shows it").Also(advice.Say("--status done ends it")))
		}
		o.task.ID, o.task.Title = arg, ""
	}
	book, err := openBookHolding(a, cmd, o.task.Key())
	if err != nil {
		return err
	}
	reply, err := book.PutTask(cmd.Context(), o.task)
	return printStored(a, cmd, reply, reply.ID, err)
}
