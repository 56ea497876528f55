package daily

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type notesOptions struct{ query, tag string }

func NewNotesCmd(a *app.App) *cobra.Command {
	o := &notesOptions{}
	cmd := &cobra.Command{
		Use:   "notes",
		Short: "search the notes, newest first",
		Long: `Print the newest 20 notes, newest first: as a table on a terminal, as JSON in a
pipe. --query selects notes that contain each of its words, --tag those with
that tag, both in any case. A superseded note names its successor in
superseded_by.`,
		Example: `  mem notes
  mem notes --query 'database port'
  mem notes --tag infra --jq '.memories[].id'`,
		Args: app.WantArgsElse(0, 0, "no arguments (--query and --tag say what to search for)",
			advice.Run("notes", "--query", "WORDS").Then(" searches for words")),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.query, "query", "", "only notes that contain all these `WORDS`")
	f.StringVar(&o.tag, "tag", "", "only notes with this `TAG`")
	return cmd
}

func (o *notesOptions) run(a *app.App, cmd *cobra.Command) error {
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	found, total, err := note.Find(cmd.Context(), s, a.Caller,
		note.Filter{Query: o.query, Tag: o.tag})
	if err != nil {
		return err
	}
	if err := o.print(a, cmd, s, found); err != nil {
		return err
	}
	a.SayFull(cmd, a.Layers)
	if left := total - len(found); left > 0 && !a.Quiet {
		a.Tell(cmd, "hint", fmt.Sprintf("%d more; --query and --tag narrow the search", left))
	}
	return nil
}

// print prints a table for a person, and JSON for everybody else.
func (o *notesOptions) print(a *app.App, cmd *cobra.Command, s *mem.Store,
	found []readout.Note) error {
	a.SayEmpty(cmd, s, len(found), "no notes")
	a.SayMatch(cmd)
	remark := a.Remark()
	for i := range found {
		found[i].Remark = remark(found[i].Layer, found[i].Files)
	}
	if a.AsJSON() || app.Terminal(cmd.OutOrStdout()) == 0 {
		return a.PrintValue(cmd, mem.NewNoteList(found))
	}
	t := app.Table{Head: []string{"ID", "AGE", "TAGS", "TEXT"}}
	for _, n := range found {
		text := readout.Flatten(n.Text, readout.MaxShort)
		t.Add(cmp.Or(n.Name, n.ID), app.Age(n.Timestamp(), s.Now()),
			app.OneLine(strings.Join(n.Tags, ", ")),
			withRemark(marked(text, n.SupersededBy, n.Untrusted), n.Remark))
		if n.SupersededBy != "" {
			t.Styled(term.Dim)
		}
	}
	return t.Write(a, cmd)
}
