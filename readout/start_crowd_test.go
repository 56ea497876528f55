package readout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
)

// However many memories of one kind there are, a start keeps the facts of other kinds.
func TestStartKeepsFactsBesideACrowd(t *testing.T) {
	t.Parallel()
	crowds := map[string]func(i int) Item{
		"finished tasks": func(i int) Item {
			return ofType(fmt.Sprintf("/x/%05d", i), "task", fmt.Sprint("Step ", i, " (done)"), 1)
		},
		"open tasks": func(i int) Item {
			return ofType(fmt.Sprintf("/x/%05d", i), "task", fmt.Sprint("Step ", i), 1)
		},
		"handoffs": func(i int) Item {
			return ofType(fmt.Sprintf("/x/%05d", i), "handoff", fmt.Sprint("Part ", i), 1)
		},
		"decisions": func(i int) Item {
			return note(fmt.Sprintf("/x/%05d", i), 1, content.Fields{Type: "decision",
				Text: fmt.Sprint("Choice", i, " made", i), Importance: 0.5})
		},
		"what others withhold": func(i int) Item {
			return note(fmt.Sprintf("/other/%05d", i), 1, content.Fields{Type: "decision",
				Text: fmt.Sprint("Choice", i, " made", i), Importance: 1})
		},
	}
	q := Query{Now: now, Limit: 2500, Start: true, Labels: &Labels{},
		Standing: func(it *Item) Standing {
			if it.Key[:3] == "/ot" {
				return Withheld
			}
			return Fact
		}}
	kinds := []string{"convention", "architecture", "environment", ""}
	instructs := "Thing%d must never be%d, only before that"
	for name, one := range crowds {
		for _, n := range []int{300, 660, 5000} {
			var items []Item
			for i := range n {
				items = append(items, one(i))
			}
			for i := range 10 {
				fact := ofType(fmt.Sprintf("/fact/%d", i), kinds[i%len(kinds)],
					fmt.Sprintf(instructs, i, i), 2000)
				fact.Fields.Importance = 0.9
				items = append(items, fact)
			}
			found := 0
			for _, key := range keysOf(fill(q, items)) {
				if key[:3] == "/fa" {
					found++
				}
			}
			if found != 10 {
				t.Errorf("%d %s: %d of 10 facts", n, name, found)
			}
		}
	}
}

// A crowd of one kind is shown whole where it has room.
func TestStartShowsACrowdWithRoom(t *testing.T) {
	t.Parallel()
	var items []Item
	for i := range 110 {
		items = append(items, ofType(fmt.Sprintf("/d/%d", i), "decision", fmt.Sprint("a", i), i))
	}
	if p := fill(Query{Now: now, Limit: 2500, Start: true}, items); len(p.Entries) != 110 {
		t.Errorf("%d of 110 decisions", len(p.Entries))
	}
}

// A repository may give its memories any importance: those of the user keep a quarter of the room.
func TestStartKeepsRoomForTheUser(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "decision", "preference"} {
		q := Query{Now: now, Limit: 2500, Start: true}
		project, user := NewSelector(q), NewSelector(q)
		for i := range 1000 {
			project.Add(note(fmt.Sprintf("/p/%d", i), 1, content.Fields{Type: kind, Importance: 1,
				Text: fmt.Sprint("crowd", i, " says", i)}))
		}
		for i := range 10 {
			user.Add(note(fmt.Sprintf("/u/%d", i), 900, content.Fields{Importance: 0.5,
				Text: fmt.Sprint("mine", i, " holds", i)}))
		}
		own := user.Sorted()
		for i := range own {
			own[i].Layer = userLayer
		}
		page, err := q.Pack(1010, func(yield func(Candidate, error) bool) {
			for _, c := range append(project.Sorted(), own...) {
				if !yield(c, nil) {
					return
				}
			}
		})
		mine := 0
		for _, e := range page.Entries {
			if e.Layer == userLayer {
				mine++
			}
		}
		if err != nil || mine != 10 {
			t.Errorf("%q: %v, %d of 10 facts of the user", kind, err, mine)
		}
	}
}

// Facts of any kind end before the limit, and the lasting ones are among them.
func TestStartEndsFactsEarly(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"", "decision", "rule", "handoff"} {
		for _, text := range []string{"Area%d has thing%d",
			"Thing%d must never be%d before that"} {
			q := Query{Now: now, Limit: 2500, Start: true}
			var items []Item
			for i := range 300 {
				items = append(items, note(fmt.Sprintf("/n/%d", i), i,
					content.Fields{Type: kind, Importance: 0.5, Text: fmt.Sprintf(text, i, i)}))
			}
			items = append(items, note("/old", 5000, content.Fields{Type: "convention",
				Importance: 0.7, Text: "Old, " + strings.Repeat("it must be so. ", 12)}))
			p := fill(q, items)
			if p.Tokens > startMost {
				t.Errorf("%q %s: %d tokens", kind, text, p.Tokens)
			}
			if !slices.Contains(keysOf(p), "/old") {
				t.Errorf("%q %s: without the lasting fact", kind, text)
			}
		}
	}
}

// Neither pinned memories nor tasks are cut for the end of the facts, which have a part even there.
func TestStartCutsNoRules(t *testing.T) {
	t.Parallel()
	q := Query{Now: now, Limit: 2500, Start: true}
	var rules, list []Candidate
	add := func(to *[]Candidate, n int, kind string) {
		for i := range n {
			it := ofType(fmt.Sprintf("/%s/%d", kind, i), kind, strings.ReplaceAll(
				"KindN of zoneN has N thingsN at lakeN and N morethingsN beyond seaN", "N",
				fmt.Sprint(kind, i)), i)
			parts, _ := q.score(&it)
			*to = append(*to, q.NewCandidate(&it, parts))
		}
	}
	add(&rules, 20, "pinned")
	add(&list, 9, "task")
	add(&list, 100, "decision")
	page, err := q.PackPinned(Pinned{Rules: rules}, 129, func(yield func(Candidate, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	})
	count := map[string]int{}
	tokens := 0
	for _, e := range page.Entries {
		count[e.Type]++
		if e.Type == "decision" {
			tokens += e.Tokens
		}
	}
	if err != nil || count["pinned"] != 20 || count["task"] != 9 || page.MorePinned > 0 {
		t.Errorf("%v, %v", err, count)
	}
	if page.Tokens-tokens < startMost || tokens > startLeast || tokens < startLeast/2 {
		t.Errorf("%d tokens before the decisions, which have %d", page.Tokens-tokens, tokens)
	}
}

// However many plain facts there are, a start has at most 1,200 tokens with its frame.
func TestStartOfPlainFactsIsShort(t *testing.T) {
	t.Parallel()
	for _, layered := range []bool{false, true} {
		for n := 10; n <= 120; n += 5 {
			var items []Item
			for i := range n {
				it := note(fmt.Sprintf("/n/%d", i), i, content.Fields{Importance: 0.5,
					Text: strings.ReplaceAll("AreaN of zoneN has N thingsN at lakeN", "N",
						strconv.Itoa(i))})
				if layered && i%3 == 0 {
					it.Layer = userLayer
				}
				items = append(items, it)
			}
			p := fill(Query{Now: now, Limit: 2440, Start: true, Labels: &Labels{}}, items)
			if p.Tokens > 1120 || p.Tokens < 900 && len(p.Entries) < n {
				t.Errorf("%d facts: %d tokens in %d lines", n, p.Tokens, len(p.Entries))
			}
		}
	}
}
