package page

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// group is how many memories there are of a namespace or an author, and how old they are.
type group struct {
	Name           string
	Count          int
	Oldest, Newest log.Stamp // of the times of the memories
}

func (g *group) add(at log.Stamp) {
	if g.Count == 0 {
		g.Oldest, g.Newest = at, at
	}
	g.Count++
	g.Oldest, g.Newest = min(g.Oldest, at), max(g.Newest, at)
}

func (g *group) merge(o group) {
	if g.Count == 0 {
		g.Oldest, g.Newest = o.Oldest, o.Newest
	}
	g.Count += o.Count
	g.Oldest, g.Newest = min(g.Oldest, o.Oldest), max(g.Newest, o.Newest)
}

// days is how many days a timeline shows.
const days = 30

// tally is a store in numbers.
type tally struct {
	All                         group // what a read may see
	Expired, Untrusted, Private int
	Namespaces, Authors         map[string]*group
	Written                     map[string]int // by day
}

func newTally() *tally {
	return &tally{Namespaces: map[string]*group{}, Authors: map[string]*group{},
		Written: map[string]int{}}
}

// count counts a store.
func count(ctx context.Context, s *mem.Store, c mem.Caller) (*tally, error) {
	t, now := newTally(), log.StampOf(s.Now())
	since := log.StampOf(s.Now().AddDate(0, 0, -days))
	byDay := map[log.Stamp]int{}
	err := s.List(ctx, c, mem.Filter{Expired: true, All: true}, func(rec log.Record) error {
		switch {
		case rec.Key.Untrusted():
			t.Untrusted++
			return nil
		case !policy.Permits(c, rec.Key):
			t.Private++
			return nil
		case content.Expired(rec.Content, now):
			t.Expired++
			return nil
		}
		at := content.TimeOf(rec.Content, rec.TS)
		t.All.add(at)
		first, _, _ := strings.Cut(rec.Key.String()[1:], "/")
		addTo(t.Namespaces, first, at)
		addTo(t.Authors, author(rec.Source), at)
		if rec.TS >= since {
			byDay[rec.TS/microsecondsADay]++
		}
		return nil
	})
	for at, n := range byDay {
		t.Written[day(at*microsecondsADay)] = n
	}
	return t, err
}

const microsecondsADay = log.Stamp(24 * time.Hour / time.Microsecond)

func addTo(groups map[string]*group, name string, at log.Stamp) {
	g := groups[name]
	if g == nil {
		name = strings.Clone(name)
		g = &group{Name: name}
		groups[name] = g
	}
	g.add(at)
}

// author returns who wrote a memory, by its source: the name of an agent, else the kind.
func author(source []byte) string {
	kind, name := "", ""
	for member, value := range jsontext.RawMembers(source) {
		switch string(member) {
		case "kind":
			kind = jsontext.Unquote(value)
		case "name":
			name = jsontext.Unquote(value)
		}
	}
	switch {
	case kind == "agent" && name != "":
		return name
	case kind == "user":
		return "you"
	}
	return cmp.Or(kind, "unknown")
}

// merge adds another store's numbers.
func (t *tally) merge(o *tally) {
	t.All.merge(o.All)
	t.Expired += o.Expired
	t.Untrusted += o.Untrusted
	t.Private += o.Private
	for into, from := range map[*map[string]*group]map[string]*group{
		&t.Namespaces: o.Namespaces, &t.Authors: o.Authors} {
		for name, g := range from {
			if (*into)[name] == nil {
				(*into)[name] = &group{Name: name}
			}
			(*into)[name].merge(*g)
		}
	}
	for at, n := range o.Written {
		t.Written[at] += n
	}
}

// fullest returns groups, the fullest first, and at most so many.
func fullest(groups map[string]*group, most int) (list []group) {
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), most)]
}

// tallies are what was counted, while it holds.
type tallies struct {
	mu  sync.Mutex
	all map[string]*kept // by root
}

// kept is a count, and of what.
type kept struct {
	mu   sync.Mutex // who counts
	mark string
	at   time.Time
	sums *tally
}

// keptFor is how long a count holds where nothing is written: memories expire.
const keptFor = 10 * time.Minute

// of counts a store, unless that was done and nothing has changed.
func (t *tallies) of(ctx context.Context, sh *shelf, c mem.Caller) (*tally, error) {
	if sh.err != nil {
		return nil, sh.err
	}
	t.mu.Lock()
	if t.all == nil {
		t.all = map[string]*kept{}
	}
	k := t.all[sh.Root]
	if k == nil {
		k = &kept{}
		t.all[sh.Root] = k
	}
	t.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	mark, err := mem.Mark(sh.store) // before it is counted
	if err != nil {
		return nil, err
	}
	now := sh.store.Now()
	if k.sums != nil && mark != "" && mark == k.mark && now.Sub(k.at) < keptFor {
		return k.sums, nil
	}
	sums, err := count(ctx, sh.store, c)
	if err != nil {
		return nil, err
	}
	k.mark, k.at, k.sums = mark, now, sums
	return sums, nil
}
