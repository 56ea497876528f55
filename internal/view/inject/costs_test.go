package inject

import (
	"fmt"
	"testing"

	"github.com/set-memory/mem/log"
)

func TestCosts(t *testing.T) {
	at := func(text string) log.Stamp {
		ts, err := log.ParseTime(text)
		if err != nil {
			t.Fatal(err)
		}
		return ts
	}
	costs := CostsOf([]Injection{
		{At: at("2026-02-20T10:00:00Z"), Client: "codex", Project: "shop", Tokens: 10},
		{At: at("2026-02-20T11:00:00Z"), Client: "gemini", Tokens: 5},
		{At: at("2026-02-21T10:00:00Z"), Client: "gemini", Project: "shop", Tokens: 20},
		{At: at("2026-02-22T10:00:00Z"), Client: "gemini"}, // nothing was told
	})
	list := func(all []Cost) (text string) {
		for _, s := range all {
			text += fmt.Sprintf("%s %dx %d %.10s, ", s.Client+s.Project, s.Times, s.Tokens, s.Last)
		}
		return text
	}
	if fmt.Sprint(costs.ByDay) != "map[2026-02-20:15 2026-02-21:20]" ||
		list(costs.ByClient) != "gemini 2x 25 2026-02-21, codex 1x 10 2026-02-20, " ||
		list(costs.ByProject) != "shop 2x 30 2026-02-21,  1x 5 2026-02-20, " {
		t.Errorf("%v, %s, %s", costs.ByDay, list(costs.ByClient), list(costs.ByProject))
	}
}
