package inject_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/readout"
)

// claim claims an injection under a mark, and returns its keys.
func (f *fixture) claim(in *inject.Injection, mark string) string {
	in.Claim = mark
	inject.Claim(f.Store.Store, in)
	return keysIn(*in)
}

// Of hooks that chose at the same time, the one with the first line in the record delivers a
// memory; the others deliver the rest.
func TestClaims(t *testing.T) { onEach(t, testClaims) }

func testClaims(t *testing.T, f *fixture) {
	f.Put("/port", port)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	first := f.choose(prompt)
	f.Put("/port2", `{"text":"The replica of the PostgreSQL database has port 5444"}`)
	second, third := f.choose(prompt), f.choose(prompt)
	for i, c := range []struct {
		in   *inject.Injection
		want string
	}{{&first, "/port"}, {&second, "/port2"}, {&third, ""}} {
		text := c.in.Text
		if got := f.claim(c.in, fmt.Sprint("mark ", i)); got != c.want {
			t.Errorf("hook %d delivers %q, want %q", i, got, c.want)
		}
		if c.want == "" != (c.in.Text == "") || c.in.Tokens > 0 != (c.want != "") ||
			i == 0 && c.in.Text != text || strings.Contains(c.in.Text,
			"5432") != (c.want == "/port") {
			t.Errorf("hook %d: %d tokens, %q", i, c.in.Tokens, c.in.Text)
		}
	}
	list, err := inject.Recorded(f.Store.Store, "c", 0)
	if err != nil || len(list) != 3 || keysIn(list[0]) != "/port" || keysIn(list[1]) != "/port2" ||
		keysIn(list[2]) != "" || list[1].Tokens != second.Tokens {
		t.Errorf("recorded %+v, %v", list, err)
	}
	if in := f.choose(prompt); in.Text != "" {
		t.Errorf("delivered again: %q", in.Text)
	}
	prompt.Conversation = "d"
	if in := f.choose(prompt); f.claim(&in, "d") != "/port /port2" {
		t.Errorf("another conversation: %q", in.Text)
	}
}

// A conversation in which an edit brought nothing new is answered as any other.
func TestClaimAfterAnEdit(t *testing.T) { onEach(t, testClaimAfterEdit) }

func testClaimAfterEdit(t *testing.T, f *fixture) {
	f.Put("/path", `{"text":"web/cart/price.ts rounds half to even"}`)
	for _, o := range []inject.Options{{Trigger: inject.AtStart}, {Trigger: inject.AtEdit,
		Files: []string{"/p/web/cart/price.ts"}, Root: "/p"}} {
		in := f.choose(o)
		f.claim(&in, string(o.Trigger))
	}
	f.Put("/port", port)
	in := f.choose(inject.Options{Trigger: inject.AtPrompt, Message: askPort})
	if got := f.claim(&in, "prompt"); got != "/port" {
		t.Errorf("it gets %q", got)
	}
}

// An answer that was missed after its claim brought nothing, whichever line came first.
func TestClaimOfAMissedAnswer(t *testing.T) { onEach(t, testMissedClaim) }

func testMissedClaim(t *testing.T, f *fixture) {
	f.Put("/port", port)
	f.Put("/deploys", deploys)
	missed := inject.Injection{Client: "test", Conversation: "c", Trigger: inject.AtStart,
		Missed: "no answer in time"}
	inject.Record(f.Store.Store, missed)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	for i, when := range []string{"before the claim", "after the claim", "never"} {
		mark := fmt.Sprint("mark ", i)
		in := f.choose(prompt)
		if in.Start == nil {
			t.Fatalf("missed %s: no start in %+v", when, in)
		}
		in.Start.Claim = mark
		missed.Claim, missed.Trigger = mark, inject.AtPrompt
		if when == "before the claim" {
			inject.Record(f.Store.Store, missed)
		}
		if got := f.claim(&in, mark); got != "/port" || keysIn(*in.Start) != "/deploys" {
			t.Fatalf("missed %s: %q, start %q", when, got, keysIn(*in.Start))
		}
		if when == "after the claim" {
			inject.Record(f.Store.Store, missed)
		}
	}
	if in := f.choose(prompt); in.Start != nil || in.Text != "" {
		t.Errorf("delivered again: %+v", in)
	}
}

// A start that has lost its context and a sub-agent have nothing of what others deliver, and a
// prompt has what such a start delivers.
func TestClaimsOfStarts(t *testing.T) { onEach(t, testClaimsOfStarts) }

func testClaimsOfStarts(t *testing.T, f *fixture) {
	f.Put("/port", port)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	before, after := f.choose(prompt), f.choose(prompt)
	lost := f.choose(inject.Options{Trigger: inject.AtStart, Retained: inject.RetainedNothing})
	for _, c := range []struct {
		mark string
		in   *inject.Injection
		want string
	}{{"before", &before, "/port"}, {"lost", &lost, "/port"}, {"after", &after, ""}} {
		if got := f.claim(c.in, c.mark); got != c.want {
			t.Errorf("%s: %q", c.mark, got)
		}
	}
	for _, mark := range []string{"x", "y"} {
		in := f.choose(inject.Options{Trigger: inject.AtSubagent})
		if f.claim(&in, mark) != "/port" {
			t.Errorf("sub-agent %s: %q", mark, in.Text)
		}
	}
}

// The page of an agent is claimed as a memory is, and a rule that another hook delivers is not one
// that had no room.
func TestClaimOfAPage(t *testing.T) { onEach(t, testPageClaim) }

func testPageClaim(t *testing.T, f *fixture) {
	f.keep("ada", journal.Core, "port of ada")
	f.Put("/rule", `{"text":"Answer in French","type":"preference"}`)
	f.Put("/port", port)
	start := inject.Options{Trigger: inject.AtStart, Client: "test", Conversation: "c",
		Personal: f.Store.Store, Block: readout.Block{Most: 9_000}}
	choose := func() inject.Injection {
		in, err := inject.Choose(context.Background(), f.Store.Store, mem.Caller{Agent: "ada"},
			start)
		f.Must(err)
		return in
	}
	one := choose()
	f.Put("/new", deploys)
	two, three := choose(), choose()
	f.claim(&one, "one")
	if got := f.claim(&two, "two"); got != "/new" || two.Own != nil ||
		strings.Contains(two.Text, "port of ada") || strings.Contains(two.Text, "more rule") {
		t.Errorf("the second start delivers %q", two.Text)
	}
	if f.claim(&three, "three"); one.Own == nil || three.Text != "" {
		t.Errorf("the third start delivers %q", three.Text)
	}
}

// Hooks that run at the same time, round after round.
func TestConcurrentClaims(t *testing.T) { onEach(t, testConcurrentClaims) }

func testConcurrentClaims(t *testing.T, f *fixture) {
	f.Put("/port", port)
	for round := range 8 {
		var all sync.WaitGroup
		texts := make([]string, 24)
		for i := range texts {
			all.Go(func() {
				in := f.choose(inject.Options{Trigger: inject.AtPrompt, Message: askPort,
					Conversation: fmt.Sprint("c", round)})
				f.claim(&in, fmt.Sprint(round, "/", i))
				texts[i] = in.Text
			})
		}
		all.Wait()
		if n := strings.Count(strings.Join(texts, ""), "5432"); n != 1 {
			t.Errorf("round %d: delivered %d times", round, n)
		}
	}
}
