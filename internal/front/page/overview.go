package page

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/census"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/review"
)

// counted is a store in the overview.
type counted struct {
	*shelf
	Sums *census.Sums
	Err  string
}

// overviewData is what the overview shows.
type overviewData struct {
	Stores, Others []counted // in use, and not
	Sums           *census.Sums
	Newest         []listed

	Namespaces, Authors []census.Group
	Written, Told       chart
	Costs               inject.Costs
	Worst               []doctor.Check
	Asking              int // stores that ask for trust
}

// rows is how many rows each list of the overview has.
const rows = 8

func overview(v *visit) error {
	data := overviewData{Sums: census.New()}
	for _, sh := range v.shelves {
		t, err := v.count(sh)
		c := counted{sh, t, ""}
		if err != nil {
			c.Sums, c.Err = census.New(), mem.Message(err)
		}
		if !sh.Used {
			data.Others = append(data.Others, c)
			continue
		}
		data.Stores = append(data.Stores, c)
		data.Sums.Add(c.Sums)
	}
	data.Namespaces = census.Fullest(data.Sums.Namespaces, rows)
	data.Authors = census.Fullest(data.Sums.Authors, rows)
	data.Written = newChart("written", "What came in", "memory", "memories",
		data.Sums.Written, v.o.Now(), census.Days)
	data.Asking = len(review.Stores(v.ctx(), v.layers, v.o.Caller, v.sites()))
	found, err := v.all.Reader(v.o.Caller).Search(v.ctx(), mem.SearchOptions{
		Sort: mem.ByTime, Limit: rows, Superseded: true})
	if err != nil {
		return err
	}
	for _, f := range found {
		data.Newest = append(data.Newest, v.newListed("", f.Record))
	}
	told, err := inject.Recorded(v.all, "", 0)
	if err != nil {
		return err
	}
	data.Costs = inject.CostsOf(told)
	data.Told = newChart("told", "What was told", "token", "tokens", data.Costs.ByDay, v.o.Now(),
		census.Days)
	for _, c := range v.o.Health(v.ctx()) {
		if c.Level != doctor.OK {
			data.Worst = append(data.Worst, c)
		}
	}
	return v.show("overview", "Overview", data)
}

// toldData is what was told, the newest first.
type toldData struct {
	Chart chart
	Costs inject.Costs
	List  []inject.Injection
	Count int
}

// maxTold is how many the page of what was told lists.
const maxTold = 100

func told(v *visit) error {
	list, err := inject.Recorded(v.all, v.r.URL.Query().Get("conversation"), 0)
	if err != nil {
		return err
	}
	costs := inject.CostsOf(list)
	slices.Reverse(list)
	drawn := newChart("told", "Tokens told", "token", "tokens", costs.ByDay, v.o.Now(),
		census.Days)
	return v.show("told", "What agents were told",
		toldData{drawn, costs, list[:min(len(list), maxTold)], len(list)})
}

func health(v *visit) error {
	return v.show("health", "Health", struct {
		Checks []doctor.Check
		Stores []*shelf
	}{v.o.Health(v.ctx()), v.shelves})
}
