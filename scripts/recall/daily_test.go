package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/scripts/harness"
)

// Two notes in each repository and a rule of the user, from their writing to the table.
func TestMonth(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Date(2026, 10, 1, 9, minute, 0, 0, time.UTC) }
	d := day{
		notes: []dayNote{
			{ID: "u", Repo: "user", TS: at(0), Text: "Never use tabs in  YAML", Type: "rule", Key: "/user/rule/tabs"},
			{ID: "p1", Repo: "pay", TS: at(1), Text: "The ledger of Zanzibar listens on 5433", Tags: []string{"infra"}},
			{ID: "p2", Repo: "pay", TS: at(2), Text: "Amounts are integers"},
			{ID: "s1", Repo: "shop", TS: at(3), Text: "Baskets of Zanzibar are kept on host 4000"},
		},
		prompts: []dayPrompt{
			{ID: "q1", Repo: "pay", Class: "easy", Evidence: []string{"p1"}, Prompt: "where does the zanzibar ledger listen"},
			{ID: "q2", Repo: "shop", Class: "middle", Evidence: []string{"u"}, Prompt: "tabs in yaml?"},
			{ID: "q3", Repo: "pay", Class: "hard", Evidence: []string{"p2"}, Prompt: "floats for money?"},
		},
		off: []dayPrompt{{ID: "o1", Prompt: "why is the sky blue"}},
	}
	mem := testkit.Mem(t)
	for l, want := range map[layout]string{
		inLayers: "layers 100.0 100.0 0.0 66.7 66.7 100.0 0.0 50.0 100.0 0 0",
		apart:    "a store each 100.0 0.0 0.0 33.3 33.3 66.7 0.0 50.0 100.0 0 0",
		inOne:    "all in one 100.0 100.0 0.0 66.7 66.7 100.0 0.0 50.0 100.0 0 3",
	} {
		var out, said strings.Builder
		m := month{day: d, others: []string{"zanzibar ledger", "what a nice day"}, said: &said, found: &said}
		m.measure(mem, l)
		m.print(&out)
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.HasPrefix(got, want+" ") {
			t.Errorf("%s, want %s", got, want)
		}
		if !strings.Contains(said.String(), `miss hard: q3 in pay: "floats for money?" wants [p2]`) {
			t.Errorf("%s: what was missed is %s", l, said.String())
		}
	}
}

// Prompts beside the notes of the month: the note that each injects first, none for those that have
// nothing to do with any. The first five were silent before words for one thing had one
// term.
func TestMonthAnswers(t *testing.T) {
	t.Parallel()
	h := newHome(testkit.Mem(t), inLayers)
	defer h.close()
	readDaily(t).fill(h, inLayers)
	for _, c := range []struct{ repo, want, prompt string }{
		{"pay", "p-admin", "I get a 403 on the admin screens since this morning. How did we get around " +
			"the sign-in during development?"},
		{"shop", "s-memo", "memoize that table, it rerenders all the time"},
		{"shop", "s-cartmerge", "what happens to the basket at login"},
		{"pay", "p-erase", "how do I delete a customer"},
		{"shop", "s-auth", "how long does a signin last"},
		{"pay", "", "把上面那句话翻译成英文"},
		{"shop", "", "What is a B-tree and why do databases use it?"},
		{"pay", "", "whats the difference between a mutex and a rwmutex"},
		{"shop", "", "fix the typo in the headline of the readme"},
		{"pay", "", "Kannst du mir bitte sagen, wie ich das mit dem Auto nach Ulm mache?"},
	} {
		b := h.tell(c.repo, h.begin(), c.prompt)
		first := ""
		if len(b.notes) > 0 {
			first = b.notes[0].ID
		}
		if first != c.want {
			t.Errorf("%s: %q comes first, want %q", c.prompt, first, c.want)
		}
	}
}

// A fact that changed, by each way.
func TestFacts(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 10, day, 9, 0, 0, 0, time.UTC) }
	f := dayFact{ID: "port", Repo: "shop", Key: "/project/port", Prompt: "which port has zanzibar", Texts: []dayNote{
		{TS: at(1), Text: "The port of Zanzibar is 4000"}, {TS: at(2), Text: "Zanzibar has moved to port 4001"},
	}}
	mem := testkit.Mem(t)
	for w, wantOld := range map[way]bool{bySet: false, byReplaces: false, byNote: true} {
		c := measureWay(mem, w, day{facts: []dayFact{f}}, io.Discard)
		if c.told.n != 1 || (c.old.n == 1) != wantOld || c.first.of != 1 {
			t.Errorf("%s: %+v", w, c)
		}
	}
}

func TestChanged(t *testing.T) {
	f := dayFact{ID: "port", Texts: make([]dayNote, 2)}
	for told, want := range map[string]changed{
		"":                  {},
		"port@2":            {first: share{n: 1}, told: share{n: 1}},
		"port@2 x port@1":   {first: share{n: 1}, told: share{n: 1}, old: share{n: 1}},
		"ports@1 port@2":    {told: share{n: 1}},
		"port@1 x port@2":   {told: share{n: 1}, old: share{n: 1}, above: share{n: 1}},
		"other port@1 port": {old: share{n: 1}, above: share{n: 1}},
	} {
		var b block
		for _, id := range strings.Fields(told) {
			b.notes = append(b.notes, dayNote{ID: id})
		}
		var c changed
		isFirst := c.add(f, b)
		for _, s := range []*share{&c.first, &c.told, &c.old, &c.above} {
			s.of = 0
		}
		if c != want || isFirst != (want.first.n == 1) {
			t.Errorf("%q: %+v", told, c)
		}
	}
}

// A block that does not say what its key stands for is not believed.
func TestIdentify(t *testing.T) {
	h := &home{layout: inLayers, known: map[string]dayNote{"pay/k": {ID: "p", Text: "one  two\nthree"}, "user/k": {ID: "u", Text: "four"}}}
	for _, tt := range []struct{ layer, text, want string }{
		{"project", "- (m-1, 3d) one two three", "p"}, {"user", "four", "u"}, {"project", "four", ""},
	} {
		var n dayNote
		err := harness.Try(func() { n = h.identify("pay", recordedMemory{"/k", tt.layer}, tt.text) })
		if (err == nil) != (tt.want != "") || err == nil && n.ID != tt.want {
			t.Errorf("%+v: %s, %v", tt, n.ID, err)
		}
	}
}
