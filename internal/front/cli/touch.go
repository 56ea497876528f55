package cli

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type touchOptions struct {
	editFlags
	content contentFlags // of them importance, expires and ttl
	tags    []string
	current bool
}

func newTouchCmd(a *app) *cobra.Command {
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
		Args:              wantArgs(1, -1, "one key or more"),
		ValidArgsFunction: a.completeKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args)
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.content.importance, "importance", "",
		"content.importance: `N` in 0..1, or above 1 out of 10")
	f.StringVar(&o.content.expires, "expires", "",
		"content.expired_at: `TIME` of expiry, or never")
	f.StringVar(&o.content.ttl, "ttl", "", "the lifetime: `TIME` like 90m, 12h or 30d")
	f.StringArrayVar(&o.tags, "tag", nil,
		"a `TAG` to add (x or +x) or to remove (-x); several with commas or by repeating")
	f.BoolVar(&o.current, "current", false, "remove superseded_by")
	return cmd
}

func (o *touchOptions) run(a *app, cmd *cobra.Command, args []string) error {
	with, err := o.changes(a, cmd)
	if err != nil {
		return err
	}
	l, by, err := o.open(a, cmd)
	if err != nil {
		return err
	}
	list, unknown, err := findAll(cmd, l, args)
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := session.CheckTouched(h.key, with.Add, with.Importance); err != nil {
			return err
		}
	}
	done, err := touchEach(l, list, func(s *mem.Store, keys []keypath.Key) (edit.Touched, error) {
		return edit.Touch(cmd.Context(), s, caller, keys, with, by)
	})
	if err != nil {
		return editError(err)
	}
	sayClaims(a, cmd, list)
	return printTouched(a, cmd, l, done, unknown)
}

// sayClaims says to a person which of the memories claim to be rules and are facts.
func sayClaims(a *app, cmd *cobra.Command, list []held) {
	for _, h := range list {
		rec, err := h.store.Get(cmd.Context(), caller, h.key, true)
		it := mem.ItemOf(rec)
		if err == nil && content.Claim(rec.Source) != "" && policy.ClaimsRule(&it) &&
			policy.IsPerson(caller) && talks(a) {
			a.advise(cmd, "hint", advice.Say(h.key.Shown()+" stays a fact; ").
				Run("approve", h.key.String()).Then(" makes it a rule"))
		}
	}
}

// touchEach touches memories store by store, and returns what became of all.
func touchEach(l *layers.Layers, list []held,
	touch func(*mem.Store, []keypath.Key) (edit.Touched, error)) (all edit.Touched, err error) {
	all = edit.Touched{
		Touched: []mem.Outcome{}, Unchanged: []keypath.Key{}, Missing: []keypath.Key{},
	}
	err = eachStore(l, list, func(s *mem.Store, layer string, keys []keypath.Key) error {
		done, err := touch(s, keys)
		for _, out := range done.Touched {
			out.Layer = layer
			all.Touched = append(all.Touched, out)
		}
		all.Unchanged = append(all.Unchanged, done.Unchanged...)
		all.Missing = append(all.Missing, done.Missing...)
		return err
	})
	return all, err
}

// changes returns what the flags ask for.
func (o *touchOptions) changes(a *app, cmd *cobra.Command) (with edit.Changes, err error) {
	if err := o.content.checkImportance(); err != nil {
		return with, err
	}
	if o.content.importance != "" {
		with.Importance = []byte(o.content.importance)
	}
	with.Current = o.current
	if with.NoExpiry = o.content.expires == "never" && o.content.ttl == ""; !with.NoExpiry {
		now, err := a.clock()
		if err != nil {
			return with, err
		}
		if with.Expires, err = o.content.expiry(now().UTC()); err != nil {
			return with, err
		}
	}
	for _, tag := range splitList(o.tags) {
		name := strings.TrimLeft(tag, "+-")
		switch {
		case name == "":
			return with, &usage{what: "--tag " + tag, why: "want a tag, like +x or -x"}
		case tag[0] == '-':
			with.Remove = append(with.Remove, tag[1:])
		case name[0] == '!':
			return with, &usage{what: "--tag " + tag,
				why:  "no search could find it: there a ! means memories without a tag",
				hint: "--tag " + advice.Quote("-"+strings.TrimLeft(name, "!")) + " removes a tag"}
		default:
			with.Add = append(with.Add, strings.TrimPrefix(tag, "+"))
		}
	}
	if with.Importance == nil && with.Expires == "" && !with.NoExpiry && !with.Current &&
		len(with.Add)+len(with.Remove) == 0 {
		return with, &usage{what: "touch", why: "nothing to change",
			hint: "give --importance, --expires, --ttl, --tag or --current"}
	}
	return with, nil
}

func printTouched(a *app, cmd *cobra.Command, l *layers.Layers, done edit.Touched,
	unknown unknownNames) error {
	if len(done.Touched) == 0 && len(done.Unchanged) > 0 {
		mention(a, cmd, "nothing changed")
	}
	err := a.answer(cmd, done, func(*app, *cobra.Command) error {
		for _, out := range done.Touched {
			sayLayer(a, cmd, l, "changed "+out.Key.Shown()+" in", out.Layer)
			if err := a.printOutcome(cmd, out); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return unknown.and(done.Missing)
}
