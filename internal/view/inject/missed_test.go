package inject_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/inject"
)

// A start that was missed is delivered with the next prompt, beside the answer to that and once; a
// missed prompt is not.
func TestMissedStart(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.Put("/port", port)
		f.Put("/deploys", deploys)
		miss := func(trigger inject.Trigger) {
			inject.Record(f.Store.Store, inject.Injection{Client: "claude-code", Conversation: "c",
				Trigger: trigger, Missed: "no answer in time"})
		}
		prompt := inject.Options{Client: "claude-code", Conversation: "c",
			Trigger: inject.AtPrompt, Message: askPort}
		miss(inject.AtPrompt)
		if in := f.choose(prompt); in.Start != nil || strings.Contains(in.Text, "Tuesday") {
			t.Errorf("after a missed prompt: %q", in.Text)
		}
		miss(inject.AtStart)
		in := f.deliver(prompt)
		if in.Start == nil || keysIn(*in.Start) != "/deploys" || keysIn(in) != "/port" ||
			strings.Count(in.Text, "5432") != 1 || strings.Count(in.Text, "Tuesday") != 1 ||
			!strings.HasPrefix(in.Text, in.Start.Text) || !strings.Contains(in.Text, "mem note") {
			t.Errorf("the prompt after a missed start: %+v", in)
		}
		if in := f.deliver(prompt); in.Start != nil || in.Text != "" {
			t.Errorf("the prompt after that: %+v", in)
		}
		miss(inject.AtStart)
		prompt.Message, prompt.Block.Most = askDeploys, len(in.Start.Text)+len(in.Text)/2
		f.deliver(inject.Options{Client: "claude-code", Conversation: "c", Trigger: inject.AtStart,
			Retained: inject.RetainedNothing})
		if in := f.deliver(prompt); in.Start != nil || in.Text != "" {
			t.Errorf("the prompt after a start that was not missed: %+v", in)
		}
	})
}
