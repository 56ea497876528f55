package daily

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/hook"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

type noteOptions struct {
	app.EditFlags
	note       note.Request
	scope      string
	importance string
}

func NewNoteCmd(a *app.App) *cobra.Command {
	o := &noteOptions{}
	cmd := &cobra.Command{
		Use:         "note <text>",
		Short:       "store a fact under a new id",
		Annotations: app.GivenArgs(app.Dash),
		Long: `Store a text of 1 to 500 characters and print its id. "-" reads the text from
standard input. An id is never reused. A text that is a note already renews
that note and returns its id with "known"; "near" names notes with nearly the
same text. To correct a note, store one that --replaces it: it keeps the pin, and
the tags, files and importance where none are given.

Beyond 500 notes (max_total in config.json) the oldest without a pin are
deleted, and "evicted" names them; if all are pinned, no note is stored. A text
that looks like a secret is refused: {"ok":false,"error":"..."}, exit code 3.`,
		Example: `  mem note 'User prefers tabs over spaces' --tag preference --scope user
  mem note 'The database is PostgreSQL 16 on port 5432' --tag infra
  mem note 'Never push to main' --pin
  mem note 'Prices round half to even' --file web/cart/price.ts
  mem note 'The database listens on port 5433' --replaces m-2
  git log -1 --format=%s | mem note -`,
		Args: app.WantArgsElse(1, 1, "one text (quote it for the shell)",
			advice.Run("note", "the whole text").Then(" stores it")),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	o.Register(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.note.Tags, "tag", nil,
		"a `TAG`, at most 5; several with commas or by repeating")
	f.StringVar(&o.scope, "scope", note.DefaultScope, "`SCOPE` user, workspace or session")
	f.BoolVar(&o.note.Pin, "pin", false, "pin it: injected first at every start, never evicted")
	f.StringVar(&o.importance, "importance", "",
		"`N` in 0..1, or above 1 out of 10; 1 means 1.0 and outranks 9")
	f.StringArrayVar(&o.note.Replaces, "replaces", nil,
		"the `ID` or key of a memory that it supersedes; repeatable")
	f.StringArrayVar(&o.note.Files, "file", nil, "a `PATH`, folder/ or pattern that it is about, "+
		"at most 4; lines show when it changes")
	a.RegisterPropose(cmd, &o.note.Propose)
	return cmd
}

func (o *noteOptions) run(a *app.App, cmd *cobra.Command, arg string) (err error) {
	if o.note.Text, err = o.text(cmd, arg); err != nil {
		return err
	}
	l, source, err := a.OpenSourced(cmd, &o.Source)
	if err != nil {
		return err
	}
	if err := o.complete(a, cmd, l, source); err != nil {
		return err
	}
	reply, err := edit.Note(cmd.Context(), l, a.Caller, &o.note)
	if !l.Layered() {
		reply.Layer = ""
	}
	if reply.Error != "" {
		// The reason is on standard error, and decides the exit code whether this can be printed or
		// not.
		_ = a.PrintReply(cmd, reply)
	}
	if space, bad := note.Space(o.note.Scope); bad == nil && err != nil {
		err = app.LayerError(err, space)
	}
	if err != nil {
		return a.EditError(app.AsFlag(err))
	}
	switch {
	case reply.Proposal != "" && reply.ID != "":
		if a.Talks() {
			stored := advice.Say(reply.ID + " is stored as a fact; ")
			a.Advise(cmd, "hint", stored.Then("its pin waits until the user runs ").
				Run("approve", reply.Proposal).Then(" in a terminal of their own"))
		}
	case reply.Proposal != "":
		a.AdviseProposed(cmd, reply.Proposal)
		return a.PrintReply(cmd, reply)
	}
	o.advise(a, cmd, l, reply)
	a.SayFull(cmd, l)
	return a.PrintReply(cmd, reply)
}

// advise says which conversation a note lacks, and what says nearly the same.
func (o *noteOptions) advise(a *app.App, cmd *cobra.Command, l *layers.Layers,
	reply mem.NoteReply) {
	if client, session := hook.Caller(a.Getenv); o.note.Scope == "session" && session == "" &&
		l.Sites.One == nil && a.Talks() {
		a.Tell(cmd, "warning", "no conversation is known here, so hooks inject this note into none"+
			noConversation(client))
	}
	tree := moved.TreeHere(&l.Sites, o.note.Dir)
	if i := slices.IndexFunc(o.note.Files, tree.IsOutside); i >= 0 && a.Talks() {
		a.Tell(cmd, "warning", o.note.Files[i]+" is outside of the project: only an edit of it "+
			"by this path brings the note")
	}
	if o.note.Dir != "" && a.Talks() { // a server looks for no file that its caller names
		if i := slices.IndexFunc(o.note.Files, isMissing); i >= 0 {
			a.Tell(cmd, "hint", o.note.Files[i]+" is not there now")
		}
	}
	key, err := keypath.Parse("/note/" + o.note.Scope + "/" + reply.ID)
	if err == nil && o.note.Scope != "session" { // that of a conversation is of this one, anywhere
		a.SayUnfiled(cmd, l, key)
	}
	if s, err := l.Reading(); err == nil && len(reply.Replaced) == 1 {
		old, _ := keypath.Parse(reply.Replaced[0])
		sayWhose(a, cmd, factOfPerson(a, cmd, s, old),
			advice.Run("undo", "--last").Then(" takes that back"))
	}
	a.SayNear(cmd, l, reply)
}

// isMissing reports whether a name that is no pattern names no file.
func isMissing(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "*?[")
}

// text returns the text of the note, and checks what goes with it.
func (o *noteOptions) text(cmd *cobra.Command, arg string) (text string, err error) {
	text, err = app.TextArg(cmd, "text", arg, maxNoteInput)
	if errors.Is(err, policy.ErrTooLarge) {
		err = fmt.Errorf("text: %w: more than %d bytes, at most %d characters",
			policy.ErrLongNote, maxNoteInput, policy.MaxNote)
	}
	if err == nil && o.Source.Source == "-" && arg == "-" {
		err = app.BadInput("--source -", "standard input holds the text already",
			"give the source as text, or with @file")
	}
	return text, err
}

// complete sets what the flags say of the note, and the program.
func (o *noteOptions) complete(a *app.App, cmd *cobra.Command, l *layers.Layers,
	source []byte) error {
	r := &o.note
	r.Tags, r.AllowSecrets = app.SplitList(r.Tags), o.AllowSecret
	r.Importance = json.Number(o.importance)
	switch {
	case cmd.Flags().Changed("scope"):
		r.Scope = o.scope
	case a.Layer == site.User:
		r.Scope = site.User // in the user's store one of a project would be of none
	}
	if a.Served == nil {
		r.Dir, _ = os.Getwd() // without one, names alone are recorded
	}
	r.Source = func(string) []byte { return source }
	r.Editor = hook.Source(a.Getenv, l.Sites.Name())
	for _, name := range r.Replaces {
		switch {
		case name == "":
			return app.EmptyFlag("replaces")
		case app.HasDrive(name):
			_, err := app.KeyArg(name)
			return err
		}
	}
	return nil
}

// maxNoteInput is how much of standard input is read for a note: enough to count the characters of
// one that is a page too long.
const maxNoteInput = 64 << 10

// noConversation names the client that has no conversation; "" for none.
func noConversation(client string) string {
	if client == "" {
		return ""
	}
	return ": " + client + " does not name its own"
}
