package inject_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
)

// The notes of a folder do not fill a block because one of them answers.
func TestFocus(t *testing.T) { onEach(t, testFocus) }

func testFocus(t *testing.T, f *fixture) {
	for i, text := range []string{
		"The staging database listens on port 6543", "Staging is rebuilt every night from main",
		"The database is dumped before each release", "Port numbers are listed in ops/ports.md",
		"Vouchers are rounded down to whole cents", "Coffee is in the kitchen on the third floor",
	} {
		f.Put(fmt.Sprint("/note/", i), fmt.Sprintf(`{"text":%q}`, text))
	}
	f.garden(30)
	for message, want := range map[string]string{
		"which port does the staging database listen on?": "/note/0",
		"which port does the staging database listen on, and how are vouchers rounded to cents?"://
		"/note/0 /note/4",
		// Of the whole message each is too small a part.
		"Which port is it that the staging database listens on these days, please? And how does " +
			"the shop round the vouchers?": "/note/0 /note/4",
		"Where do we get some coffee before the long meeting about nothing at all begins? Please " +
			"write it down for everybody who comes later; thank you.": "",
	} {
		in := f.choose(inject.Options{Trigger: inject.AtPrompt, Message: message})
		if got := keysIn(in); got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

// A memory that a sentence adds takes the place of no reason why another one was left out.
func TestSubjectsKeepReasons(t *testing.T) { onEach(t, testSubjectsKeepReasons) }

func testSubjectsKeepReasons(t *testing.T, f *fixture) {
	for i, text := range []string{"The staging database listens on port 6543",
		"The staging database is dumped every night", "Vouchers are rounded down to whole cents"} {
		f.Put(fmt.Sprint("/note/", i), fmt.Sprintf(`{"text":%q}`, text))
	}
	f.garden(30)
	in := f.choose(inject.Options{Trigger: inject.AtPrompt, Message: "On which port " +
		"does the staging database listen, is it 6543? And what about the vouchers, please?"})
	if keysIn(in) != "/note/0 /note/2" || !strings.Contains(left(in), "/note/1: less relevant") {
		t.Errorf("%q, left %q", keysIn(in), left(in))
	}
}

// A topic that comes again brings no weaker memories, and the record says why each was left out.
func TestAskedAgain(t *testing.T) { onEach(t, testAskedAgain) }

func testAskedAgain(t *testing.T, f *fixture) {
	f.Put("/note/1", `{"text":"The staging database listens on port 6543"}`)
	f.Put("/note/2", `{"text":"Staging is rebuilt every night from main"}`)
	f.garden(30)
	ask := inject.Options{Trigger: inject.AtPrompt,
		Message: "which port does the staging database listen on?"}
	first := f.deliver(ask)
	if got := keysIn(first); got != "/note/1" || !strings.HasPrefix(left(first),
		"/note/2: less relevant than others") {
		t.Errorf("first %q, left %q", got, left(first))
	}
	again := f.deliver(ask)
	if got := keysIn(again); got != "" || !strings.HasPrefix(left(again),
		"/note/1: given before, /note/2: less relevant than others") ||
		again.LeftOut != first.LeftOut+1 {
		t.Errorf("again %q, left %q, %d after %d", got, left(again), again.LeftOut, first.LeftOut)
	}
	f.Clock = f.Clock.Add(time.Minute)
	f.Put("/note/3", `{"text":"Since today the staging database listens on port 6544"}`)
	if got := keysIn(f.deliver(ask)); got != "/note/3" {
		t.Errorf("what is new: %q", got)
	}
}
