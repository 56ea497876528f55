package tidy

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type rejectOptions struct{ all bool }

func NewRejectCmd(a *app.App) *cobra.Command {
	o := &rejectOptions{}
	cmd := &cobra.Command{
		Use:   "reject [<key>]",
		Short: "delete a quarantined memory, refuse a proposal",
		Long: `Delete the quarantined memory of a key from /untrusted. The log keeps it.
The id of a proposal refuses it. A proposed fact that is refused is not proposed
again. --all refuses all that mem approve lists.`,
		Example: `  mem ls /untrusted
  mem reject /kb/product/spec
  mem reject c-4kq2mzb7xw`,
		Args:              app.WantArgs(0, 1, "one key or proposal, or --all"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.all == (len(args) == 1) {
				return app.BadInput("reject", "want one key or proposal, or --all", "")
			}
			if o.all {
				return decideAll(a, cmd, policy.Reject)
			}
			return o.run(a, cmd, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "refuse all that waits, as it was shown")
	return cmd
}

func (o *rejectOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	if isFactID(arg) {
		return rejectFact(a, cmd, l, arg)
	}
	p, s, err := findProposal(a, cmd, l, arg)
	shown, what := p.Shown(), p.ID+": "+p.Change+" "+p.Key.Shown()
	if s == nil && err == nil {
		shown, what, s, err = quarantined(a, cmd, arg)
	}
	var out mem.Outcome
	if err == nil {
		out, err = s.Reject(cmd.Context(), a.Caller, shown)
	}
	if err != nil {
		return notWaiting(err)
	}
	if a.Explains() {
		a.Advise(cmd, "hint", advice.Run("undo", "--last").Then(" lets it wait again"))
	}
	return a.Answer(cmd, out, app.Report("rejected "+what))
}

// quarantined returns the quarantined write for the memory that an argument names, as a line too,
// and its store.
func quarantined(a *app.App, cmd *cobra.Command, arg string) (
	shown mem.Shown, line string, s *mem.Store, err error) {
	key, s, err := openKey(a, cmd, arg)
	if err != nil {
		return shown, "", s, err
	}
	w, err := s.Waiting(cmd.Context(), a.Caller, key)
	if errors.Is(err, mem.ErrNotFound) {
		return mem.Shown{Key: key}, "", s, nil // the rejection returns the error
	}
	return w.Shown(), w.Rec.Key.Shown() + ": " + contentLine(w.Rec.Content), s, err
}

// openKey is OpenOne for a verb whose one argument names a memory.
func openKey(a *app.App, cmd *cobra.Command, arg string) (key keypath.Key, s *mem.Store,
	err error) {
	l, err := a.Open(cmd)
	if err != nil {
		return key, nil, err
	}
	_, user, err := note.Reading(cmd.Context(), l, a.Caller, arg)
	switch {
	case err != nil:
		return key, nil, err
	case user != nil:
		s, err = l.Open(user)
	default:
		s, err = a.OpenOne(cmd)
	}
	if err == nil {
		key, err = a.NamedKey(cmd, s, arg)
	}
	return key, s, err
}
