package hook

import (
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
)

// miss runs a hook that misses its deadline: the stores open only when it has passed.
func (f *fixture) miss(event string) {
	f.Helper()
	passed := make(chan struct{})
	h := f.hook
	h.Deadline, h.grace = time.Millisecond, time.Minute
	h.Debug = func(msg string) {
		if msg == inject.TooLate {
			close(passed)
		}
	}
	h.Open = func(string) (*View, error) {
		<-passed
		return &View{Store: f.store}, nil
	}
	var out strings.Builder
	if h.Run(strings.NewReader(event), &out); out.Len() > 0 {
		f.Errorf("%s: answered %s", event, out.String())
	}
}

// An event that was not answered in time is in the record; a start comes with the next prompt.
func TestMissedEvents(t *testing.T) {
	f := newFixture(t, "claude-code", port, deploys)
	for _, event := range []string{start("startup"), askPort, subagentStart} {
		f.miss(event)
	}
	list, err := inject.Recorded(f.store, "", 0)
	if err != nil || len(list) != 3 {
		t.Fatalf("recorded %+v, %v", list, err)
	}
	for i, trigger := range []inject.Trigger{inject.AtStart, inject.AtPrompt, inject.AtSubagent} {
		if in := list[i]; in.Trigger != trigger || in.Missed != inject.TooLate ||
			in.Client != "claude-code" || in.Conversation != "s1" || in.At == 0 {
			t.Errorf("recorded %+v", in)
		}
	}
	got := f.deliver(askPort)
	if strings.Count(got, "5432") != 1 || strings.Count(got, "Tuesday") != 1 {
		t.Errorf("the next prompt delivers %q", got)
	}
	if got := f.deliver(askPort + " "); got != "" {
		t.Errorf("the prompt after that delivers %q", got)
	}
}

// A resumed conversation of Claude Code has the text of its start still, and loses it when it is
// compacted or cleared.
func TestStartOfAResumedConversation(t *testing.T) {
	f := newFixture(t, "claude-code", deploys)
	for _, step := range []struct {
		source string
		want   bool
	}{
		{"startup", true}, {"resume", false}, {"resume", false}, {"compact", true},
		{"resume", false}, {"clear", true}, {"resume", false},
	} {
		if got := f.deliver(start(step.source)); strings.Contains(got, "Tuesday") != step.want {
			t.Errorf("%s: delivered %q", step.source, got)
		}
	}
}

// Stores that do not open in time do not keep the miss out of the record.
func TestStoresThatDoNotOpen(t *testing.T) {
	f := newFixture(t, "claude-code", port)
	f.hook.Deadline, f.hook.grace = 50*time.Millisecond, time.Minute
	f.hook.Open = func(dir string) (*View, error) {
		if dir != noProject {
			select {}
		}
		return &View{Store: f.store}, nil
	}
	var out strings.Builder
	if f.hook.Run(strings.NewReader(askPort), &out); out.Len() > 0 {
		t.Errorf("answered %s", out.String())
	}
	list, err := inject.Recorded(f.store, "s1", 0)
	if err != nil || len(list) != 1 || list[0].Missed != inject.TooLate || list[0].At == 0 ||
		list[0].Trigger != inject.AtPrompt {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

// The time of a hook begins with its process.
func TestTimeBeforeTheHookCounts(t *testing.T) {
	f := newFixture(t, "claude-code", port)
	f.hook.Began = time.Now().Add(-2 * f.hook.Deadline)
	if got := f.deliver(askPort); got != "" {
		t.Errorf("answered %s", got)
	}
}
