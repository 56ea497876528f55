package daily

import (
	"cmp"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// longRow is a memory of a long listing.
type longRow struct {
	listed
	Hidden bool `json:"hidden,omitempty"` // by the one of the same key that mem get shows
}

// longList is what --json prints.
type longList struct {
	Count    int       `json:"count"`
	Memories []longRow `json:"memories"`
}

// runLong lists the layers one by one, so that it shows what one hides of the other.
func (o *lsOptions) runLong(a *app.App, cmd *cobra.Command, all *mem.Store,
	prefix keypath.Prefix) error {
	rows := []longRow{}
	for _, site := range a.Layers.Sites.List() {
		found, err := o.listOne(a, cmd, site, prefix)
		if err != nil {
			return err
		}
		rows = append(rows, found...)
	}
	// The records of a key are then one after the other, of two layers at most.
	slices.SortStableFunc(rows, func(x, y longRow) int {
		return cmp.Compare(x.Key.String(), y.Key.String())
	})
	for i := 1; i < len(rows); i++ {
		row := &rows[i]
		if _, _, numbered := row.Key.Number(); numbered || row.Key != rows[i-1].Key {
			continue
		}
		shown, _, err := a.Layers.Holding(cmd.Context(), a.Caller, row.Key)
		if err != nil {
			return err
		}
		if shown.Layer == row.Layer {
			row = &rows[i-1]
		}
		row.Hidden, row.style = true, term.Dim
	}
	sortListed(rows, o.sort, func(row longRow) listed { return row.listed })
	list := longList{Count: len(rows), Memories: rows}
	if o.limit > 0 {
		list.Memories = rows[:min(o.limit, len(rows))]
	}
	a.SayEmpty(cmd, all, list.Count, o.whatIsEmpty(prefix.String(), prefix))
	a.SayMatch(cmd)
	return a.Answer(cmd, list, func(*app.App, *cobra.Command) error {
		err := o.printLong(a, cmd, list.Memories, all.Now())
		return sayMore(a, cmd, list.Count-len(list.Memories), err)
	})
}

func (o *lsOptions) listOne(a *app.App, cmd *cobra.Command, site *site.Site,
	prefix keypath.Prefix) (rows []longRow, err error) {
	s, err := a.Layers.Open(site)
	if err != nil {
		return nil, err
	}
	filter := mem.Filter{Prefix: prefix, Expired: o.expired, Browse: true}
	err = s.List(cmd.Context(), a.Caller, filter, func(rec log.Record) error {
		rec.Layer = site.Layer
		if !o.which.hold(a, rec) {
			return nil
		}
		row := longRow{listed: newListed(s, rec, s.Now())}
		row.Layer = site.Layer
		row.Source = slices.Clone(rec.Source)
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

func (o *lsOptions) printLong(a *app.App, cmd *cobra.Command, rows []longRow, now time.Time) error {
	t := app.Table{Head: []string{"LAYER", "KEY", "TYPE", "AGE", "SOURCE"}}
	column := sortColumn(o.sort)
	if column != "" {
		t.Head = append(t.Head, column)
	}
	t.Head = append(t.Head, "SUMMARY")
	for _, m := range rows {
		name := cmp.Or(m.Layer, "root")
		if m.Hidden {
			name += ", hidden"
		}
		fields := []string{name, m.Key.Shown(), app.OneLine(m.Type), app.Age(m.Timestamp(), now),
			app.OneLine(mem.SourceSummary(m.Source))}
		if column != "" {
			fields = append(fields, m.sortField(o.sort))
		}
		t.Add(append(fields, marked(m.Summary, m.SupersededBy, m.Untrusted))...)
		t.Styled(m.style)
	}
	return t.Write(a, cmd)
}
