package erase

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// selectionFlags say which memories are to be forgotten.
type selectionFlags struct {
	prefix, session, since, until, text string
	types, tags                         []string
	all                                 bool
}

func (w *selectionFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.prefix, "prefix", "", "only this `KEY` and the keys below it")
	f.StringVar(&w.session, "session", "",
		"a whole session: /session/`ID` and the keys below; with --purge also its events")
	f.StringArrayVar(&w.types, "type", nil, "only of these `TYPES`, with commas")
	f.StringArrayVar(&w.tags, "tag", nil, "only with one of these `TAGS`, as in mem search")
	f.StringVar(&w.since, "since", "", "only of this `TIME` or later, as in mem search")
	f.StringVar(&w.until, "until", "", "only of this `TIME` or earlier")
	f.StringVar(&w.text, "grep", "", "only with this `TEXT` in them, in any case")
	f.BoolVar(&w.all, "all", false, "also the quarantined memories under /untrusted")
}

func (w *selectionFlags) isGiven(cmd *cobra.Command) bool {
	return app.FirstChanged(cmd, "prefix", "session", "since", "until", "grep", "type", "tag") != ""
}

func (w *selectionFlags) selection(a *app.App, cmd *cobra.Command, s *mem.Store, args []string) (
	sel forget.Selection, unknown app.UnknownNames, err error) {
	sel.Keys, unknown, err = a.NamedKeys(cmd, s, args)
	if err != nil {
		return sel, nil, err
	}
	sel.Text, sel.All, sel.Session = w.text, w.all, w.session
	o := &sel.Conditions
	o.Tags = w.tags
	if o.Types, err = app.ListFlag("type", w.types); err != nil {
		return sel, nil, err
	}
	if o.Prefix, err = w.parsePrefix(); err != nil {
		return sel, nil, err
	}
	if w.session != "" {
		events, err := app.PrefixArg(keypath.Events + "/" + w.session)
		if err != nil {
			return sel, nil, err
		}
		sel.Too = []keypath.Prefix{events}
	}
	now := s.Now()
	if o.Since, err = app.ParseWhen("--since", w.since, now); err != nil {
		return sel, nil, err
	}
	o.Until, err = app.ParseWhen("--until", w.until, now)
	return sel, unknown, err
}

func (w *selectionFlags) parsePrefix() (keypath.Prefix, error) {
	switch {
	case strings.Contains(w.session, "/"):
		return keypath.Prefix{}, app.BadInput("--session "+w.session,
			"want the id of a session, without a slash", "--prefix /session selects all of them")
	case w.session != "" && w.prefix != "":
		return keypath.Prefix{}, app.BadInput("--session", "it cannot be used with --prefix", "")
	case w.session != "":
		return app.PrefixArg("/session/" + w.session)
	case w.prefix != "":
		return app.PrefixArg(w.prefix)
	}
	return keypath.Prefix{}, nil
}

// find returns the selected live memories; with ever those with any version.
func (o *forgetOptions) find(a *app.App, cmd *cobra.Command, l *layers.Layers, args []string,
	ever bool) (*forget.Across, error) {
	all, err := l.Reading()
	if err != nil {
		return nil, err
	}
	sel, unknown, err := o.which.selection(a, cmd, all, args)
	if err != nil {
		return nil, err
	}
	o.unknown, sel.Marks = unknown, ever && o.noTrace
	found, err := forget.Look(cmd.Context(), l, a.Caller, sel, ever)
	if err == nil && found.LeftOut > 0 && a.Talks() {
		a.Tell(cmd, "warning", app.Memories(found.LeftOut)+
			" under /untrusted left out: --all includes them")
	}
	return found, err
}

// selected is what --json prints of a selection.
type selected struct {
	Count    int            `json:"count"`
	Memories []forget.Match `json:"memories"`
	DryRun   bool           `json:"dry_run"`
}

func (o *forgetOptions) printSelected(a *app.App, cmd *cobra.Command, matches []forget.Match,
	now time.Time) error {
	doc := selected{Count: len(matches), DryRun: true, Memories: matches}
	return a.Answer(cmd, doc, func(*app.App, *cobra.Command) error {
		if err := selectedTable(doc.Memories, now).Write(a, cmd); err != nil {
			return err
		}
		return app.Line(app.Memories(doc.Count)+" (dry run: nothing written)")(a, cmd)
	})
}

// selectedTable lists what would go: for a purge with the number of versions, and where there are
// two stores with the layer.
func selectedTable(matches []forget.Match, now time.Time) *app.Table {
	t := &app.Table{Head: []string{"KEY", "TYPE", "AGE"}}
	var layered, counted bool
	for _, m := range matches {
		layered, counted = layered || m.Place() != "", counted || m.Versions > 0
	}
	if layered {
		t.Head = append(t.Head, "LAYER")
	}
	if counted {
		t.Head = append(t.Head, "VERSIONS")
	}
	t.Head = append(t.Head, "SUMMARY")
	for _, m := range matches {
		row := []string{keypath.Show(m.Key), app.OneLine(m.Type), app.Age(m.Time, now)}
		if layered {
			row = append(row, cmp.Or(m.Store, m.Layer))
		}
		if counted {
			row = append(row, fmt.Sprint(m.Versions))
		}
		t.Add(append(row, m.Summary)...)
	}
	return t
}

// deletions is what --json prints of the list of deletions.
type deletions struct {
	Count     int               `json:"count"`
	Deletions []forget.Deletion `json:"deletions"`
}

// listDeletions prints the deletions, newest first.
func listDeletions(a *app.App, cmd *cobra.Command) error {
	all, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	list, err := forget.DeletionsIn(cmd.Context(), a.Layers, a.Caller)
	if err != nil {
		return err
	}
	doc := deletions{Count: len(list), Deletions: list}
	a.SayEmpty(cmd, all, doc.Count, "nothing was deleted")
	t := app.Table{Head: []string{"DELETED", "KEY", "STATE", "REASON"}}
	for _, d := range doc.Deletions {
		state := stateOf(d)
		if d.Layer != "" {
			state += " in " + d.Layer
		}
		t.Add(app.ShownTime(cmd.OutOrStdout(), d.TS), keypath.Show(d.Key), state,
			app.OneLine(d.Reason))
	}
	return a.Answer(cmd, doc, t.Write)
}

func stateOf(d forget.Deletion) string {
	switch {
	case d.Live:
		return "written again"
	case d.Purged:
		return "purged"
	}
	return "deleted"
}
