package inject

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/set-memory/mem/log"
)

// Spent is what was told of a client or project, in tokens.
type Spent struct {
	Name          string
	Times, Tokens int
	Last          log.Stamp
}

// Costs are what conversations were told, in numbers.
type Costs struct {
	ByDay     map[string]int // tokens
	ByClient  []Spent        // the dearest first
	ByProject []Spent        // likewise
}

// CostsOf adds up what injections have cost. What has no project is of one without a name.
func CostsOf(list []Injection) Costs {
	byDay, byClient, byProject := map[string]int{}, map[string]*Spent{}, map[string]*Spent{}
	for _, in := range list {
		if in.Tokens == 0 {
			continue
		}
		byDay[in.At.Time().Format(time.DateOnly)] += in.Tokens
		addSpent(byClient, in.Client, in)
		addSpent(byProject, in.Project, in)
	}
	return Costs{byDay, dearest(byClient), dearest(byProject)}
}

func addSpent(all map[string]*Spent, name string, in Injection) {
	if all[name] == nil {
		all[name] = &Spent{Name: name}
	}
	s := all[name]
	s.Times++
	s.Tokens += in.Tokens
	s.Last = max(s.Last, in.At)
}

// dearest returns what cost most first.
func dearest(all map[string]*Spent) (list []Spent) {
	for _, s := range slices.SortedFunc(maps.Values(all), func(a, b *Spent) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Name, b.Name))
	}) {
		list = append(list, *s)
	}
	return list
}
