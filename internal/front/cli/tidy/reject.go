package tidy

import (
	"errors"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/queue"
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
	q := a.Queue(l)
	it, err := q.Find(cmd.Context(), arg)
	switch {
	case err != nil:
		return notWaiting(err)
	case it == nil:
		it, err = quarantined(a, cmd, arg)
	case it.Fact != nil:
		return rejectFact(a, cmd, q, it)
	}
	var out mem.Outcome
	if err == nil {
		out, err = q.Reject(cmd.Context(), it)
	}
	if err != nil {
		return notWaiting(err)
	}
	if a.Explains() {
		a.Advise(cmd, "hint", advice.Run("undo", "--last").Then(" lets it wait again"))
	}
	return a.Answer(cmd, out, app.Report("rejected "+lineOf(it)))
}

func rejectFact(a *app.App, cmd *cobra.Command, q *queue.Queue, it *queue.Item) error {
	if _, err := q.Reject(cmd.Context(), it); err != nil {
		return err
	}
	if a.Explains() {
		again := advice.Run("note", it.Fact.Text).Then(" stores it all the same")
		if rule := it.Makes(); rule != "" {
			again = advice.Say(rule + " stays a fact").Also(
				advice.Run("pin", rule).Then(" makes it a rule all the same"))
		}
		a.Advise(cmd, "hint", again)
	}
	return a.Answer(cmd, map[string]any{"ok": true, "id": it.ID()},
		app.Report("rejected "+it.ID()+": "+contentLine([]byte(it.Fact.Text))))
}

// lineOf returns a line about an item of a store.
func lineOf(it *queue.Item) string {
	if p := it.Proposal; p != nil {
		return p.ID + ": " + p.Change + " " + p.Key.Shown()
	}
	return it.Write.Rec.Key.Shown() + ": " + contentLine(it.Write.Rec.Content)
}

// quarantined returns the quarantined write for the memory that an argument names.
func quarantined(a *app.App, cmd *cobra.Command, arg string) (*queue.Item, error) {
	key, s, err := openKey(a, cmd, arg)
	if err != nil {
		return nil, err
	}
	w, err := s.Waiting(cmd.Context(), a.Caller, key)
	if errors.Is(err, mem.ErrNotFound) {
		w, err = mem.Waiting{}, nil // the rejection returns the error
		w.Rec.Key = key
	}
	return &queue.Item{Write: &w, Store: s}, err
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
