package daily

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/draft"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type editOptions struct {
	app.EditFlags
	expired bool
	force   bool
	propose bool
}

func NewEditCmd(a *app.App) *cobra.Command {
	o := &editOptions{}
	cmd := &cobra.Command{
		Use:   "edit <key>",
		Short: "change a memory in an editor",
		Long: `Open the content of a memory, as indented JSON, in $VISUAL or $EDITOR (else
vi, at a terminal), and store the saved text as a new version of now. null
deletes the memory.
Nothing is written if the content is the same, if the file is empty (exit code
1), or if the memory was written meanwhile (exit code 4). A text that could not
be stored is kept in a file, which the error names. A created_at in the content
stays the time of the memory unless you edit it.`,
		Example: `  mem edit /project/db
  EDITOR='code -w' mem edit m-4`,
		Args:              app.WantArgs(1, 1, "one key"),
		ValidArgsFunction: a.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(a, cmd, args[0])
		},
	}
	o.Register(cmd)
	cmd.Flags().BoolVar(&o.expired, "expired", false, "also an expired memory")
	app.RegisterForce(cmd, &o.force)
	a.RegisterPropose(cmd, &o.propose)
	return cmd
}

func (o *editOptions) run(a *app.App, cmd *cobra.Command, arg string) error {
	l, by, err := o.Open(a, cmd)
	if err != nil {
		return err
	}
	by.Force = o.force
	h, err := a.Find(cmd, l, arg)
	if err != nil {
		return err
	}
	was, err := o.get(a, cmd, h)
	if err != nil {
		return a.EditError(err)
	}
	e := &editing{editOptions: o, a: a, cmd: cmd, held: h, was: was, by: by}
	res, err := e.edit(l)
	if err != nil || o.propose {
		return err
	}
	res.Layer = l.NameOf(h.Site)
	if !res.Valid && a.Talks() {
		a.Advise(cmd, "hint", advice.Say(h.Key.Shown()+" is deleted").Also(
			advice.Run("undo", h.Key.String()).Then(" restores it")))
	}
	return a.PrintEdit(cmd, l, res, res)
}

func (o *editOptions) get(a *app.App, cmd *cobra.Command, h app.Held) (log.Record, error) {
	err := edit.MayEdit(h.Key)
	if err == nil && !o.force {
		err = policy.CheckVerb(h.Key, policy.Edit) // before anybody types
	}
	if err != nil {
		return log.Record{}, err
	}
	rec, err := getLive(a, cmd, h.Store, h.Key, o.expired)
	missing := errors.Is(err, mem.ErrNotFound) && !errors.As(err, new(*overError))
	if _, isNote := keypath.NoteID(h.Key); missing && !isNote && policy.Permits(a.Caller, h.Key) {
		err = app.Hinted(err, advice.Run("set", h.Key.String(), "--text", "TEXT", "--source", "me").
			Then(" stores a new memory"))
	}
	if err == nil && !o.force {
		err = edit.CheckCurrent(rec, policy.Edit)
	}
	return rec.Clone(), err
}

// editing is one call of the verb, for a memory that was found.
type editing struct {
	*editOptions
	a    *app.App
	cmd  *cobra.Command
	held app.Held
	was  log.Record // as it is edited
	by   edit.Author
}

// edit lets a person edit the text of a memory, and stores it. The file with a text that was not
// stored is kept; of a caller elsewhere there is none here.
func (e *editing) edit(l *layers.Layers) (res edit.Result, err error) {
	text := append(app.Indented(e.was.Content), '\n')
	if e.a.Served != nil {
		edited, err := e.a.Served.Edited(text, e.was)
		if err != nil {
			return res, err
		}
		e.was.TS = edited.Of // another version since is a conflict
		return e.store(&draft.Draft{Path: "content"}, edited.Text)
	}
	d, err := draft.New(text)
	if err != nil {
		return res, err
	}
	if text, err = d.Edit(e.a, e.cmd); err == nil {
		res, err = e.store(d, text)
	}
	if err != nil && d.IsTouched() {
		return res, e.keepDraft(l, d, err)
	}
	d.Remove()
	return res, err
}

// store stores an edited text, or proposes it.
func (e *editing) store(d *draft.Draft, text []byte) (res edit.Result, err error) {
	h, was := e.held, e.was
	if len(bytes.TrimSpace(text)) == 0 {
		d.Was = text // there is nothing to keep
		return res, app.Verdict(mem.KindNo,
			h.Key.Shown()+": the file is empty, so nothing was changed", nil)
	}
	if text, err = checkDraft(d, text); err != nil {
		return res, err
	}
	if saysTheSame(text, was.Content) {
		res.Outcome = mem.Outcome{Key: was.Key, TS: was.TS, Valid: true,
			Path: h.Store.FilePath(was.Key)}
		return res, nil
	}
	if e.propose {
		return res, e.a.Propose(e.cmd, h.Store, h.Site.Layer, proposal.Change{Verb: "edit",
			Key: h.Key, Content: text, Source: e.by.Source})
	}
	res, err = edit.Replace(e.cmd.Context(), h.Store, e.a.Caller, was, text, e.by)
	return res, e.a.EditError(err)
}

// checkDraft returns a text in the form in which it is stored; the error names the line of a fault.
func checkDraft(d *draft.Draft, text []byte) ([]byte, error) {
	form, err := jsontext.Readable(nil, text)
	var fault *jsontext.Error
	if errors.As(err, &fault) {
		line := 1 + bytes.Count(text[:min(fault.Pos, len(text))], []byte{'\n'})
		return nil, fmt.Errorf("%s:%d: %w", d.Path, line, err)
	}
	return form, err
}

// saysTheSame reports whether two texts are the same JSON, each number spelled alike.
func saysTheSame(text, stored []byte) bool {
	form, err := jsontext.Readable(nil, stored)
	return err == nil && jsontext.Equal(text, form)
}

// keepDraft adds to an error the file with the edited text, and the command that stores it.
func (e *editing) keepDraft(l *layers.Layers, d *draft.Draft, err error) error {
	store := []string{e.held.Key.String(), "@" + d.Path, "--source", "me"}
	if l.Layered() {
		store = append(store, "--layer", e.held.Site.Layer)
	}
	kept := advice.Say("your text is kept")
	switch mem.KindOf(err) {
	case mem.KindConflict:
		return app.Hinted(err,
			kept.Also(advice.Run("set", store...).Then(" replaces the version on stdout")))
	case mem.KindRefused:
		return app.Hinted(err, mem.AdviceOf(err).Also(kept.Then(" in "+d.Path)))
	case mem.KindInput:
		return app.Hinted(err, advice.Say("put it right in "+d.Path).
			Also(advice.Say("then ").Run("set", store...).Then(" stores it")))
	}
	return app.Hinted(err, mem.AdviceOf(err).
		Also(kept.Also(advice.Run("set", store...).Then(" stores it"))))
}
