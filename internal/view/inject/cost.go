package inject

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
)

// By says by which members costs are grouped; one conversation is one of a client.
type By struct{ Day, Client, Project, Conversation bool }

// ParseBy returns the By that words name. The error wraps mem.ErrInput where a word is
// none of them.
func ParseBy(words []string) (by By, err error) {
	for _, word := range words {
		switch word {
		case "day":
			by.Day = true
		case "client":
			by.Client = true
		case "project":
			by.Project = true
		case "conversation":
			by.Client, by.Conversation = true, true
		default:
			return by, fmt.Errorf("by %q: %w: want day, client, project or conversation", word,
				mem.ErrInput)
		}
	}
	return by, nil
}

// Group identifies the injections that one Cost adds up. A member is "" where costs are not grouped
// by it, or where the record lacks it. Old records have no project.
type Group struct {
	Day          string `json:"day,omitempty"` // like 2026-02-22
	Client       string `json:"client,omitempty"`
	Project      string `json:"project,omitempty"`
	Conversation string `json:"conversation,omitempty"`
}

// Cost is the cost of the injections of a group.
type Cost struct {
	Group
	Tokens int       `json:"tokens"` // by the estimate
	Times  int       `json:"times"`
	Days   int       `json:"days"` // with an injection
	Last   log.Stamp `json:"last,omitempty"`

	days map[string]bool
}

// PerDay returns the mean number of tokens of the days with an injection.
func (c *Cost) PerDay() int { return (c.Tokens + c.Days/2) / max(c.Days, 1) }

func (c *Cost) add(in Injection, day string) {
	if c.days == nil {
		c.days = map[string]bool{}
	}
	c.days[day] = true
	c.Times++
	c.Tokens += in.Tokens
	c.Days, c.Last = len(c.days), max(c.Last, in.At)
}

// Bill sums up injections in numbers, without keys and texts.
type Bill struct {
	Count int       `json:"count"` // of costs
	Total Cost      `json:"total"`
	Since log.Stamp `json:"since,omitempty"` // the first that counts; 0 for none
	Costs []Cost    `json:"costs"`           // the newest day first, then the dearest
}

// maxTokens is more than any injection costs.
const maxTokens = 1 << 20

// NewBill adds up what injections have cost since a time, grouped by by. Days are
// those of a zone; nil is UTC.
func NewBill(list []Injection, since log.Stamp, by By, zone *time.Location) Bill {
	if zone == nil {
		zone = time.UTC
	}
	b, groups := Bill{Costs: []Cost{}}, map[Group]*Cost{}
	for _, in := range list {
		if in.Tokens <= 0 || in.Tokens > maxTokens || in.At < since { // more is damage
			continue
		}
		if b.Since == 0 || in.At < b.Since {
			b.Since = in.At
		}
		day := in.At.Time().In(zone).Format(time.DateOnly)
		g := by.group(in, day)
		if groups[g] == nil {
			groups[g] = &Cost{Group: g}
		}
		groups[g].add(in, day)
		b.Total.add(in, day)
	}
	for _, c := range slices.SortedFunc(maps.Values(groups), compareCosts) {
		b.Costs = append(b.Costs, *c)
	}
	b.Count = len(b.Costs)
	return b
}

func (by By) group(in Injection, day string) (g Group) {
	if by.Day {
		g.Day = day
	}
	if by.Client {
		g.Client = in.Client
	}
	if by.Project {
		g.Project = in.Project
	}
	if by.Conversation {
		g.Conversation = in.Conversation
	}
	return g
}

func compareCosts(a, b *Cost) int {
	return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(b.Tokens, a.Tokens),
		cmp.Compare(a.Client, b.Client), cmp.Compare(a.Project, b.Project),
		cmp.Compare(a.Conversation, b.Conversation))
}

// Costs are the sums that the page shows.
type Costs struct {
	ByDay     map[string]int // tokens
	ByClient  []Cost         // the dearest first
	ByProject []Cost         // likewise; of injections without a project one without a name
}

// CostsOf adds up what injections have cost, by the days of UTC.
func CostsOf(list []Injection) Costs {
	c := Costs{ByDay: map[string]int{}}
	for _, day := range NewBill(list, 0, By{Day: true}, nil).Costs {
		c.ByDay[day.Day] = day.Tokens
	}
	c.ByClient = NewBill(list, 0, By{Client: true}, nil).Costs
	c.ByProject = NewBill(list, 0, By{Project: true}, nil).Costs
	return c
}
