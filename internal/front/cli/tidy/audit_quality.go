package tidy

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/audit"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

// qualityFlags are the checks besides that for secrets.
type qualityFlags struct{ audit.Options }

func (q *qualityFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&q.Duplicates, "duplicates", false, "memories with equal content or text")
	f.IntVar(&q.StaleDays, "stale", 0, "memories older than this many `DAYS`")
	f.BoolVar(&q.Unsourced, "unsourced", false, "memories whose source leads nowhere")
	f.BoolVar(&q.Expired, "expired", false, "memories that have expired")
	f.BoolVar(&q.Dangling, "dangling", false, "memories whose successor is gone")
	f.BoolVar(&q.Moved, "moved", false, "memories whose files have changed since, or are gone")
	app.OfMachine(cmd, "moved")
}

func (q *qualityFlags) checks(cmd *cobra.Command, prefix keypath.Prefix) (audit.Options, error) {
	if cmd.Flags().Changed("stale") && (q.StaleDays < 1 || q.StaleDays > audit.MaxDays) {
		return q.Options, fault.Input(fmt.Sprintf("--stale %d", q.StaleDays),
			fmt.Sprintf("want a number of days from 1 to %d", audit.MaxDays),
			advice.Run("audit", "--stale", "180"))
	}
	if q.Any() && cmd.Flags().Changed("history") {
		return q.Options, app.BadInput("--history", "it works only with the search for secrets",
			"the other checks search live memories")
	}
	q.Prefix = prefix
	return q.Options, nil
}

func (o *auditOptions) runChecks(a *app.App, cmd *cobra.Command, checks audit.Options) error {
	return o.each.RunAt(a, cmd, func(s *mem.Store, site *site.Site, title string) (err error) {
		if checks.Others, err = userStore(a, site); err != nil {
			return err
		}
		checks.Tree = a.Tree(site)
		rep, err := audit.Run(cmd.Context(), s, a.Caller, checks)
		if err != nil {
			return err
		}
		doc := checkReport{Layer: title, Scanned: rep.Scanned, Found: []checkFinding{}}
		call := o.callOn(a, site, title)
		for _, f := range rep.Found {
			doc.Found = append(doc.Found, checkFinding{f, commandLine(f.Fix, call)})
		}
		return app.NoIf(len(doc.Found) > 0, a.Answer(cmd, doc, doc.print))
	})
}

// userStore returns the user's store if one is the store of a project, also in an audit of the
// project alone: a reference of the project may name a memory of the user.
func userStore(a *app.App, one *site.Site) ([]*mem.Store, error) {
	sites, err := site.Find(a.Root, "", a.Getenv)
	if err != nil || one.Layer != site.Project || sites.User == nil {
		return nil, err
	}
	s, err := a.Layers.Open(sites.User)
	return []*mem.Store{s}, err
}

// callOn returns how mem is called on a store, so that a command works as printed.
func (o *auditOptions) callOn(a *app.App, one *site.Site, title string) string {
	switch {
	case a.Root != "":
		return "mem --root " + advice.Quote(a.Root)
	case o.each.All && one.Layer == site.Project && one.Folder() == "":
		return "mem --root " + advice.Quote(one.Root)
	case title != "" || a.Layer != "":
		return "mem --layer " + one.Layer
	}
	return "mem"
}

func commandLine(fix audit.Fix, call string) string {
	var calls []string
	for _, one := range fix.Calls {
		words := []string{call, one.Verb}
		for _, arg := range one.Args {
			words = append(words, advice.Quote(arg))
		}
		calls = append(calls, strings.Join(words, " "))
	}
	if fix.Piped {
		return strings.Join(calls, " | ")
	}
	return strings.Join(calls, " && ")
}

// checkReport is what --json prints of one store.
type checkReport struct {
	Layer   string         `json:"layer,omitempty"`
	Scanned int            `json:"scanned"` // live memories
	Found   []checkFinding `json:"found"`
}

// checkFinding is a finding with the command that mends it.
type checkFinding struct {
	audit.Finding
	Fix string `json:"fix"`
}

func (doc *checkReport) print(a *app.App, cmd *cobra.Command) error {
	switch {
	case len(doc.Found) == 0:
		ok := "ok: " + app.Memories(doc.Scanned) + ", nothing found"
		return app.Report(app.Titled(doc.Layer, ok))(a, cmd)
	case app.Terminal(cmd.OutOrStdout()) > 0:
		return doc.printColumns(a, cmd)
	}
	return doc.printLines(a, cmd)
}

func (doc *checkReport) printLines(a *app.App, cmd *cobra.Command) error {
	t := app.Table{}
	for _, f := range doc.Found {
		t.Add(app.Titled(doc.Layer, f.Check), f.Key.Shown(), f.otherKeys(), app.OneLine(f.Detail),
			f.Fix)
	}
	return t.Write(a, cmd)
}

// printColumns prints the commands below the table, whole: a column would cut them.
func (doc *checkReport) printColumns(a *app.App, cmd *cobra.Command) error {
	t := app.Table{Head: []string{"CHECK", "KEY", "OTHERS", "FOUND"}}
	for _, f := range doc.Found {
		t.Add(app.Titled(doc.Layer, f.Check), f.Key.Shown(), f.otherKeys(), app.OneLine(f.Detail))
	}
	if err := t.Write(a, cmd); err != nil {
		return err
	}
	for _, f := range doc.Found {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), f.Fix); err != nil {
			return err
		}
	}
	return nil
}

func (f checkFinding) otherKeys() string {
	var list []string
	for _, key := range f.Others {
		list = append(list, key.Shown())
	}
	return strings.Join(list, ", ")
}
