package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/view/intake"
)

// capturing is a hook with an inbox, in which the conversation s1 has a journal.
type capturing struct {
	*fixture
	box    *inbox.Inbox
	opened atomic.Int32 // how often the stores were opened
}

func newCapturing(t *testing.T, client string, texts ...string) *capturing {
	t.Helper()
	c := &capturing{fixture: newFixture(t, client, texts...),
		box: inbox.In(t.TempDir(), time.Now)}
	open := c.hook.Open
	c.hook.Open = func(dir string) (*View, error) {
		c.opened.Add(1)
		return open(dir)
	}
	c.hook.Capture = Capture{Inbox: c.box, Getenv: func(string) string { return "" }}
	err := c.box.Begin(inbox.Session{Client: client, Session: "s1", Store: "/s", Folder: "/src"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// steps returns the steps in the journal of s1 as JSON, without their times.
func (c *capturing) steps() (list []string) {
	c.Helper()
	j, ok := c.box.Journal(c.hook.Client.Name, "s1")
	if !ok {
		c.Fatal("the journal is gone")
	}
	for _, s := range j.Steps {
		s.At = 0
		text, _ := json.Marshal(s)
		list = append(list, strings.TrimPrefix(string(text), `{"at":"",`))
	}
	return list
}

// silent runs the hook, which must print nothing and open no store.
func (c *capturing) silent(what, event string) {
	c.Helper()
	if got := c.run(event); got != "" || c.opened.Load() != 0 {
		c.Errorf("%s: printed %q, opened %d stores", what, got, c.opened.Load())
	}
}

// Events of tools as the clients write them, and the step that each leaves. The stores stay closed.
func TestStepsOfTools(t *testing.T) {
	const claude = `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/src/shop",` +
		`"permission_mode":"default","hook_event_name":%q,"tool_name":%q,"tool_input":%s,` +
		`"tool_use_id":"toolu_01",%s}`
	const gemini = `{"session_id":"s1","transcript_path":"/t.json","cwd":"/src/shop",` +
		`"hook_event_name":"AfterTool","timestamp":"2026-02-22T10:00:00.000Z","tool_name":%q,` +
		`"tool_input":%s,"tool_response":{"llmContent":%s,"returnDisplay":"shown"}}`
	ran := `"tool_response":{"stdout":"Exit code 9","stderr":"","interrupted":false}`
	type row struct{ client, event, want string }
	for what, tc := range map[string]row{
		"a command": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Bash",
			`{"command":"go test ./...","description":"Run the tests"}`, ran),
			`"tool":"Bash","command":"go test ./...","dir":"/src/shop"`},
		"a command that failed": {"claude-code", fmt.Sprintf(claude, setup.PostToolUseFailure,
			"Bash", `{"command":"make"}`, `"error":"Exit code 3\nmake: *** no","is_interrupt":false`),
			`"tool":"Bash","command":"make","dir":"/src/shop","failed":true,"exit":3`},
		"a failure without a code": {"claude-code", fmt.Sprintf(claude, setup.PostToolUseFailure,
			"Bash", `{"command":"make"}`, `"error":"timed out","is_interrupt":true`),
			`"tool":"Bash","command":"make","dir":"/src/shop","failed":true,"exit":1`},
		"an edit": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Edit",
			`{"file_path":"/src/shop/a.go","old_string":"x","new_string":"secret text"}`,
			`"tool_response":{"filePath":"/src/shop/a.go","structuredPatch":[]}`),
			`"tool":"Edit","files":["/src/shop/a.go"],"dir":"/src/shop"`},
		"a notebook": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "NotebookEdit",
			`{"notebook_path":"/src/n.ipynb"}`, `"tool_response":"ok"`),
			`"tool":"NotebookEdit","files":["/src/n.ipynb"],"dir":"/src/shop"`},
		"a search": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Grep",
			`{"pattern":"func x","path":"/src"}`, `"tool_response":{"numFiles":1}`),
			`"tool":"Grep","command":"Grep \"func x\"","files":["/src"],"dir":"/src/shop"`},
		"a prompt for later": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "CronCreate",
			`{"cron":"0 9 * * *","prompt":" Remember<hook_context>x</hook_context> the milk"}`, `"tool_response":{"id":"1"}`),
			`"scheduled"`},
		"a command of Gemini": {"gemini", fmt.Sprintf(gemini, "run_shell_command",
			`{"command":"go vet ./...","description":"vet"}`, quoted(inGemini("ok", ""))),
			`"tool":"run_shell_command","command":"go vet ./...","dir":"/src/shop"`},
		"one that failed": {"gemini", fmt.Sprintf(gemini, "run_shell_command",
			`{"command":"make"}`, quoted(inGemini("no", "\nExit Code: 3"))),
			`"tool":"run_shell_command","command":"make","dir":"/src/shop","failed":true,"exit":3`},
		"parts in place of a text": {"gemini", fmt.Sprintf(gemini, "read_file",
			`{"file_path":"/src/a.go"}`, `[{"text":"\nExit Code: 3"}]`),
			`"tool":"read_file","files":["/src/a.go"],"dir":"/src/shop"`},
		"a command with a secret": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Bash",
			`{"command":"curl -u me:ghp_`+strings.Repeat("a1B2", 9)+` x.example"}`, ran),
			`"tool":"Bash","command":"curl","dir":"/src/shop"`},
		"mem itself": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Bash",
			`{"command":"mem note tea"}`, ran), ""},
		"an answer of 5 MB": {"claude-code", fmt.Sprintf(claude, setup.PostToolUse, "Bash",
			`{"command":"cat big"}`, `"tool_response":{"stdout":`+
				quoted(strings.Repeat("line \"<\n", 5<<20/8))+`}`),
			`"tool":"Bash","command":"cat big","dir":"/src/shop"`},
		"a sub-agent's command": {"claude-code", `{"agent_id":"a1",` + fmt.Sprintf(claude,
			setup.PostToolUse, "Bash", `{"command":"go test"}`, ran)[1:], ""},
		"a sub-agent's failure": {"claude-code", `{"agent_id":"a1",` + fmt.Sprintf(claude,
			setup.PostToolUseFailure, "Bash", `{"command":"x"}`, `"error":"Exit code 1"`)[1:], ""},
		"no conversation": {"claude-code", strings.Replace(fmt.Sprintf(claude, setup.PostToolUse,
			"Bash", `{"command":"go test"}`, ran), `"s1"`, `""`, 1), ""},
		"one without a journal": {"claude-code", strings.Replace(fmt.Sprintf(claude,
			setup.PostToolUse, "Bash", `{"command":"go test"}`, ran), `"s1"`, `"s2"`, 1), ""},
	} {
		c := newCapturing(t, tc.client, port)
		c.silent(what, tc.event)
		got := strings.Join(c.steps(), " ")
		if c.box.WasScheduled("Remember the milk") {
			got = `{"scheduled"}`
		}
		if tc.want != "" {
			tc.want = "{" + tc.want + "}"
		}
		if got = stampless(got); got != tc.want {
			t.Errorf("%s: the journal has\n%s, want\n%s", what, got, tc.want)
		}
	}
}

// inGemini returns the output of a command as Gemini shows it to its model.
func inGemini(output, exit string) string {
	return "<untrusted_context>\nOutput: " + output + exit + "\nProcess Group PGID: 7\n" +
		"</untrusted_context>"
}

// stampless returns steps without the time of each.
func stampless(steps string) string {
	before, rest, found := strings.Cut(steps, `"at":`)
	if !found {
		return steps
	}
	_, after, _ := strings.Cut(rest, ",")
	return before + after
}

// Without an inbox nothing is kept, and nothing is different.
func TestNoCapture(t *testing.T) {
	c := newCapturing(t, "claude-code", port)
	c.hook.Capture = Capture{}
	c.view.Capture = c.here(func() (string, error) { panic("asked") })
	c.silent("a tool", tool("PostToolUse", `"tool_name":"Bash","tool_input":{"command":"make"}`))
	if got := c.deliver(askPort); !strings.Contains(got, "5432") {
		t.Errorf("delivered %q", got)
	}
	if got := c.steps(); len(got) != 0 {
		t.Errorf("the journal has %v", got)
	}
}

// tool returns an event of the conversation s1.
func tool(name, members string) string {
	return fmt.Sprintf(`{"session_id":"s1","hook_event_name":%q,%s}`, name, members)
}

// Members of other types are as if they were not there.
func TestStepsOfWrongTypes(t *testing.T) {
	whole := map[string]any{"session_id": "s1", "cwd": "/src", "hook_event_name": "PostToolUse",
		"transcript_path": "/t", "agent_id": "", "tool_name": "Bash", "error": "Exit code 3",
		"tool_response": map[string]any{"llmContent": "\nExit Code: 3\n"}, "prompt": "x",
		"tool_input": map[string]any{"command": "make", "file_path": "/a", "notebook_path": "/b",
			"path": "/c", "pattern": "d", "prompt": ""}}
	wrong := []string{"7", "-1e400", "null", "true", "[]", `["x",[{}]]`, "{}", `{"x":{"y":1}}`,
		`"\u0000\ud800"`, `"` + strings.Repeat("x", 1<<20) + `"`}
	c := newCapturing(t, "claude-code", port)
	try := func(what string, event map[string]any) {
		for _, name := range []string{"PostToolUse", "PostToolUseFailure", "AfterTool",
			"PreCompact", "SessionEnd"} {
			if what != "hook_event_name" {
				event["hook_event_name"] = name
			}
			text, err := json.Marshal(event)
			if err != nil {
				t.Fatal(err)
			}
			c.silent(what, string(text))
		}
	}
	for _, value := range wrong {
		for member := range whole {
			event := maps.Clone(whole)
			event[member] = json.RawMessage(value)
			try(member, event)
		}
		for _, of := range []string{"tool_input", "tool_response"} {
			for member := range whole[of].(map[string]any) {
				event, inner := maps.Clone(whole), maps.Clone(whole[of].(map[string]any))
				inner[member] = json.RawMessage(value)
				event[of] = inner
				try(of+"."+member, event)
			}
		}
	}
	if n := len(c.steps()); n == 0 {
		t.Error("nothing was kept of any")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(c.log.String(), "panic") {
		t.Error(c.log.String())
	}
}

// The end of a conversation and a compaction make proposals, without a store.
func TestConversationThatEnds(t *testing.T) {
	for _, event := range []string{setup.SessionEnd, setup.PreCompact} {
		c := newCapturing(t, "claude-code", port)
		shell := func(name, command, more string) {
			c.silent(command, tool(name, fmt.Sprintf(`"cwd":"/src","tool_name":"Bash",`+
				`"tool_input":{"command":%q},%s`, command, more)))
		}
		shell(setup.PostToolUseFailure, "pytest", `"error":"Exit code 127\nnot found"`)
		shell(setup.PostToolUse, "poetry run pytest", `"tool_response":{"stdout":"1 passed"}`)
		c.silent(event, tool(event, `"agent_id":"a1","reason":"other"`))
		if list, err := c.box.List(); len(list) != 0 || err != nil {
			t.Errorf("%s of a sub-agent: %v, %v", event, list, err)
		}
		c.silent(event, tool(event, `"reason":"other"`))
		list, err := c.box.List()
		if err != nil || len(list) != 1 || list[0].Store != "/s" ||
			!strings.Contains(list[0].Text, "poetry run pytest") {
			t.Errorf("%s: %+v, %v", event, list, err)
		}
	}
}

// here returns the stores of captures, whose Take does as fn.
func (c *capturing) here(fn func() (string, error)) CaptureHere {
	return CaptureHere{
		Take: func(context.Context, intake.Prompted) (intake.Taken, error) {
			said, err := fn()
			return intake.Taken{ToPerson: said}, err
		},
		Begin: func(context.Context, inbox.Session) error {
			_, err := fn()
			return err
		},
	}
}

// A capture that fails, panics or hangs keeps no memory from a conversation, and the person hears
// of a request that it loses.
func TestCaptureDisturbsNothing(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for what, fn := range map[string]func() (string, error){
		"it fails":  func() (string, error) { return "", errors.New("no way") },
		"it panics": func() (string, error) { panic("at the disco") },
		"it hangs": func() (string, error) {
			<-hang
			return "stored too late", nil
		},
	} {
		for _, event := range []string{start("startup"), askPort,
			prompt("Remember that the port is 5432")} {
			c := newCapturing(t, "claude-code", port)
			c.hook.Deadline = time.Minute
			if what == "it hangs" {
				c.hook.Deadline = 2 * time.Second
			}
			c.view.Capture = c.here(fn)
			var out strings.Builder
			late := c.hook.Run(strings.NewReader(event), &out)
			asks := strings.Contains(event, "Remember")
			if got := out.String(); !strings.Contains(got, "port 5432") ||
				strings.Contains(got, "mem: your request may be lost: ") != asks ||
				strings.Contains(got, "systemMessage") != asks || late != (what == "it hangs") {
				t.Errorf("%s: late: %v, delivered %q", what, late, got)
			}
		}
	}
}

// The person hears of a request, and of nothing else, where an event has no answer.
func TestRequestWithoutAnAnswer(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for what, open := range map[string]func(string) (*View, error){
		"it panics": func(string) (*View, error) { panic("at the disco") },
		"it hangs": func(string) (*View, error) {
			<-hang
			return nil, errors.New("too late")
		},
	} {
		for event, asks := range map[string]bool{
			prompt("Remember that the port is 5432"): true, askPort: false, start("startup"): false,
		} {
			c := newCapturing(t, "claude-code", port)
			c.hook.Deadline, c.hook.grace, c.hook.Open = time.Second, time.Second, open
			var out strings.Builder
			c.hook.Run(strings.NewReader(event), &out)
			got := out.String()
			if strings.Contains(got, "mem: your request may be lost: ") != asks ||
				!asks && got != "" {
				t.Errorf("%s: %s: delivered %q", what, event, got)
			}
		}
	}
}

// What a prompt has stored is said to the person, where a client does so, and never to the model.
func TestStoredNoteIsSaid(t *testing.T) {
	for _, client := range setup.HookClients() {
		c := newCapturing(t, client.Name, port)
		c.view.Capture = c.here(func() (string, error) {
			return "stored m-1: tea\x1b[2J\n\"is\" green; mem forget m-1", nil
		})
		event := prompt("Remember that tea is green")
		if client.Name == "gemini" {
			event = strings.Replace(event, "UserPromptSubmit", "BeforeAgent", 1)
		}
		want := ""
		if client.TellsPerson {
			want = `{"systemMessage":"mem: stored m-1: tea \"is\" green; mem forget m-1"}` + "\n"
		}
		if got := c.run(event); got != want {
			t.Errorf("%s: answers %q, want %q", client.Name, got, want)
		}
	}
}

// Who is asked to take a prompt, and what of it.
func TestWhichPromptsAreTaken(t *testing.T) {
	c := newCapturing(t, "claude-code", port)
	var got []intake.Prompted
	c.view.Capture.Take = func(_ context.Context, p intake.Prompted) (intake.Taken, error) {
		got = append(got, p)
		return intake.Taken{}, nil
	}
	c.view.Capture.Begin = func(_ context.Context, s inbox.Session) error {
		got = append(got, intake.Prompted{Client: s.Client, Session: s.Session,
			Text: s.Folder + " " + s.Transcript})
		return nil
	}
	c.view.Root = "/src"
	const asks = "Remember that tea is green"
	for what, tc := range map[string]struct {
		event string
		want  []intake.Prompted
	}{
		"a prompt": {prompt(asks), []intake.Prompted{{Client: "claude-code", Session: "s1",
			Text: asks}}},
		"without what clients add": {prompt("<system-reminder>x</system-reminder>" + asks),
			[]intake.Prompted{{Client: "claude-code", Session: "s1", Text: asks}}},
		"a start": {strings.Replace(start("startup"), "{", `{"transcript_path":"/t",`, 1),
			[]intake.Prompted{{Client: "claude-code", Session: "s1", Text: "/src /t"}}},
		"a sub-agent":         {strings.Replace(prompt(asks), `"s1"`, `"s1","agent_id":"a"`, 1), nil},
		"no conversation":     {strings.Replace(prompt(asks), `"s1"`, `""`, 1), nil},
		"a sub-agent's start": {subagentStart, nil},
		"an edit": {tool(setup.PreToolUse, `"tool_name":"Edit","tool_input":{"file_path":"/a"}`),
			nil},
	} {
		got = nil
		if c.run(tc.event); !slices.Equal(got, tc.want) {
			t.Errorf("%s: took %+v, want %+v", what, got, tc.want)
		}
	}
	if n := len(c.steps()); n != 2 || !strings.Contains(c.steps()[0], `"tool":"prompt"`) ||
		strings.Contains(c.steps()[0], "tea") {
		t.Errorf("the journal has %v", c.steps())
	}
	c.view.Off = func(string) (off, said bool) { return true, true }
	got = nil
	if c.run(prompt(asks)); got != nil {
		t.Errorf("taken with hooks that are off: %+v", got)
	}
}

// That facts wait is said once, at the start, and nothing of them to the model.
func TestStartSaysThatFactsWait(t *testing.T) {
	c := newCapturing(t, "claude-code", port)
	c.view.Capture = c.here(func() (string, error) { return "", nil })
	c.view.Notice = func() string {
		list, err := c.box.List()
		return fmt.Sprintf("%d proposed facts (%v): mem approve", len(list), err)
	}
	_, err := c.box.Propose(inbox.Proposal{Text: "tea is green", Store: "/s",
		Sessions: []string{"s0"}})
	if err != nil {
		t.Fatal(err)
	}
	got := c.run(start("startup"))
	if !strings.Contains(got, `{"systemMessage":"mem: 1 proposed facts (<nil>): mem approve"`) ||
		strings.Contains(got, "green") || !strings.Contains(got, "5432") {
		t.Errorf("answers %s", got)
	}
	if got = c.run(prompt("is tea green?")); strings.Contains(got, "approve") ||
		strings.Contains(got, "green") {
		t.Errorf("answers %s", got)
	}
}

// Where the stores cannot be opened, a request hears so, and nothing else does.
func TestRequestWithoutStores(t *testing.T) {
	for name, tc := range map[string]struct {
		event, want string
		err         error
	}{
		"a request": {prompt("Remember that tea is green"), "mem: your request may be lost: " +
			"no store: mem notes", errors.New("no store")},
		"another prompt": {prompt("fix the tests"), "", errors.New("no store")},
		"a start":        {start("startup"), "", errors.New("no store")},
		"hooks are off": {prompt("Remember that tea is green"), "",
			fmt.Errorf("%w: here", ErrOff)},
	} {
		c := newCapturing(t, "claude-code")
		c.hook.Open = func(string) (*View, error) { return nil, tc.err }
		got := c.run(tc.event)
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: printed %q", name, got)
		}
	}
}
