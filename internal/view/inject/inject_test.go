package inject_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/readout"
)

// fixture is a store under test that conversations are told from.
type fixture struct{ *storetest.Store }

// onEach runs a test on a store of files and on one in memory.
func onEach(t *testing.T, test func(*testing.T, *fixture)) {
	t.Parallel()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, &fixture{s}) })
}

// choose returns what the conversation "c" is told.
func (f *fixture) choose(o inject.Options) inject.Injection {
	f.T.Helper()
	if o.Conversation == "" {
		o.Conversation = "c"
	}
	if o.Block.Most == 0 {
		o.Block.Most = 10_000
	}
	o.Client = cmp.Or(o.Client, "test")
	in, err := inject.Choose(context.Background(), f.Store.Store, mem.Caller{}, o)
	f.Must(err)
	return in
}

// deliver is choose, and records that it has arrived.
func (f *fixture) deliver(o inject.Options) inject.Injection {
	f.T.Helper()
	in := f.choose(o)
	if in.Text != "" || o.Retained != inject.RetainedAll {
		inject.Record(f.Store.Store, in)
	}
	return in
}

// keysIn returns the keys of an injection, sorted.
func keysIn(in inject.Injection) string {
	var keys []string
	for _, m := range in.Memories {
		keys = append(keys, m.Key)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// left returns what an injection names as left out, and why.
func left(in inject.Injection) string {
	var list []string
	for _, l := range in.Left {
		list = append(list, l.Key+": "+l.Why)
	}
	return strings.Join(list, ", ")
}

const (
	port    = `{"text":"The database is PostgreSQL on port 5432"}`
	deploys = `{"text":"Deploys run on Tuesday, never on Friday"}`

	askPort    = "which port has the PostgreSQL database?"
	askDeploys = "on which day do deploys run?"
)

// A conversation is told each thing once, as long as it has it.
func TestConversation(t *testing.T) { onEach(t, testConversation) }

func testConversation(t *testing.T, f *fixture) {
	f.Put("/port", port)
	f.Put("/deploys", deploys)
	start, prompt := inject.AtStart, inject.AtPrompt
	for _, step := range []struct {
		name string
		o    inject.Options
		want string
	}{
		{"a prompt", inject.Options{Trigger: prompt, Message: askPort}, "/port"},
		{"the same again", inject.Options{Trigger: prompt, Message: askPort}, ""},
		{"a start brings the rest", inject.Options{Trigger: start}, "/deploys"},
		{"a second start nothing", inject.Options{Trigger: start}, ""},
		{"nor a prompt", inject.Options{Trigger: prompt, Message: askDeploys}, ""},
		{"another conversation", inject.Options{
			Trigger: prompt, Message: askPort, Conversation: "d",
		}, "/port"},
		{"a sub-agent has nothing", inject.Options{Trigger: inject.AtSubagent}, "/deploys /port"},
		{"and again", inject.Options{Trigger: inject.AtSubagent}, "/deploys /port"},
		{"what it was told is not the conversation's", inject.Options{Trigger: start}, ""},
		{"resumed with all it had", inject.Options{Trigger: start}, ""},
		{"resumed with nothing", inject.Options{
			Trigger: start, Retained: inject.RetainedNothing,
		}, "/deploys /port"},
		{"now it has them", inject.Options{Trigger: prompt, Message: askPort}, ""},
		{"resumed, and nobody knows", inject.Options{
			Trigger: start, Retained: inject.RetainedUnknown,
		}, "/deploys /port"},
		{"so it may not have them", inject.Options{Trigger: prompt, Message: askPort}, "/port"},
	} {
		in := f.deliver(step.o)
		if got := keysIn(in); got != step.want || (in.Text == "") != (step.want == "") {
			t.Errorf("%s: %q, want %q: %s", step.name, got, step.want, in.Text)
		}
	}
	f.Clock = f.Clock.Add(time.Minute)
	f.Put("/port", `{"text":"The database is PostgreSQL on port 6543"}`)
	in := f.deliver(inject.Options{Trigger: prompt, Message: askPort})
	if !strings.Contains(in.Text, "6543") {
		t.Errorf("a changed memory: %+v", in)
	}
}

// garden stores memories that are much alike.
func (f *fixture) garden(n int) {
	f.T.Helper()
	for i := range n {
		f.Put(fmt.Sprint("/garden/", i), fmt.Sprintf(`{"text":"fact number %d of the garden"}`, i))
	}
}

// Rather nothing than noise: what is not clearly relevant to a message is named, and left out.
func TestFloor(t *testing.T) { onEach(t, testFloor) }

func testFloor(t *testing.T, f *fixture) {
	f.Put("/port", port)
	f.Put("/deploys", deploys)
	f.Put("/kitchen", `{"text":"Coffee is in the kitchen on the third floor"}`)
	f.garden(30)
	for message, want := range map[string]string{
		"":          "",
		"ok, go on": "",
		"牙科":        "",
		askPort:     "/port",
		askPort + " " + "and where is the coffee in the kitchen?": "/kitchen /port",
		strings.Repeat("x ", 5000) + askDeploys:                   "/deploys",
		askDeploys + strings.Repeat(" pasted", 2000):              "/deploys",
		"what number has which fact of the garden?":               "",
	} {
		in := f.choose(inject.Options{Trigger: inject.AtPrompt, Message: message})
		if got := keysIn(in); got != want {
			t.Errorf("%.60q brings %q, want %q (left: %s)", message, got, want, left(in))
		}
		noise := strings.Count(left(in), "not relevant enough")
		if strings.HasPrefix(message, "what") && noise != 5 {
			t.Errorf("%.60q leaves %q", message, left(in))
		}
	}
}

// What an injection costs stays within what is configured for its trigger, and what has no room is
// counted.
func TestLimits(t *testing.T) { onEach(t, testLimits) }

func testLimits(t *testing.T, f *fixture) {
	f.garden(24)
	for i := range 6 {
		f.Put(fmt.Sprint("/port/", i), fmt.Sprintf(`{"text":"The database port of server %d is %d%s"}`,
			i, 5000+i, strings.Repeat(", as of now", 12)))
	}
	limits := map[inject.Trigger]int{
		inject.AtStart: 200, inject.AtPrompt: 120, inject.AtSubagent: 0,
	}
	f.Configure(`{"inject":{"start_tokens":200,"prompt_tokens":120,"subagent_tokens":0}}`)
	for trigger, limit := range limits {
		in := f.choose(inject.Options{Trigger: trigger, Message: "database port of a server"})
		if in.Tokens > limit || (in.Text == "") != (limit == 0) || len(in.Left) > 5 {
			t.Errorf("%s: %d tokens, at most %d: %+v", trigger, in.Tokens, limit, in)
		}
		if trigger == inject.AtStart && len(in.Memories)+in.LeftOut != 30 {
			t.Errorf("%d told and %d left out of 30", len(in.Memories), in.LeftOut)
		}
	}
	f.Configure(`{}`)
	all := f.choose(inject.Options{Trigger: inject.AtStart})
	most := len(all.Text) / 2
	cut := f.choose(inject.Options{Trigger: inject.AtStart, Block: readout.Block{Most: most}})
	if len(cut.Text) > most || len(cut.Memories) == 0 || !strings.Contains(left(cut), "no room") {
		t.Errorf("in %d bytes: %+v", most, cut)
	}
	if len(cut.Memories)+cut.LeftOut != 30 || len(all.Memories) != 30 {
		t.Errorf("told %d, left out %d; told %d", len(cut.Memories), cut.LeftOut, len(all.Memories))
	}
}

// What is quarantined or expired is never told, and with injections off nothing is.
func TestWhatIsNeverTold(t *testing.T) { onEach(t, testWhatIsNeverTold) }

func testWhatIsNeverTold(t *testing.T, f *fixture) {
	f.Import("/untrusted/kb/port", port)
	f.Put("/old", `{"text":"The database port","expired_at":"2026-02-22T11:00:00Z"}`)
	triggers := []inject.Trigger{inject.AtStart, inject.AtPrompt, inject.AtSubagent}
	for _, trigger := range triggers {
		if in := f.choose(inject.Options{Trigger: trigger, Message: askPort}); in.Text != "" {
			t.Errorf("%s: %s", trigger, in.Text)
		}
	}
	f.Put("/port", port)
	for mode, told := range map[string]string{
		"relevant": "start prompt subagent ", "recent_only": "start subagent ", "off": "",
	} {
		f.Configure(`{"memory":{"inject_mode":"` + mode + `"}}`)
		got := ""
		for _, trigger := range triggers {
			if in := f.choose(inject.Options{Trigger: trigger, Message: askPort}); in.Text != "" {
				got += string(trigger) + " "
			}
		}
		if got != told {
			t.Errorf("%s: told at %q, want %q", mode, got, told)
		}
	}
}

// A choice writes nothing; only what arrived is recorded, by conversation, with keys and no texts.
func TestRecord(t *testing.T) { onEach(t, testRecord) }

func testRecord(t *testing.T, f *fixture) {
	if in := f.choose(inject.Options{Trigger: inject.AtStart}); in.Text != "" || f.Made() {
		t.Errorf("without a store: %+v, it was made: %v", in, f.Made())
	}
	f.Put("/port", port)
	before := f.Logged()
	f.choose(inject.Options{Trigger: inject.AtStart})
	if list, err := inject.Recorded(f.Store.Store, "", 0); err != nil || len(list) > 0 {
		t.Errorf("recorded before it arrived: %v (%v)", list, err)
	}
	for _, conversation := range []string{"c", "d", "e"} {
		f.deliver(inject.Options{Trigger: inject.AtStart, Conversation: conversation})
	}
	f.Journal("injections.jsonl").Append([]byte("{\"half\n"), 1<<20)
	for _, c := range []struct {
		conversation string
		limit        int
		want         string
	}{{"", 0, "c d e"}, {"", 2, "d e"}, {"d", 0, "d"}, {"none", 0, ""}} {
		list, err := inject.Recorded(f.Store.Store, c.conversation, c.limit)
		f.Must(err)
		var got []string
		for _, in := range list {
			got = append(got, in.Conversation)
			if keysIn(in) != "/port" || in.Tokens == 0 || in.Text != "" {
				t.Errorf("recorded %+v", in)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q, at most %d: %v, want %s", c.conversation, c.limit, got, c.want)
		}
	}
	text, err := f.Journal("injections.jsonl").Read(1 << 20)
	if f.Must(err); strings.Contains(string(text), "PostgreSQL") || f.Logged() != before {
		t.Errorf("a text is recorded, or the log was written: %s", text)
	}
}

// In the mode recent_only a prompt brings the newest notes, whatever it says, as many as the
// configuration lets be, and each once.
func TestNewestNotesAtPrompts(t *testing.T) { onEach(t, testNewestNotesAtPrompts) }

func testNewestNotesAtPrompts(t *testing.T, f *fixture) {
	f.Configure(`{"memory":{"inject_mode":"recent_only","max_inject_count":2,` +
		`"max_inject_chars":60}}`)
	prompt := inject.Options{Trigger: inject.AtPrompt, Message: askPort}
	if in := f.choose(prompt); in.Text != "" {
		t.Errorf("without notes: %s", in.Text)
	}
	add := func(text string) {
		f.T.Helper()
		f.Clock = f.Clock.Add(time.Minute)
		_, err := note.Add(context.Background(), f.Store.Store, mem.Caller{}, text, note.Options{})
		f.Must(err)
	}
	f.Put("/port", port) // no note, however well it fits
	add("the first fact")
	add("the second fact")
	add(strings.Repeat("too long to be one ", 4))
	add("the fourth fact")
	in := f.deliver(prompt)
	fourth := strings.Index(in.Text, "(m-4, 22 Feb) the fourth fact\n")
	second := strings.Index(in.Text, "(m-2, 22 Feb) the second fact\n")
	if keysIn(in) != "/note/workspace/m-2 /note/workspace/m-4" || fourth < 0 || second < fourth {
		t.Errorf("the newest first: %s in %q", keysIn(in), in.Text)
	}
	if in := f.deliver(prompt); in.Text != "" || left(in) != "/note/workspace/m-4: given before, "+
		"/note/workspace/m-2: given before" {
		t.Errorf("the same again: %q, left %s", in.Text, left(in))
	}
	add("the fifth fact")
	if in := f.deliver(prompt); keysIn(in) != "/note/workspace/m-5" {
		t.Errorf("what is new: %s", keysIn(in))
	}
	f.Configure(`{"memory":{"inject_mode":"recent_only"},"inject":{"prompt_tokens":60}}`)
	prompt.Conversation = "d"
	want := "/note/workspace/m-4 /note/workspace/m-5"
	if in := f.choose(prompt); in.Tokens > 60 || keysIn(in) != want ||
		!strings.HasPrefix(left(in), "/note/workspace/m-3: no room, ") {
		t.Errorf("%d tokens: %s, left %s", in.Tokens, keysIn(in), left(in))
	}
}
