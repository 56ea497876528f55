package page

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
)

type counted struct {
	*shelf
	Sums *sums
	Err  string
}

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
	data.Asking = len(storesAsking(v.ctx(), v.layers, v.caller, v.sites()))
	found, err := v.all.Reader(v.caller).Search(v.ctx(), mem.SearchOptions{Sort: mem.ByTime,
		Limit: rows, Conditions: mem.Conditions{Superseded: true}})
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
	List  []inject.Injection
	Count int
	visit *visit
	known map[[3]string]injectedNow // by project, layer and key
}

// injectedNow is the store of an injected memory, and its text now; "" for none.
type injectedNow struct{ In, Text string }

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
	return v.show("injected", "Injected", injectedData{drawn, costs,
		list[:min(len(list), maxRecorded)], len(list), v, map[[3]string]injectedNow{}})
}

// Now looks an injected memory up. One of a project's store is in that of the project whose
// conversation it was.
func (d injectedData) Now(project string, m inject.Injected) (now injectedNow) {
	at := [...]string{project, m.Layer, m.Key}
	if now, known := d.known[at]; known {
		return now
	}
	key, err := keypath.Parse(m.Key)
	for _, sh := range d.visit.shelves {
		isIts := m.Layer == "" && sh.Used || m.Layer == sh.site.Layer &&
			(m.Layer != site.Project || sh.site.Name() == project)
		if isIts && err == nil && sh.err == nil {
			if rec, none := sh.store.Get(d.visit.ctx(), d.visit.o.Caller, key, true); none == nil {
				now = injectedNow{sh.ID, title(rec)}
			}
		}
	}
	d.known[at] = now
	return now
}

func health(v *visit) error {
	return v.show("health", "Health", struct {
		Checks []doctor.Check
		Stores []*shelf
	}{v.o.Health(v.ctx()), v.shelves})
}
