package daily

import (
	"fmt"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
	"github.com/spf13/cobra"
)

type searchOptions struct {
	request      session.SearchRequest
	since, until string
	place        placeFlags
	references   string
	limit        int
}

func NewSearchCmd(a *app.App) *cobra.Command {
	o := &searchOptions{}
	cmd := &cobra.Command{
		Use:   "search [<words>...]",
		Short: "find memories by their words, best first",
		Long: `Find live memories by their words, best first: English by stems, Chinese by
pairs of characters, code by its parts. A query may contain "a phrase",
prefix*, -word, tag:a,b, type:a,b, -tag:a, -type:a and key:/user, and * or ?
anywhere in a word; after -- a -word is not a flag. With flags and no words the
verb lists the memories that pass, newest first. Exit code 1 if nothing is
found.

Below /session, or with --session, the score is importance x decay x boost x
match; --why shows it. Neighbors, the records beside a hit in a conversation or
folder, get a share of its score. The time of a memory is its timestamp or
created_at, or else that of its write. Superseded memories are found and
marked. --references follows links to keys, or to ids, which are the last
segments of keys.`,
		Example: `  mem search dentist appointment
  mem search '牙科 -复诊' --since 30d
  mem search deploy --type decision --tag go --tag '!old' --why
  mem search --tag infra --since 7d
  mem search --session sess_20260222_ada --type decision --sort importance
  mem search --references /decision/db --depth 2`,
		Args: app.WantArgs(0, -1, "words"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args) },
	}
	f, r := cmd.Flags(), &o.request
	f.StringArrayVar(&r.Types, "type", nil, "only of these `TYPES`, with commas")
	f.StringArrayVar(&r.Tags, "tag", nil,
		"only with one of these `TAGS`, with commas, or below one (a.b for a); !a,b: with none of "+
			"these; repeatable, all must hold")
	f.StringVar(&o.since, "since", "",
		"only of this `TIME` or later: RFC 3339, a day, or 12h, 7d, 2w ago")
	f.StringVar(&o.until, "until", "", "only of this `TIME` or earlier, a day as a whole")
	f.Float64Var(&r.MinImportance, "min-importance", 0,
		"the least importance: `N` in 0..1, or above 1 out of 10")
	o.place.register(cmd)
	f.StringVar(&o.references, "references", "",
		"only memories that content.references of this `KEY` names")
	f.IntVar(&r.Depth, "depth", 1, "with --references: `N` levels of links")
	f.StringVar((*string)(&r.Sort), "sort", "relevance",
		"the `ORDER`: relevance, time (newest first) or importance")
	f.IntVar(&o.limit, "limit", mem.DefaultSearchLimit, "the greatest number of memories: `N`")
	f.BoolVar(&r.Explain, "why", false, "also the parts of each score")
	f.BoolVar(&r.Relevant, "relevant", false,
		"only clearly relevant memories, even if none is left")
	return cmd
}

// check refuses what no search can be made of.
func (o *searchOptions) check(cmd *cobra.Command) error {
	condition := app.FirstChanged(cmd, "type", "tag", "since", "until", "min-importance", "prefix",
		"session", "references")
	if strings.TrimSpace(o.request.Query) == "" && condition == "" {
		return fault.Input("search", "no words to search for, and no conditions",
			advice.Run("ls").Then(" lists all memories"))
	}
	switch {
	case o.request.Depth <= 0:
		return app.BadInput("--depth", "want a number above 0", "")
	case o.references == "" && cmd.Flags().Changed("depth"):
		return app.BadInput("--depth", "it works only with --references", "")
	}
	return app.AsFlag(o.request.Check())
}

func (o *searchOptions) run(a *app.App, cmd *cobra.Command, words []string) error {
	o.request.Query, o.request.Limit = strings.Join(words, " "), &o.limit
	if err := o.check(cmd); err != nil {
		return err
	}
	prefix, err := o.place.parse(cmd)
	if err != nil {
		return err
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	if err := o.complete(a, cmd, s, prefix); err != nil {
		return err
	}
	found, near, err := session.Find(cmd.Context(), s, a.Caller, o.request)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		a.SayEmpty(cmd, s, 0, o.place.whyEmpty(a, cmd, s, "nothing found"+termsOf(near)))
	}
	o.sayID(a, cmd)
	return o.print(a, cmd, found, near, s.Now())
}

// sayID says how to print the note whose id the query is: an id is no word.
func (o *searchOptions) sayID(a *app.App, cmd *cobra.Command) {
	id := strings.TrimSpace(o.request.Query)
	if !a.Talks() || !note.IsID(id) {
		return
	}
	s, _, err := note.Reading(cmd.Context(), a.Layers, a.Caller, id)
	if err == nil {
		_, err = note.Named(cmd.Context(), s, a.Caller, id)
	}
	if err == nil {
		a.Advise(cmd, "hint", advice.Run("get", id).Then(" prints the note of this id"))
	}
}

// termsOf lists terms that memories have.
func termsOf(near []mem.NearTerm) string {
	var list []string
	for _, t := range near {
		list = append(list, fmt.Sprintf("%s (%d)", t.Word, t.Count))
	}
	if list == nil {
		return ""
	}
	return "; words in the store: " + strings.Join(list, ", ")
}

// complete reads the flags that need the store: its clock, and its keys.
func (o *searchOptions) complete(a *app.App, cmd *cobra.Command, s *mem.Store,
	prefix keypath.Prefix) (err error) {
	r := &o.request
	r.Prefix = prefix.String()
	if o.references != "" {
		if o.place.session != "" && session.IsID(o.references) {
			o.references = r.Prefix + "/" + o.references
		}
		if r.References, err = a.NamedKey(cmd, s, o.references); err != nil {
			return err
		}
	}
	r.Since, r.Until, err = parseSpan(o.since, o.until, s.Now())
	return err
}

// parseSpan reads the times between which a memory is to be, a last day as a whole.
func parseSpan(since, until string, now time.Time) (from, to *log.Stamp, err error) {
	if from, err = app.ParseWhen("--since", since, now); err != nil {
		return nil, nil, err
	}
	to, err = app.ParseWhen("--until", until, now)
	if day, derr := time.Parse(time.DateOnly, strings.TrimSpace(until)); derr == nil {
		end := log.StampOf(day.AddDate(0, 0, 1)) - 1
		to = &end
	}
	return from, to, err
}

func (o *searchOptions) print(a *app.App, cmd *cobra.Command, found []mem.Found,
	near []mem.NearTerm, now time.Time) error {
	remark := a.Remark()
	for i := range found {
		found[i].Remark = remark(found[i].Record.Layer,
			content.Parse(found[i].Record.Content).Files)
	}
	return app.NoIf(len(found) == 0, a.Answer(cmd, mem.NewSearchResult(found, near),
		func(*app.App, *cobra.Command) error { return o.table(a, cmd, found, now) }))
}

func (o *searchOptions) table(a *app.App, cmd *cobra.Command, found []mem.Found,
	now time.Time) error {
	t := app.Table{Head: []string{"KEY", "TYPE", "AGE", "SUMMARY"}}
	inPipe := app.Terminal(cmd.OutOrStdout()) == 0
	for _, f := range found {
		fields := content.Parse(f.Record.Content)
		last := readout.Short(f.Record.Content, fields)
		if o.request.Explain && inPipe {
			last = explained(f)
		}
		t.Add(f.Record.Key.Shown(), app.OneLine(fields.Type),
			app.Age(fields.Time(f.Record.TS), now),
			withRemark(marked(last, fields.SupersededBy, f.Untrusted), f.Remark))
		if fields.SupersededBy != "" {
			t.Styled(term.Dim)
		}
		if o.request.Explain && !inPipe { // a column of a terminal has no room for it
			t.AddBelow(explained(f))
		}
	}
	return t.Write(a, cmd)
}

// marked returns the summary of a memory, with its successor, or that nobody trusts it.
func marked(summary, successor string, untrusted bool) string {
	if successor != "" {
		summary = "superseded by " + readout.Flatten(successor, readout.MaxShort) + ": " + summary
	}
	if untrusted {
		summary = "(untrusted) " + summary
	}
	return summary
}

// withRemark returns a text with a remark behind it, if there is one.
func withRemark(text, remark string) string {
	if remark == "" {
		return text
	}
	return text + " (" + remark + ")"
}
