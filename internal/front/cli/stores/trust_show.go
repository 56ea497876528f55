package stores

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// showUnseen prints the memories that would be injected.
func showUnseen(a *app.App, cmd *cobra.Command, site *site.Site, list []log.Record) {
	what := "is not trusted yet. It holds"
	if site.Grant != nil {
		what = "has, from other people or machines,"
	}
	a.ShowRecords(cmd, fmt.Sprintf("%s %s %s:", app.OneLine(site.Root), what,
		app.Memories(len(list))),
		site, list)
}

// showDeleted prints the keys that others have deleted.
func showDeleted(a *app.App, cmd *cobra.Command, gone []log.Record) {
	if len(gone) == 0 || a.Quiet || a.AsJSON() {
		return
	}
	var names []string
	for _, rec := range gone {
		names = append(names, rec.Key.Shown())
	}
	fmt.Fprintln(cmd.ErrOrStderr(), app.OneLine("deleted by other people or on other machines: "+
		strings.Join(names, ", ")))
}

// trustList is what --list --json prints.
type trustList struct {
	Stores []trustedStore `json:"stores"`
}

type trustedStore struct {
	Root  string    `json:"root"`
	Since log.Stamp `json:"since"`
	State string    `json:"state"` // "trusted", or why it is not
}

func (o *trustOptions) printList(a *app.App, cmd *cobra.Command, sites site.Sites) error {
	list, err := sites.Book.List()
	if err != nil {
		return err
	}
	ans := trustList{Stores: make([]trustedStore, len(list))}
	t := app.Table{Head: []string{"SINCE", "ROOT", "STATE"}}
	for i, entry := range list {
		s := trustedStore{Root: entry.Path, Since: entry.Since, State: "trusted"}
		if sites.Book.HasRules(site.Grant{ID: entry.ID}) {
			s.State = "trusted, with the rules of its team"
		}
		if entry.Err != nil {
			s.State = mem.Message(entry.Err)
		}
		ans.Stores[i] = s
		t.Add(app.ShownTime(cmd.OutOrStdout(), s.Since), app.OneLine(s.Root), app.OneLine(s.State))
	}
	if len(list) == 0 {
		a.Mention(cmd, "no .mem is trusted yet")
	}
	return a.Answer(cmd, ans, t.Write)
}
