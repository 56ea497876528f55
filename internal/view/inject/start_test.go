package inject_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
)

// A memory that the start sums up is not recorded as injected: a prompt injects it.
func TestHeldBackIsInjectedLater(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for i := range 60 {
			f.Clock = f.Clock.Add(time.Minute)
			how := "by waiting"
			if i == 20 {
				how = "by mocking"
			}
			f.Put(fmt.Sprint("/fix/", i),
				fmt.Sprintf(`{"text":"Fixed flaky widget %d %s"}`, i, how))
		}
		f.Configure(`{"inject":{"start_tokens":200}}`)
		o := inject.Options{Client: "test", Conversation: "c", Trigger: inject.AtStart}
		start := f.choose(o)
		inject.Record(f.Store.Store, start)
		if !strings.Contains(start.Text, ` more about fixed flaky widget: mem search "fixed`) ||
			len(start.Memories) != strings.Count(start.Text, "\n(") ||
			start.LeftOut != 60-len(start.Memories) {
			t.Errorf("%d injected, %d left out:\n%s", len(start.Memories), start.LeftOut,
				start.Text)
		}
		o.Trigger, o.Message = inject.AtPrompt, "was widget 20 fixed by mocking?"
		if in := f.choose(o); !strings.Contains(in.Text, "widget 20 by mocking") {
			t.Errorf("at a prompt: %v %s", in.Left, in.Text)
		}
	})
}

// A conversation that is resumed and has its start still gets what was written since, and not the
// memories that the start had no room for.
func TestResumedStartBringsNewMemoriesOnly(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for i := range 120 {
			f.Put(fmt.Sprint("/old/", i), fmt.Sprintf(`{"text":"Zone%d borders area%d"}`, i, i))
		}
		start := func(r inject.Retained) string {
			f.Clock = f.Clock.Add(time.Minute)
			return keysIn(f.deliver(inject.Options{Trigger: inject.AtStart, Retained: r}))
		}
		whole := start(inject.RetainedAll)
		if n := len(strings.Fields(whole)); n == 0 || n == 120 {
			t.Fatalf("the start has %d memories", n)
		}
		if got := start(inject.RetainedAll); got != "" {
			t.Errorf("resumed: %s", got)
		}
		f.Clock = f.Clock.Add(time.Minute)
		f.Put("/new", `{"text":"Coffee is in the kitchen"}`)
		if got := start(inject.RetainedAll); got != "/new" {
			t.Errorf("resumed: %q, want the new memory", got)
		}
		if got := start(inject.RetainedNothing); !strings.Contains(got, "/old/") {
			t.Errorf("compacted: %q", got)
		}
	})
}
