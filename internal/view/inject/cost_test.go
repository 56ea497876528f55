package inject

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/log"
)

func TestBill(t *testing.T) {
	at := func(text string) log.Stamp {
		ts, err := log.ParseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		return ts
	}
	list := []Injection{
		{At: at("2026-02-20T10:00:00Z"), Client: "codex", Project: "shop",
			Conversation: "c1", Tokens: 10},
		{At: at("2026-02-20T23:00:00Z"), Client: "gemini", Conversation: "c1", Tokens: 5},
		{At: at("2026-02-21T10:00:00Z"), Client: "gemini", Project: "shop",
			Conversation: "c2", Tokens: 20},
		{At: at("2026-02-21T11:00:00Z"), Client: "gemini", Project: "shop",
			Conversation: "c2", Tokens: 5},
		{At: at("2026-02-22T10:00:00Z"), Client: "gemini"}, // nothing was told
	}
	for _, c := range []struct {
		by    string
		since string
		zone  *time.Location
		want  string
	}{
		{"day", "", nil, "2026-02-21 25/2/1 2026-02-20 15/2/1"},
		{"day", "", time.FixedZone("east", 2*60*60), "2026-02-21 30/3/1 2026-02-20 10/1/1"},
		{"client", "", nil, "gemini 30/3/2 codex 10/1/1"},
		{"project", "", nil, "shop 35/3/2 5/1/1"},
		{"conversation", "", nil, "gemini c2 25/2/1 codex c1 10/1/1 gemini c1 5/1/1"},
		{"day,client", "", nil,
			"2026-02-21 gemini 25/2/1 2026-02-20 codex 10/1/1 2026-02-20 gemini 5/1/1"},
		{"client", "2026-02-21T10:00:01Z", nil, "gemini 5/1/1"},
		{"client", "2026-02-22T00:00:00Z", nil, ""},
	} {
		by, err := ParseBy(strings.Split(c.by, ","))
		if err != nil {
			t.Fatal(err)
		}
		var since log.Stamp
		if c.since != "" {
			since = at(c.since)
		}
		got := ""
		bill := NewBill(list, since, by, c.zone)
		for _, cost := range bill.Costs {
			got += fmt.Sprintf(" %s %s %s %s %d/%d/%d", cost.Day, cost.Client, cost.Project,
				cost.Conversation, cost.Tokens, cost.Times, cost.Days)
		}
		got = strings.Join(strings.Fields(got), " ")
		if got != c.want || bill.Count != len(bill.Costs) {
			t.Errorf("by %s since %q: %s, want %s", c.by, c.since, got, c.want)
		}
	}
	if _, err := ParseBy([]string{"week"}); !errors.Is(err, mem.ErrInput) {
		t.Error(err)
	}
	if c := (Cost{Tokens: 10, Days: 4}); c.PerDay() != 3 || (&Cost{}).PerDay() != 0 {
		t.Errorf("a day: %d", c.PerDay())
	}
}

// However costs are told apart, their sums are the total.
func TestBillsAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"", "a", "b"})
		list := rapid.SliceOf(rapid.Custom(func(rt *rapid.T) Injection {
			return Injection{At: log.Stamp(rapid.Int64Range(0, 1e12).Draw(rt, "at")),
				Client: name.Draw(rt, "client"), Project: name.Draw(rt, "project"),
				Conversation: name.Draw(rt, "conversation"),
				Tokens:       rapid.IntRange(0, 9).Draw(rt, "tokens")}
		})).Draw(rt, "told")
		for bits := range 16 {
			by := By{bits&1 > 0, bits&2 > 0, bits&4 > 0, bits&8 > 0}
			bill := NewBill(list, 0, by, nil)
			tokens, times := 0, 0
			for i, c := range bill.Costs {
				tokens, times = tokens+c.Tokens, times+c.Times
				if c.Tokens == 0 || i > 0 && compareCosts(&bill.Costs[i-1], &c) >= 0 {
					rt.Fatalf("%+v: %+v", by, bill.Costs)
				}
			}
			if tokens != bill.Total.Tokens || times != bill.Total.Times {
				rt.Fatalf("%+v: %d tokens, %d times, want %+v", by, tokens, times, bill.Total)
			}
		}
	})
}
