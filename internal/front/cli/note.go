package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/layer"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type noteOptions struct {
	editFlags
	tags       []string
	scope      string
	pinned     bool
	importance string
	replaces   []string
}

func newNoteCmd(a *app) *cobra.Command {
	o := &noteOptions{}
	cmd := &cobra.Command{
		Use:   "note <text>",
		Short: "note a fact down under an id of its own",
		Long: `Store a text of 1 to 500 characters and print its id. "-" reads the text from
standard input. No id is ever given twice. The same text noted again renews the note that is
there, and answers its id with "known"; what says nearly the same is named in "near". To correct a
note make one that --replaces it.

Past 500 notes (max_total in config.json) the oldest that are not pinned make room, and are named
in "evicted"; where all are pinned, none is stored. What looks like a secret is not stored:
{"ok":false,"error":"..."}, exit code 3.`,
		Example: `  mem note 'User prefers tabs over spaces' --tag preference --scope user
  mem note 'The database is PostgreSQL 16 on port 5432' --tag infra
  mem note 'Never push to main' --pin
  mem note 'The database listens on port 5433' --replaces m-2
  git log -1 --format=%s | mem note -`,
		Args: wantArgs(1, 1, "one text (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.tags, "tag", nil, "a `TAG`, at most 5; several with commas or by repeating")
	f.StringVar(&o.scope, "scope", note.DefaultScope, "`SCOPE` user, workspace or session")
	f.BoolVar(&o.pinned, "pin", false, "it comes first at every start, and is never evicted")
	f.StringVar(&o.importance, "importance", "",
		"`N` in 0..1, or above 1 out of 10; 1 is 1.0 and so outranks 9")
	f.StringArrayVar(&o.replaces, "replaces", nil,
		"the `ID` or key of what it corrects, told no more; repeatable")
	return cmd
}

func (o *noteOptions) run(a *app, cmd *cobra.Command, arg string) error {
	text, err := o.text(cmd, arg)
	if err != nil {
		return err
	}
	l, source, err := a.openSourced(cmd, &o.source)
	if err != nil {
		return err
	}
	s, site, with, err := o.place(a, cmd, l)
	if err != nil {
		return err
	}
	with.Source = source
	added, err := note.Add(cmd.Context(), s, caller, text, with)
	if errors.Is(err, policy.ErrSecret) {
		// The reason is on standard error, and decides the exit code whether this can be printed or
		// not.
		_ = a.printReply(cmd, mem.NoteReply{Error: policy.NoteRefusal})
	}
	if err != nil {
		return editError(err)
	}
	if client, session := hook.Caller(a.getenv); with.Scope == "session" && session == "" &&
		site.Layer != "" && talks(a) {
		a.tell(cmd, "warning", "no conversation is known here, so hooks tell this note to none"+
			within(client))
	}
	if len(added.Near) > 0 && !a.quiet {
		says := " says nearly the same"
		if len(added.Near) > 1 {
			says = " say nearly the same"
		}
		a.advise(cmd, "hint", advice.Say(strings.Join(added.Near, ", ")+says).Also(
			advice.Run("supersede", added.Near[0], added.ID).Then(" leaves the new one")))
	}
	return a.printReply(cmd, added.Reply(with, layerName(l, site)))
}

// text returns the text of the note, and checks what goes with it.
func (o *noteOptions) text(cmd *cobra.Command, arg string) (text string, err error) {
	if err := refuseEmpty(cmd, "importance", "replaces"); err != nil {
		return "", err
	}
	if err := (&contentFlags{importance: o.importance}).checkImportance(); err != nil {
		return "", err
	}
	text, err = textArg(cmd, "text", arg, maxNoteInput)
	if errors.Is(err, policy.ErrTooLarge) {
		err = fmt.Errorf("text: %w: more than %d bytes, at most %d characters",
			policy.ErrTooLarge, maxNoteInput, policy.MaxNote)
	}
	if err == nil && o.source.source == "-" && arg == "-" {
		err = &usage{
			what: "--source -", why: "standard input holds the text already",
			hint: "give the source as text, or with @file",
		}
	}
	return text, err
}

// place returns the store that the note goes to, and its options there.
func (o *noteOptions) place(a *app, cmd *cobra.Command, l *mem.Layers) (
	s *mem.Store, site *layer.Site, with note.Options, err error) {
	with = note.Options{Tags: splitList(o.tags), Pinned: o.pinned, AllowSecrets: o.allowSecret,
		Supersede: edit.Superseding(edit.Author{AllowSecrets: o.allowSecret,
			Agent: hook.Source(a.getenv, l.Sites.Name())})}
	switch {
	case cmd.Flags().Changed("scope"):
		with.Scope = o.scope
	case a.layer == layer.User:
		with.Scope = layer.User // in the user's store one of a project would be of none
	}
	if o.importance != "" {
		with.Importance = []byte(o.importance)
	}
	if with.Replaces, err = o.replaced(cmd, l); err != nil {
		return nil, nil, with, err
	}
	s, site, with, err = note.Place(cmd.Context(), l, caller, with)
	if space, bad := note.Space(with.Scope); bad == nil && err != nil {
		err = layerError(err, space)
	}
	return s, site, with, err
}

// replaced returns the keys of what the note is to replace.
func (o *noteOptions) replaced(cmd *cobra.Command, l *mem.Layers) (keys []keypath.Key, err error) {
	all, err := l.Reading()
	for _, name := range o.replaces {
		if name == "" {
			return nil, &usage{what: "--replaces", why: "it is empty", hint: hintVariable}
		}
		var key keypath.Key
		if err == nil {
			key, err = namedKey(cmd, all, name)
		}
		keys = append(keys, key)
	}
	return keys, err
}

// maxNoteInput is how much of standard input is read for a note: enough to count the characters of
// one that is a page too long.
const maxNoteInput = 64 << 10

// textArg resolves an argument that is plain text: "-" is standard input, of at most limit bytes,
// without the newlines at its end. A text may well begin with an @.
func textArg(cmd *cobra.Command, what, arg string, limit int) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := readText(cmd.InOrStdin(), what, limit)
	return strings.TrimRight(string(text), "\r\n"), err
}

// printReply prints the answer to a write, always as JSON, unless --quiet is given.
func (a *app) printReply(cmd *cobra.Command, reply mem.NoteReply) error {
	if a.quiet && !a.asJSON() {
		return nil
	}
	return a.printValue(cmd, reply)
}

// within says which client it is that names no conversation.
func within(client string) string {
	if client == "" {
		return ""
	}
	return ": " + client + " does not name its own"
}
