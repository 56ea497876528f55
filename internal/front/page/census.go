package page

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
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

const days = 30

type sums struct {
	All                         group // what a read may see
	Expired, Untrusted, Private int
	Namespaces, Authors         map[string]*group
	Written                     map[string]int // by day
}

func newSums() *sums {
	return &sums{Namespaces: map[string]*group{}, Authors: map[string]*group{},
		Written: map[string]int{}}
}

// countStore counts a store: all of it is read.
func countStore(ctx context.Context, s *mem.Store, c mem.Caller) (*sums, error) {
	t, now := newSums(), log.StampOf(s.Now())
	since := log.StampOf(s.Now().AddDate(0, 0, -days))
	byDay := map[log.Stamp]int{}
	err := s.List(ctx, c, mem.Filter{Expired: true, All: true}, func(rec log.Record) error {
		switch {
		case policy.IsProposal(rec.Key):
			return nil
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
		addTo(t.Authors, content.AuthorName(rec.Source), at)
		if rec.TS >= since {
			byDay[rec.TS/log.Day]++
		}
		return nil
	})
	for at, n := range byDay {
		t.Written[(at * log.Day).Time().Format(time.DateOnly)] = n
	}
	return t, err
}

func addTo(groups map[string]*group, name string, at log.Stamp) {
	g := groups[name]
	if g == nil {
		name = strings.Clone(name)
		g = &group{Name: name}
		groups[name] = g
	}
	g.add(at)
}

// add adds another store's numbers.
func (t *sums) add(o *sums) {
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

// countBelow counts what lies below each next segment after a prefix, by the name of that segment.
func countBelow(ctx context.Context, s *mem.Store, c mem.Caller, prefix keypath.Prefix) (
	map[string]int, error) {
	counts, at := map[string]int{}, strings.TrimSuffix(prefix.String(), "/")+"/"
	err := s.List(ctx, c, mem.Filter{Prefix: prefix}, func(rec log.Record) error {
		name, _, deeper := strings.Cut(strings.TrimPrefix(rec.Key.String(), at), "/")
		if deeper && name != "" && !policy.IsProposal(rec.Key) {
			counts[strings.Clone(name)]++
		}
		return nil
	})
	return counts, err
}
