package tidy

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type touchOptions struct {
	app.EditFlags
	content app.ContentFlags // of them importance, expires and ttl
	tags    []string
	current bool
}

func NewTouchCmd(a *app.App) *cobra.Command {
	o := &touchOptions{}
	cmd := &cobra.Command{
		Use:   "touch <key>...",
		Short: "change importance, expiry or tags",
		Long: `Change some members of memories, and keep all others byte for byte. The
memories keep their time and origin; their source records the touch. A new
expiry restores an expired memory. Nothing is written for a key that has the
values already. Keys without a memory are listed, with exit code 1.`,
		Example: `  mem touch /project/db --importance 9
  mem touch /task/1 /task/2 --tag +urgent --tag -later
  mem touch m-4 --ttl 30d
  mem touch /project/db --expires never`,
		Args:              app.WantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.Register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.content.Importance, "importance", "",
		"content.importance: `N` in 0..1, or above 1 out of 10")
	f.StringVar(&o.content.Expires, "expires", "",
		"content.expired_at: `TIME` of expiry, or never")
	f.StringVar(&o.content.TTL, "ttl", "", "the lifetime: `TIME` like 90m, 12h or 30d")
	f.StringArrayVar(&o.tags, "tag", nil,
		"a `TAG` to add (x or +x) or to remove (-x); several with commas or by repeating")
	f.BoolVar(&o.current, "current", false, "remove superseded_by")
	return cmd
}

func (o *touchOptions) run(a *app.App, cmd *cobra.Command, args []string) error {
	with, err := o.changes(a, cmd)
	if err != nil {
		return err
	}
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	list, unknown, err := a.FindAll(cmd, l, args)
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := session.CheckTouched(h.Key, with.Add, with.Importance); err != nil {
			return err
		}
	}
	done, err := touchEach(l, list, func(s *mem.Store, keys []keypath.Key) (edit.Touched, error) {
		return edit.Touch(cmd.Context(), s, a.Caller, keys, with, by)
	})
	if err != nil {
		return a.EditError(err)
	}
	sayClaims(a, cmd, list)
	return printTouched(a, cmd, l, "changed ", done, unknown)
}

// sayClaims says to a person which of the memories claim to be rules and are facts.
func sayClaims(a *app.App, cmd *cobra.Command, list []app.Held) {
	for _, h := range list {
		rec, err := h.Store.Get(cmd.Context(), a.Caller, h.Key, true)
		it := mem.ItemOf(rec)
		if err == nil && content.Claim(rec.Source) != "" && policy.ClaimsRule(&it) &&
			policy.IsPerson(a.Caller) && a.Talks() {
			a.Advise(cmd, "hint", advice.Say(h.Key.Shown()+" stays a fact; ").
				Run("approve", h.Key.String()).Then(" makes it a rule"))
		}
	}
}

// touchEach touches memories store by store, and returns the outcome of each.
func touchEach(l *layers.Layers, list []app.Held,
	touch func(*mem.Store, []keypath.Key) (edit.Touched, error)) (all edit.Touched, err error) {
	all = edit.Touched{
		Touched: []mem.Outcome{}, Unchanged: []keypath.Key{}, Missing: mem.MissingKeys{},
	}
	err = app.EachStore(l, list, func(s *mem.Store, layer string, keys []keypath.Key) error {
		done, err := touch(s, keys)
		for _, out := range done.Touched {
			out.Layer = layer
			all.Touched = append(all.Touched, out)
		}
		for _, out := range done.Proposed {
			out.Layer = layer
			all.Proposed = append(all.Proposed, out)
		}
		all.Unchanged = append(all.Unchanged, done.Unchanged...)
		all.Missing = append(all.Missing, done.Missing...)
		return err
	})
	return all, err
}

// changes returns what the flags ask for.
func (o *touchOptions) changes(a *app.App, cmd *cobra.Command) (with edit.Changes, err error) {
	if err := o.content.CheckImportance(); err != nil {
		return with, err
	}
	if o.content.Importance != "" {
		with.Importance = []byte(o.content.Importance)
	}
	with.Current = o.current
	if with.NoExpiry = o.content.Expires == "never" && o.content.TTL == ""; !with.NoExpiry {
		now, err := a.Clock()
		if err != nil {
			return with, err
		}
		if with.Expires, err = o.content.Expiry(now().UTC()); err != nil {
			return with, err
		}
	}
	for _, tag := range app.SplitList(o.tags) {
		name := strings.TrimLeft(tag, "+-")
		switch {
		case name == "":
			return with, app.BadInput("--tag "+tag, "want a tag, like +x or -x", "")
		case tag[0] == '-':
			with.Remove = append(with.Remove, tag[1:])
		case name[0] == '!':
			return with, app.BadInput("--tag "+tag,
				"no search could find it: there a ! means memories without a tag",
				"--tag "+advice.Quote("-"+strings.TrimLeft(name, "!"))+" removes a tag")
		default:
			with.Add = append(with.Add, strings.TrimPrefix(tag, "+"))
		}
	}
	if with.Importance == nil && with.Expires == "" && !with.NoExpiry && !with.Current &&
		len(with.Add)+len(with.Remove) == 0 {
		return with, app.BadInput("touch", "nothing to change",
			"give --importance, --expires, --ttl, --tag or --current")
	}
	return with, nil
}

// printTouched prints the changes of the memories.
func printTouched(a *app.App, cmd *cobra.Command, l *layers.Layers, did string,
	done edit.Touched, unknown app.UnknownNames) error {
	if len(done.Touched)+len(done.Proposed) == 0 && len(done.Unchanged) > 0 {
		a.Mention(cmd, "nothing changed")
	}
	for _, out := range done.Proposed {
		if a.Explains() {
			a.Advise(cmd, "hint", advice.Say(out.Key.Shown()+" stays a fact; its pin waits until "+
				"the user runs ").Run("approve", out.Proposal).Then(" in a terminal of their own"))
		}
	}
	err := a.Answer(cmd, done, func(*app.App, *cobra.Command) error {
		for _, out := range done.Proposed {
			if err := a.Answer(cmd, out, app.Report(out.Proposal)); err != nil {
				return err
			}
		}
		for _, out := range done.Touched {
			a.SayLayer(cmd, l, did+out.Key.Shown()+" in", out.Layer)
			if err := a.PrintOutcome(cmd, out); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return unknown.And(done.Missing)
}
