package page

import (
	"cmp"
	"maps"
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/doctor"
	"github.com/set-memory/mem/inject"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// listed is a memory in a list.
type listed struct {
	In, Key  string
	Title    string
	Type     string
	Tags     []string
	At       log.Stamp // of the memory
	Layer    string
	Replaced string // by which key
	Why      []string
	Score    string
}

// newListed returns a record of the store of an ID for a list.
func (v *visit) newListed(id string, rec log.Record) listed {
	f := content.Parse(rec.Content)
	return listed{In: v.idOf(id, rec.Layer), Key: rec.Key.String(),
		Title: readout.Short(rec.Content, f), Type: f.Type, Tags: f.Tags[:min(len(f.Tags), 6)],
		At: f.Time(rec.TS), Layer: rec.Layer, Replaced: f.SupersededBy}
}

// counted is a store in the overview.
type counted struct {
	*shelf
	*tally
	Err string
}

// overviewData is what the overview shows.
type overviewData struct {
	Stores     []counted // in use
	Others     []counted
	Sums       *tally
	Namespaces []group
	Authors    []group
	Written    chart
	Newest     []listed
	Told       chart
	Clients    []spent
	Projects   []spent
	Worst      []doctor.Check
	Waiting    int // for review
}

// Rows of the overview.
const (
	overviewGroups = 8
	overviewNewest = 8
)

func overview(v *visit) error {
	data := overviewData{Sums: newTally()}
	for _, sh := range v.shelves {
		c := counted{shelf: sh}
		t, err := v.tallies.of(v.ctx(), sh, v.caller())
		if err != nil {
			c.Err, t = mem.Message(err), newTally()
		}
		c.tally = t
		if !sh.Used {
			data.Others = append(data.Others, c)
			continue
		}
		data.Stores = append(data.Stores, c)
		data.Sums.merge(t)
	}
	data.Namespaces = fullest(data.Sums.Namespaces, overviewGroups)
	data.Authors = fullest(data.Sums.Authors, overviewGroups)
	data.Written = newChart("written", "What came in", "memories", data.Sums.Written, v.o.Now())
	data.Waiting = data.Sums.Untrusted + len(v.asking())
	all, err := v.layers.Reading()
	if err != nil {
		return err
	}
	found, err := all.Reader(v.caller()).Search(v.ctx(), mem.SearchOptions{
		Sort: mem.ByTime, Limit: overviewNewest, Superseded: true})
	if err != nil {
		return err
	}
	for _, f := range found {
		data.Newest = append(data.Newest, v.newListed("", f.Record))
	}
	told, err := inject.Recorded(all, "", 0)
	if err != nil {
		return err
	}
	costs := costsOf(told)
	data.Told = newChart("told", "What was told", "tokens", costs.byDay, v.o.Now())
	data.Clients, data.Projects = costs.clients(), costs.projects()
	for _, c := range v.checks() {
		if c.Level != doctor.OK {
			data.Worst = append(data.Worst, c)
		}
	}
	return v.show("overview", "Overview", data)
}

// spent is what was told of a client or project, in tokens.
type spent struct {
	Name          string
	Times, Tokens int
	Last          log.Stamp
}

// costs are what conversations were told, in numbers.
type costs struct {
	byDay               map[string]int
	byClient, byProject map[string]*spent
}

func costsOf(list []inject.Injection) costs {
	c := costs{map[string]int{}, map[string]*spent{}, map[string]*spent{}}
	for _, in := range list {
		if in.Tokens == 0 {
			continue
		}
		c.byDay[day(in.At)] += in.Tokens
		addSpent(c.byClient, in.Client, in)
		addSpent(c.byProject, cmp.Or(in.Project, "no project"), in)
	}
	return c
}

func addSpent(all map[string]*spent, name string, in inject.Injection) {
	if all[name] == nil {
		all[name] = &spent{Name: name}
	}
	s := all[name]
	s.Times++
	s.Tokens += in.Tokens
	s.Last = max(s.Last, in.At)
}

func (c costs) clients() []spent  { return dearest(c.byClient) }
func (c costs) projects() []spent { return dearest(c.byProject) }

// dearest returns what cost most first.
func dearest(all map[string]*spent) (list []spent) {
	for _, s := range slices.SortedFunc(maps.Values(all), func(a, b *spent) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	}) {
		list = append(list, *s)
	}
	return list
}

// toldData is what was told, the newest first.
type toldData struct {
	Chart    chart
	Clients  []spent
	Projects []spent
	List     []inject.Injection
	Count    int
}

// maxTold is how many the page of what was told lists.
const maxTold = 100

func told(v *visit) error {
	all, err := v.layers.Reading()
	if err != nil {
		return err
	}
	list, err := inject.Recorded(all, v.r.URL.Query().Get("conversation"), 0)
	if err != nil {
		return err
	}
	costs := costsOf(list)
	slices.Reverse(list)
	return v.show("told", "What agents were told", toldData{
		newChart("told", "Tokens told", "tokens", costs.byDay, v.o.Now()), costs.clients(),
		costs.projects(), list[:min(len(list), maxTold)], len(list)})
}

// checks returns what doctor says of the stores in use, and of the machine.
func (v *visit) checks() (list []doctor.Check) {
	for _, sh := range v.used() {
		for _, c := range doctor.Diagnose(sh.Root, mem.Options{Now: v.o.Now}) {
			c.Layer = sh.Title
			list = append(list, c)
		}
	}
	if v.o.Health != nil {
		list = append(list, v.o.Health(v.ctx())...)
	}
	return list
}

// healthData is what doctor says, and which stores there are.
type healthData struct {
	Checks []doctor.Check
	Stores []*shelf
}

func health(v *visit) error {
	return v.show("health", "Health", healthData{v.checks(), v.shelves})
}
