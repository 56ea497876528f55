package erase

import (
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type forgetOptions struct {
	source  app.SourceFlags
	which   selectionFlags
	reason  string
	dryRun  bool
	purge   bool
	noTrace bool // --forget-key
	list    bool
	propose bool

	unknown app.UnknownNames // of the arguments
}

func NewForgetCmd(a *app.App) *cobra.Command {
	o := &forgetOptions{}
	cmd := &cobra.Command{
		Use:   "forget [<key>...]",
		Short: "delete memories, or purge them for good",
		Long: `Write a tombstone for keys, for a note by its id, for a session record by both
ids, or for all memories that match the conditions. They leave every read and
every prompt, and stay in the history. An id is never reused. Conditions ask
first at a terminal, and need --yes elsewhere. Exit code 1 if nothing matches.

--purge removes every version from log, archives, state, index, quarantine and
journals, and searches the rest for their content: exit code 6 if some is left.
Conditions then match every past version. A tombstone keeps key, time and
reason, so that an old copy of the store cannot restore the memory;
--forget-key removes even that.`,
		Example: `  mem forget m-4
  mem forget --tag stale --until 90d --dry-run
  mem forget /user/address --purge --reason 'asked to'
  mem forget --grep 4111-1111 --purge --dry-run
  mem forget --list`,
		Args:              app.WantArgs(0, -1, "keys, or the id of a note"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.source.Register(cmd)
	o.which.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.reason, "reason", "", "the reason, kept in the tombstone: a `TEXT`")
	f.BoolVar(&o.dryRun, "dry-run", false, "only list the memories that would be deleted")
	f.BoolVar(&o.purge, "purge", false, "remove every version from the history for good")
	f.BoolVar(&o.noTrace, "forget-key", false, "purge, and leave no tombstone")
	f.BoolVar(&o.list, "list", false, "list the deletions, with time and reason")
	a.RegisterPropose(cmd, &o.propose)
	return cmd
}

// run lists deletions, forgets a note by its id, or forgets the selection of keys or conditions. A
// record may be named by its session and its id.
func (o *forgetOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	o.purge = o.purge || o.noTrace
	if app.InSession(args) {
		arg, err := app.RecordArg(cmd, args)
		if err != nil {
			return err
		}
		args = []string{arg}
	}
	if err := o.check(cmd, args); err != nil {
		return err
	}
	switch {
	case o.list:
		return listDeletions(a, cmd)
	case o.propose:
		return o.runPropose(a, cmd, args)
	case o.isNote(args):
		return o.runNote(a, cmd, args[0])
	case o.purge:
		return o.runPurge(a, cmd, args)
	}
	return o.runDelete(a, cmd, args)
}

func (o *forgetOptions) check(cmd *cobra.Command, args []string) error {
	conditions := o.which.isGiven(cmd)
	switch {
	case o.list && (len(args) > 0 || conditions || o.purge || o.dryRun):
		return fault.Input("--list", "it takes no other flags and no arguments",
			advice.Run("forget", "--list"))
	case o.list:
		return nil
	case o.propose && (conditions || o.purge || o.dryRun):
		return app.BadInput("--propose", "it takes keys or ids, and no conditions", "")
	case len(args) > 0 && conditions:
		return app.BadInput(cmd.Name(), "give keys or conditions, not both", "")
	case len(args) == 0 && !conditions:
		return fault.Input(cmd.Name(), "want one id, keys, or a condition such as --tag",
			advice.Run("forget", "--help").Then(" shows how"))
	case o.reason != "" && o.source != (app.SourceFlags{}):
		return app.BadInput("--reason", "the source has a reason: give only one of them", "")
	case o.purge && o.source != (app.SourceFlags{}):
		return app.BadInput("--purge", "its tombstone has its own source", "--reason says why")
	}
	return nil
}

func (o *forgetOptions) isNote(args []string) bool {
	if len(args) != 1 || session.IsID(args[0]) || ledger.IsID(args[0]) || o.purge || o.dryRun ||
		o.reason != "" {
		return false
	}
	// A key may come as a page prints it, without its first slash. A misspelt id gets an error of
	// its own.
	return keypath.MayBeID(args[0]) || strings.HasPrefix(args[0], "note/")
}

func (o *forgetOptions) runPropose(a *app.App, cmd *cobra.Command, args []string) error {
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	return a.ProposeEach(cmd, l, args, "forget", source,
		func(app.Held) ([]byte, error) { return []byte("null"), nil })
}

func (o *forgetOptions) runNote(a *app.App, cmd *cobra.Command, id string) error {
	l, source, err := a.OpenSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	all, user, err := note.Reading(cmd.Context(), l, a.Caller, id)
	if err != nil {
		return err
	}
	if plain, err := keypath.ParseName(id); err == nil && keypath.MayBeID(id) && !note.IsID(id) {
		if _, err := all.Get(cmd.Context(), a.Caller, plain, true); err == nil {
			return o.runDelete(a, cmd, []string{plain.String()}) // a key that looks like an id
		}
	}
	key, err := note.Named(cmd.Context(), all, a.Caller, id)
	if errors.Is(err, note.ErrID) {
		had, _ := note.Resolve(cmd.Context(), all, a.Caller, id)
		if _, never := all.History(cmd.Context(), a.Caller, had); never == nil {
			err = &mem.NotFoundError{Key: had} // a deleted one keeps its key
		}
	}
	if err != nil {
		return deleteError(err)
	}
	site := user // has it
	if user == nil {
		var found bool
		site, found, err = l.Holding(cmd.Context(), a.Caller, key)
		if err == nil && !found {
			err = &mem.NotFoundError{Key: key}
		}
	}
	if err != nil {
		return deleteError(err)
	}
	s, err := l.Open(site)
	if err != nil {
		return err
	}
	if err := note.Forget(cmd.Context(), s, a.Caller, key.String(), source); err != nil {
		return deleteError(err)
	}
	err = a.PrintReply(cmd, mem.NoteReply{OK: true, Layer: l.NameOf(site)})
	sayReplaced(a, cmd, l, key)
	return err
}
