package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/readout"
)

// lab is a store and a hook on it.
type lab struct {
	*testing.T
	dir   string
	store *mem.Store
	hook  Hook
	why   strings.Builder
	mu    sync.Mutex
}

func newLab(t *testing.T, client string, texts ...string) *lab {
	t.Helper()
	l := &lab{T: t, dir: filepath.Join(t.TempDir(), "m")}
	l.store = l.open(l.dir)
	for i, text := range texts {
		l.set(fmt.Sprintf("/k/%d", i), text)
	}
	c, ok := Find(client)
	if !ok {
		t.Fatal(client)
	}
	l.hook = Hook{Client: c, Deadline: time.Minute, Open: func(string) (*mem.Store, error) { return l.store, nil }, Debug: l.note}
	t.Cleanup(func() {
		if rep, err := l.store.Fsck(mem.FsckOptions{}); err != nil || len(rep.Found) > 0 {
			t.Errorf("fsck: %v, %v", rep.Found, err)
		}
		l.store.Close()
	})
	return l
}

func (l *lab) note(msg string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.why.WriteString(msg + "\n")
}

func (l *lab) open(dir string) *mem.Store {
	l.Helper()
	s, err := mem.Open(dir, mem.Options{Now: func() time.Time { return time.Date(2026, 2, 22, 10, 0, 0, 0, time.UTC) }})
	if err != nil {
		l.Fatal(err)
	}
	return s
}

func (l *lab) set(key, text string) {
	l.Helper()
	k, err := keypath.Parse(key)
	if err != nil {
		l.Fatal(err)
	}
	content, _ := json.Marshal(map[string]string{"text": text})
	if _, err := l.store.Set(mem.Write{Key: k, Content: content, Source: []byte(`"test"`)}, mem.SetOptions{}); err != nil {
		l.Fatal(err)
	}
}

// told runs the hook, and gives what the model is told; "" for nothing at all.
func (l *lab) told(event string) string {
	l.Helper()
	var out strings.Builder
	l.hook.Run(strings.NewReader(event), &out)
	if out.Len() == 0 {
		return ""
	}
	var doc map[string]map[string]string
	dec := json.NewDecoder(strings.NewReader(out.String()))
	if err := dec.Decode(&doc); err != nil || dec.More() || len(doc) != 1 || len(doc["hookSpecificOutput"]) != 2 {
		l.Fatalf("not the one shape (%v): %s", err, out.String())
	}
	var in struct {
		Name string `json:"hook_event_name"`
	}
	json.Unmarshal([]byte(event), &in)
	if got := doc["hookSpecificOutput"]["hookEventName"]; got != in.Name {
		l.Errorf("answers %q, was asked %q", got, in.Name)
	}
	return doc["hookSpecificOutput"]["additionalContext"]
}

const asking = `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":%q}`

func TestOneEventAfterTheOther(t *testing.T) {
	l := newLab(t, "claude-code", "The database is PostgreSQL on port 5432", "Deploys run on Tuesday at noon")
	const start = `{"session_id":"s1","hook_event_name":"SessionStart","source":%q}`
	for _, step := range []struct{ name, event, has, hasNot string }{
		{"the start", fmt.Sprintf(start, "startup"), "port 5432", "\nport"},
		{"what was told is not told again", fmt.Sprintf(asking, "which port has the database?"), "", ""},
		{"but in another conversation", strings.Replace(fmt.Sprintf(asking, "which port has the database?"), "s1", "s2", 1), "port 5432", "Tuesday"},
		{"small talk", fmt.Sprintf(asking, "ok, go on"), "", ""},
		{"a sub-agent's prompt", `{"session_id":"s9","agent_id":"a","hook_event_name":"UserPromptSubmit","prompt":"which port has the database?"}`, "", ""},
		{"a sub-agent's start", `{"session_id":"s1","agent_id":"a","hook_event_name":"SubagentStart"}`, "Tuesday", "mem search"},
		{"the context is compacted", fmt.Sprintf(start, "compact"), "port 5432", ""},
		{"an event with nothing to say", `{"session_id":"s1","hook_event_name":"Stop"}`, "", ""},
		{"an event of a year to come", `{"session_id":"s1","hook_event_name":"Dream","dreams":[1]}`, "", ""},
		{"members of other types", `{"session_id":{"a":1},"hook_event_name":"UserPromptSubmit","prompt":"when do deploys run?","agent_id":null,"cwd":7}`, "Tuesday", ""},
		{"a prompt of another type", `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":["when do deploys run?"]}`, "", ""},
		{"no JSON", `when do deploys run?`, "", ""},
		{"an array", `[]`, "", ""},
		{"nothing", ``, "", ""},
		{"half of it", `{"session_id":"s1","hook_event_na`, "", ""},
	} {
		got := l.told(step.event)
		if step.has == "" && got != "" || !strings.Contains(got, step.has) || step.hasNot != "" && strings.Contains(got, step.hasNot) {
			t.Errorf("%s: told %q", step.name, got)
		}
	}
}

func TestAChangedMemoryIsToldAgain(t *testing.T) {
	l := newLab(t, "codex", "The database is PostgreSQL on port 5432")
	event := fmt.Sprintf(asking, "which port has the database?")
	for _, port := range []string{"5432", "", "6543", ""} {
		if port == "6543" {
			l.set("/k/0", "The database is PostgreSQL on port 6543")
		}
		if got := l.told(event); (got != "") != (port != "") || !strings.Contains(got, port) {
			t.Errorf("want %q, told %q", port, got)
		}
	}
}

func TestClearedConversationIsToldAgain(t *testing.T) {
	l := newLab(t, "claude-code", "The database is PostgreSQL on port 5432")
	event := fmt.Sprintf(asking, "which port has the database?")
	if l.told(event) == "" || l.told(event) != "" {
		t.Fatal("want it once")
	}
	l.store.Injected(mem.Injection{Client: "claude-code", Conversation: "s1", Kept: mem.KeptNothing})
	if l.told(event) == "" {
		t.Error("the conversation has forgotten it, and is not told again")
	}
}

// A conversation that is resumed is told what its client does not bring back, as seen in what the clients then send to their models.
func TestResumedConversation(t *testing.T) {
	for client, want := range map[string][3]bool{
		"claude-code": {true, false, false},
		"codex":       {false, false, false},
		"gemini":      {true, true, true},
	} {
		l := newLab(t, client, "Deploys run on Tuesday at noon")
		start := `{"session_id":"s1","hook_event_name":"SessionStart","source":%q}`
		if got := l.told(fmt.Sprintf(start, "startup")); !strings.Contains(got, "Tuesday") {
			t.Errorf("%s: the start told %q", client, got)
		}
		l.set("/db", "The database is PostgreSQL on port 5432")
		if got := l.told(fmt.Sprintf(asking, "which port has the database?")); !strings.Contains(got, "5432") {
			t.Errorf("%s: the prompt told %q", client, got)
		}
		got := l.told(fmt.Sprintf(start, "resume"))
		asked := l.told(fmt.Sprintf(asking, "when do deploys run?"))
		if has := [3]bool{strings.Contains(got, "Tuesday"), strings.Contains(got, "5432"), strings.Contains(asked, "Tuesday")}; has != want {
			t.Errorf("%s: the resumption told what the start and what the prompt had brought, and a prompt the former: %v, want %v", client, has, want)
		}
		if got := l.told(fmt.Sprintf(asking, "when do deploys run?")); got != "" {
			t.Errorf("%s: told again: %q", client, got)
		}
		l.set("/coffee", "Coffee is in the kitchen on the third floor")
		if got := l.told(fmt.Sprintf(start, "resume")); !strings.Contains(got, "Coffee") {
			t.Errorf("%s: what is new was not told: %q", client, got)
		}
	}
}

// What only a sub-agent was told, the conversation does not have.
func TestSubAgentHasAContextOfItsOwn(t *testing.T) {
	l := newLab(t, "claude-code", "The database is PostgreSQL on port 5432")
	subagent := `{"session_id":"s1","agent_id":"a","hook_event_name":"SubagentStart"}`
	for range 2 {
		if got := l.told(subagent); !strings.Contains(got, "5432") {
			t.Errorf("the sub-agent is told %q", got)
		}
	}
	if got := l.told(fmt.Sprintf(asking, "which port has the database?")); !strings.Contains(got, "5432") {
		t.Errorf("the conversation is told %q", got)
	}
}

// Why there is nothing to say is told before Run returns, after which the process ends.
func TestWhyIsToldInTime(t *testing.T) {
	l := newLab(t, "codex")
	l.hook.Debug = func(msg string) {
		time.Sleep(10 * time.Millisecond)
		l.note(msg)
	}
	l.told(`{"session_id":"s1","hook_event_name":"Stop"}`)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why.Len() == 0 {
		t.Error("nobody was told why there is no answer")
	}
}

// What mem and the clients have put into a prompt is not searched for.
func TestOwnWordsAreNotSearchedFor(t *testing.T) {
	l := newLab(t, "gemini", "The database is PostgreSQL on port 5432")
	block := l.told(`{"session_id":"s0","hook_event_name":"SessionStart"}`)
	for _, prompt := range []string{
		block + "hello",
		"<hook_context>" + strings.ReplaceAll(block, "<", "&lt;") + "</hook_context>\n\nhello",
		"<system-reminder>the database is PostgreSQL</system-reminder>hello",
		"hello\n" + block,
	} {
		if got := l.told(fmt.Sprintf(`{"session_id":"s1","hook_event_name":"BeforeAgent","prompt":%s}`, quoted(prompt))); got != "" {
			t.Errorf("%q brought %q", prompt, got)
		}
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// The block is cut on whole memories, and within what each client counts.
func TestBlockStaysBelowTheClientsLimit(t *testing.T) {
	for _, client := range Clients {
		l := newLab(t, client.Name)
		if err := os.MkdirAll(l.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l.dir, mem.ConfigFile), []byte(`{"inject":{"start_tokens":100000}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		l.store = l.open(l.dir)
		for i := range 60 {
			l.set(fmt.Sprintf("/k/%d", i), strings.Repeat([]string{"牙科复诊记录", "👩‍🚀🚀 go ", "plain words "}[i%3], 40))
		}
		got := l.told(`{"session_id":"s1","hook_event_name":"SessionStart"}`)
		if n := client.unit(got); n > maxAnswer || n < maxAnswer-1500 {
			t.Errorf("%s: %d units", client.Name, n)
		}
		if !strings.HasSuffix(got, "\n[End of Agent Memory]\n") || strings.Contains(got, "\ufffd") {
			t.Errorf("%s: cut within a memory: …%q", client.Name, got[len(got)-80:])
		}
		list, err := l.store.Injections("s1", 0)
		if err != nil || len(list) != 1 || len(list[0].Memories) != strings.Count(got, "\n- ") {
			t.Errorf("%s: recorded %+v (%v)", client.Name, list, err)
		}
	}
}

func TestAPromptOfAMegabyte(t *testing.T) {
	l := newLab(t, "claude-code", "The database is PostgreSQL on port 5432")
	for _, prompt := range []string{
		"which port has the database? " + strings.Repeat("牙科 lorem ipsum 👩‍🚀 ", 40_000),
		strings.Repeat("x", 1<<20) + " which port has the database?",
	} {
		if got := l.told(fmt.Sprintf(asking, prompt)); !strings.Contains(got, "5432") {
			t.Errorf("%.40s…: told %q", prompt, got)
		}
		l.store.Injected(mem.Injection{Client: "claude-code", Conversation: "s1", Kept: mem.KeptNothing})
	}
}

func TestNothingDisturbsTheConversation(t *testing.T) {
	event := `{"session_id":"s1","hook_event_name":"SessionStart"}`
	for name, open := range map[string]func(l *lab) func(string) (*mem.Store, error){
		"no store can be opened": func(*lab) func(string) (*mem.Store, error) {
			return func(string) (*mem.Store, error) { return nil, errors.New("no way") }
		},
		"it panics": func(*lab) func(string) (*mem.Store, error) {
			return func(string) (*mem.Store, error) { panic("at the disco") }
		},
		"it hangs": func(l *lab) func(string) (*mem.Store, error) {
			l.hook.Deadline = 10 * time.Millisecond
			return func(string) (*mem.Store, error) { select {} }
		},
		"a store that does not exist": func(l *lab) func(string) (*mem.Store, error) {
			return func(string) (*mem.Store, error) { return l.open(filepath.Join(l.dir, "nowhere")), nil }
		},
		"a broken config": func(l *lab) func(string) (*mem.Store, error) {
			dir := filepath.Join(l.TempDir(), "b")
			os.Mkdir(dir, 0o700)
			os.WriteFile(filepath.Join(dir, mem.ConfigFile), []byte("{"), 0o600)
			return func(string) (*mem.Store, error) { return l.open(dir), nil }
		},
	} {
		l := newLab(t, "claude-code", "something")
		l.hook.Open = open(l)
		if got := l.told(event); got != "" {
			t.Errorf("%s: told %q", name, got)
		}
		l.mu.Lock()
		if l.why.Len() == 0 && name != "a store that does not exist" {
			t.Errorf("%s: nobody hears why", name)
		}
		l.mu.Unlock()
		if _, err := os.Stat(filepath.Join(l.dir, "nowhere")); err == nil {
			t.Errorf("%s: the hook has made a store", name)
		}
	}
}

// A client that never closes its pipe does not keep the hook waiting.
func TestStandardInputThatStaysOpen(t *testing.T) {
	l := newLab(t, "claude-code", "Deploys run on Tuesday at noon")
	in, client := io.Pipe()
	defer client.Close()
	go io.WriteString(client, `{"session_id":"s1","hook_event_name":"SessionStart"}`)
	var out strings.Builder
	l.hook.Run(in, &out)
	if !strings.Contains(out.String(), "Tuesday") {
		t.Errorf("answered %q (%s)", out.String(), l.why.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody listens") }

// What did not arrive is not recorded as told.
func TestAnswerThatIsNotTaken(t *testing.T) {
	l := newLab(t, "claude-code", "Deploys run on Tuesday at noon")
	event := fmt.Sprintf(asking, "when do deploys run?")
	l.hook.Run(strings.NewReader(event), broken{})
	if got := l.told(event); !strings.Contains(got, "Tuesday") {
		t.Errorf("told %q", got)
	}
}

func TestCaller(t *testing.T) {
	for _, tc := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "abc", "CLAUDE_CODE_MESSAGING_TOKEN": "secret"}, `{"kind":"agent","name":"claude-code","locator":{"session":"abc"}}`},
		{map[string]string{"CODEX_THREAD_ID": "t", "CODEX_SESSION_ID": "t\"\n"}, `{"kind":"agent","name":"codex","locator":{"session":"t\"\n"}}`},
		{map[string]string{"GEMINI_CLI": "1"}, `{"kind":"agent","name":"gemini"}`},
		{map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": strings.Repeat("x", 200)}, `{"kind":"agent","name":"claude-code"}`},
	} {
		if got := string(Source(func(name string) string { return tc.env[name] })); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.env, got, tc.want)
		}
	}
}

func TestUnitsOfTheClients(t *testing.T) {
	const astronaut = "👩‍🚀 牙"
	if got := readout.UTF16(astronaut); got != 7 {
		t.Errorf("%d UTF-16 units, want 7", got)
	}
	if c, _ := Find("codex"); c.unit(astronaut) != len(astronaut) {
		t.Error("codex counts bytes")
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`{"session_id":"s1","hook_event_name":"SessionStart"}`)
	f.Add(fmt.Sprintf(asking, "when do deploys run? "))
	dir := filepath.Join(f.TempDir(), "m")
	s, err := mem.Open(dir, mem.Options{})
	if err != nil {
		f.Fatal(err)
	}
	k, _ := keypath.Parse("/k")
	if _, err := s.Set(mem.Write{Key: k, Content: []byte(`"Deploys run on Tuesday"`), Source: []byte(`"test"`)}, mem.SetOptions{}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, event string) {
		h := Hook{Client: Clients[0], Deadline: time.Minute, Open: func(string) (*mem.Store, error) { return s, nil }}
		var out strings.Builder
		h.Run(strings.NewReader(event), &out)
		if out.Len() > 0 && !json.Valid([]byte(out.String())) {
			t.Fatalf("%q is answered by %q", event, out.String())
		}
	})
}
