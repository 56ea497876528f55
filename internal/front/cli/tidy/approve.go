package tidy

import (
	"cmp"
	"errors"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type approveOptions struct {
	source      app.SourceFlags
	force, all  bool
	text        string
	allowSecret []string
}

func NewApproveCmd(a *app.App) *cobra.Command {
	o := &approveOptions{}
	cmd := &cobra.Command{
		Use:   "approve [<key>]",
		Short: "list what waits for you, and accept it",
		Long: `Without an argument list the changes of your rules that agents have proposed,
with the present and the new content, the facts that hooks propose from your work
(mem setup --no-capture stops that), and the quarantined memories. The id of a
proposal makes its change, unless the rule was written since: then the verb
prints the newer rule and changes nothing (exit code 4). mem reject refuses it.
The id of a proposed fact stores it, with --text in other words; that of a rule
that you typed pins its fact, which makes it a rule. --all takes all that is
listed, each as it was shown: what changed meanwhile is named, and waits (exit
code 4).

A key moves a quarantined memory from /untrusted to the key that it was written
for. If nothing is quarantined for the key, vouch for its live memory: one that an
agent pinned, or an import brought as a rule, becomes a rule of the user.
The verb asks first at a terminal, and needs --yes elsewhere.
Without source flags the new source says that a user approved it, and contains
the original source. If the key was written since, the verb prints that memory
and changes nothing (exit code 4), unless --force is given.`,
		Example: `  mem approve
  mem approve p-7v3kq0dm
  mem approve c-4kq2mzb7xw --text "the tests need TZ=UTC"
  mem approve m-4
  mem approve /kb/product/spec
  mem approve /kb/product/spec --kind web --name example.com \
    --url https://example.com/spec`,
		Args:              app.WantArgs(0, 1, "one key or proposal"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkFlags(cmd, args); err != nil {
				return err
			}
			if o.all {
				return decideAll(a, cmd, policy.Approve)
			}
			if len(args) == 0 && a.Yes {
				return fault.Input("--yes", "it needs a key or the id of a proposal",
					advice.Run("approve").Then(" lists them"))
			}
			if len(args) == 0 {
				return listWaiting(a, cmd)
			}
			return o.run(a, cmd, args[0])
		},
	}
	o.source.Register(cmd)
	cmd.Flags().BoolVar(&o.force, "force", false, "replace a memory that was written since")
	cmd.Flags().BoolVar(&o.all, "all", false, "take all that waits, as it was shown")
	cmd.Flags().StringVar(&o.text, "text", "", "the `TEXT` to store in place of a proposed fact")
	cmd.Flags().StringArrayVar(&o.allowSecret, "allow-secret", nil, app.AllowSecretUsage)
	return cmd
}

// checkFlags refuses flags of proposed facts beside anything else.
func (o *approveOptions) checkFlags(cmd *cobra.Command, args []string) error {
	switch {
	case cmd.Flags().Changed("text") && strings.TrimSpace(o.text) == "":
		return app.EmptyFlag("text")
	case o.all && (len(args) > 0 || o.text != ""):
		return app.BadInput("--all", "it takes no id and no --text", "")
	case o.text != "" && (len(args) == 0 || !queue.IsFactID(args[0])):
		return fault.Input("--text", "it needs the id of a proposed fact",
			advice.Run("approve").Then(" lists them"))
	}
	return nil
}

// open opens the store with a live memory of the key, else the project's.
func (o *approveOptions) open(a *app.App, cmd *cobra.Command, arg string) (
	key keypath.Key, s *mem.Store, err error) {
	l, err := a.Open(cmd)
	if err != nil {
		return key, nil, err
	}
	all, err := l.Reading()
	if err == nil {
		key, err = a.NamedKey(cmd, all, arg)
	}
	if err != nil {
		return key, nil, err
	}
	at, found, err := l.Holding(cmd.Context(), a.Caller, key)
	if !found || err != nil {
		if err == nil {
			s, err = a.OpenOne(cmd)
		}
		return key, s, err
	}
	s, err = l.Open(at)
	return key, s, err
}

// findWrite returns the quarantined write that an argument names, or the live memory for which a
// person may stand, and the new source.
func (o *approveOptions) findWrite(a *app.App, cmd *cobra.Command, arg string) (
	it *queue.Item, source []byte, err error) {
	key, s, err := o.open(a, cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	if source, err = o.source.Build(a, cmd, log.StampOf(s.Now())); err != nil {
		return nil, nil, err
	}
	w, err := s.Waiting(cmd.Context(), a.Caller, key)
	if err == nil {
		return &queue.Item{Write: &w, Store: s}, source, nil
	}
	isNone, refused := errors.Is(err, mem.ErrNotFound), policy.CheckPerson(a.Caller, policy.Approve)
	switch {
	case refused != nil && !(isNone && errors.Is(refused, policy.ErrUnattended)):
		return nil, nil, refused // where nothing waits there is nothing to ask about
	case isNone && !strings.Contains(arg, "/"):
		return nil, nil, app.Verdict(mem.KindNo, "no proposal and no memory "+arg, listsWaiting())
	}
	return nil, nil, notWaiting(err)
}

func (o *approveOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	l, err := a.Open(cmd)
	if err != nil {
		return err
	}
	q, with := a.Queue(l), mem.ApproveOptions{Force: o.force, AllowSecrets: o.allowSecret}
	it, err := q.Find(cmd.Context(), arg)
	if err != nil {
		return notWaiting(err)
	}
	if it == nil {
		if it, with.Source, err = o.findWrite(a, cmd, arg); err != nil {
			return err
		}
	}
	if err := o.ask(a, cmd, it); err != nil {
		return err
	}
	done, err := q.Approve(cmd.Context(), it, o.text, with)
	if err != nil {
		return explain(it, err)
	}
	if it.Fact == nil {
		sayApproved(a, cmd, it.Store, done.Outcome.Key)
		return a.PrintOutcome(cmd, done.Outcome)
	}
	if s, err := l.Open(done.Site); err == nil {
		sayApproved(a, cmd, s, done.Outcome.Key)
	}
	a.SayNear(cmd, l, done.NoteReply)
	return a.PrintReply(cmd, done.NoteReply)
}

// ask shows an item, and asks whether to approve it.
func (o *approveOptions) ask(a *app.App, cmd *cobra.Command, it *queue.Item) error {
	question := "approve it?"
	shown := *it
	switch {
	case it.Proposal != nil:
		question = "make this change?"
	case it.Fact != nil:
		fact := *it.Fact
		fact.Text = cmp.Or(o.text, fact.Text)
		if shown.Fact, question = &fact, "store this fact?"; fact.Class == inbox.Rule {
			question = "make it a rule of yours?"
		}
	}
	if !a.Yes && app.IsTerminal(cmd) && (it.Write == nil || policy.IsPerson(a.Caller)) {
		_ = printItem(cmd.ErrOrStderr(), &shown)
	}
	return a.Confirm(cmd, policy.Approve, question, it.Version())
}

// explain adds to the error of an approval what to do about it.
func explain(it *queue.Item, err error) error {
	var lost *mem.ConflictError
	isLost := errors.As(err, &lost) && !errors.Is(err, mem.ErrUnseen)
	switch {
	case it.Fact != nil && errors.Is(err, policy.ErrLongNote):
		return app.Hinted(err, advice.Run("approve", it.ID(), "--text", "TEXT").
			Then(" stores shorter words"))
	case it.Proposal != nil && isLost:
		do := advice.Run("reject", it.ID()).Then(" removes the proposal")
		if !lost.Newest.Key.IsZero() {
			do = advice.Say("the newer version is on stdout").Also(do)
		}
		return app.Hinted(err, do)
	case it.Write == nil:
		return err
	case isLost:
		return app.Hinted(err, advice.Say("look at the newest envelope on stdout").Also(
			advice.Run("approve", "--force", lost.Key.String()).Then(" replaces it")))
	case errors.Is(err, policy.ErrProvenance):
		return app.Hinted(err, advice.Say("give --kind --name and --url or --locator, "+
			"or no source at all to vouch for it as a user"))
	}
	return notWaiting(err)
}

// sayApproved says whether an approval made a rule or a fact, and how to take it back.
func sayApproved(a *app.App, cmd *cobra.Command, s *mem.Store, key keypath.Key) {
	if !a.Explains() {
		return
	}
	did := "deleted " + key.Shown()
	if rec, err := s.Get(cmd.Context(), a.Caller, key, true); err == nil {
		did = "stored " + key.Shown() + " as a fact"
		if it := mem.ItemOf(rec); s.Reader(a.Caller).Standing(&it) == readout.Rule {
			did = "made " + key.Shown() + " a rule"
		}
	}
	a.Mention(cmd, did+"; mem undo --last takes that back")
}
