package page

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
)

// counted is a store in the overview.
type counted struct {
	*shelf
	Sums *sums
	Err  string
}

// overviewData is what the overview shows.
type overviewData struct {
	Stores, Others []counted // in use, and not
	Sums           *sums
	Newest         []listed

	Namespaces, Authors []group
	Written, Injected   chart
	Costs               inject.Costs
	Worst               []doctor.Check
	Asking              int // stores that ask for trust
}

// rows is how many rows each list of the overview has.
const rows = 8

func overview(v *visit) error {
	data := overviewData{Sums: newSums()}
	for _, sh := range v.shelves {
		t, err := v.count(sh)
		c := counted{sh, t, ""}
		if err != nil {
			c.Sums, c.Err = newSums(), mem.Message(err)
		}
		if !sh.Used {
			data.Others = append(data.Others, c)
			continue
		}
		data.Stores = append(data.Stores, c)
		data.Sums.add(c.Sums)
	}
	data.Namespaces = fullest(data.Sums.Namespaces, rows)
	data.Authors = fullest(data.Sums.Authors, rows)
	data.Written = newChart("written", "Activity", "memory", "memories",
		data.Sums.Written, v.o.Now(), days)
	data.Asking = len(storesAsking(v.ctx(), v.layers, v.o.Caller, v.sites()))
	found, err := v.all.Reader(v.o.Caller).Search(v.ctx(), mem.SearchOptions{
		Sort: mem.ByTime, Limit: rows, Superseded: true})
	if err != nil {
		return err
	}
	for _, f := range found {
		data.Newest = append(data.Newest, v.newListed("", f.Record))
	}
	all, err := inject.Recorded(v.all, "", 0)
	if err != nil {
		return err
	}
	data.Costs = inject.CostsOf(all)
	data.Injected = newChart("injected", "Tokens injected", "token", "tokens", data.Costs.ByDay,
		v.o.Now(), days)
	for _, c := range v.o.Health(v.ctx()) {
		if c.Level != doctor.OK {
			data.Worst = append(data.Worst, c)
		}
	}
	return v.show("overview", "Overview", data)
}

// injectedData is the record of injections, the newest first.
type injectedData struct {
	Chart chart
	Costs inject.Costs
	List  []injection
	Count int
}

// injection is an injection, and its memories as they are now.
type injection struct {
	inject.Injection
	Now []injectedNow
}

// injectedNow is a memory that was injected, and the store that it is in: its text is "", and the
// store too, if no store of the page has it.
type injectedNow struct{ Key, In, Text string }

// maxRecorded is how many injections their page lists.
const maxRecorded = 50

func injected(v *visit) error {
	list, err := inject.Recorded(v.all, v.r.URL.Query().Get("conversation"), 0)
	if err != nil {
		return err
	}
	costs := inject.CostsOf(list)
	slices.Reverse(list)
	drawn := newChart("injected", "Tokens injected", "token", "tokens", costs.ByDay, v.o.Now(),
		days)
	data := injectedData{Chart: drawn, Costs: costs, Count: len(list)}
	known := map[[3]string]injectedNow{}
	for _, in := range list[:min(len(list), maxRecorded)] {
		row := injection{Injection: in}
		for _, m := range in.Memories {
			at := [...]string{in.Project, m.Layer, m.Key}
			if _, looked := known[at]; !looked {
				known[at] = v.injectedNow(in.Project, m)
			}
			row.Now = append(row.Now, known[at])
		}
		data.List = append(data.List, row)
	}
	return v.show("injected", "Injected", data)
}

// injectedNow looks an injected memory up. One of a project's store is in that of the project whose
// conversation it was.
func (v *visit) injectedNow(project string, m inject.Injected) injectedNow {
	now := injectedNow{Key: m.Key}
	key, err := keypath.Parse(m.Key)
	i := slices.IndexFunc(v.shelves, func(sh *shelf) bool {
		return sh.site.Layer == m.Layer && (m.Layer != site.Project || sh.site.Name() == project)
	})
	if err != nil || i < 0 || v.shelves[i].err != nil {
		return now
	}
	rec, err := v.shelves[i].store.Get(v.ctx(), v.o.Caller, key, true)
	if err == nil {
		now.In, now.Text = v.shelves[i].ID, title(rec)
	}
	return now
}

func health(v *visit) error {
	return v.show("health", "Health", struct {
		Checks []doctor.Check
		Stores []*shelf
	}{v.o.Health(v.ctx()), v.shelves})
}
