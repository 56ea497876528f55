package mcp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/schema"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/tiktoken-go/tokenizer"
)

func TestNotesAreStoredFoundAndForgotten(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		noted := l.ok("mem_note", `{"text":"The port is 5432","tags":["infra"],"scope":"user"}`)
		if fmt.Sprint(noted) != "map[id:m-1 ok:true]" {
			t.Errorf("%v", noted)
		}
		found := l.ok("mem_search", `{"query":"p???"}`)
		if found["count"] != 1.0 {
			t.Errorf("wildcards: %v", found)
		}
		found = l.ok("mem_search", `{"query":"port","tags":["infra"]}`)
		if found["count"] != 1.0 || !strings.Contains(fmt.Sprint(found), "/note/user/m-1") {
			t.Errorf("%v", found)
		}
		hit := found["memories"].([]any)[0].(object)
		if _, has := hit["valid"]; has || hit["ts"] != "2026-02-22T12:00:00Z" {
			t.Errorf("%v", hit)
		}
		got := l.ok("mem_get", `{"key":"m-1"}`)
		if len(got["ts"].(string)) != len(log.StampLayout) {
			t.Errorf("%v", got)
		}
		want := "map[tags:[infra] text:The port is 5432 type:note]"
		if fmt.Sprint(got["content"]) != want {
			t.Errorf("%v", got)
		}
		// Who wrote it: the client, the agent, the conversation, and by what way.
		want = "map[kind:agent locator:map[agent:ada scope:user session:s9 via:mcp] name:tester]"
		if fmt.Sprint(got["source"]) != want {
			t.Errorf("%v", got["source"])
		}
		if got := l.ok("mem_forget", `{"key":"m-1","reason":"it moved"}`); got["valid"] != false {
			t.Errorf("%v", got)
		}
		if !strings.Contains(l.Logged(), `"reason":"it moved"`) {
			t.Error(l.Logged())
		}
		l.ok("mem_note", `{"text":"Deploys run on Tuesdays at noon"}`)
		noted = l.ok("mem_note", `{"text":"deploys run on tuesdays  at noon","pin":true}`)
		waits := fmt.Sprintf("map[id:m-2 known:true ok:true proposal:%s]", noted["proposal"])
		if fmt.Sprint(noted) != waits || noted["proposal"] == nil {
			t.Errorf("%v", noted)
		}
		noted = l.ok("mem_note", `{"text":"Deploys run on Tuesdays at one"}`)
		if fmt.Sprint(noted) != "map[id:m-3 near:[m-2] ok:true]" {
			t.Errorf("%v", noted)
		}
		noted = l.ok("mem_note", `{"text":"Deploys run on Mondays","replaces":["m-2"]}`)
		if fmt.Sprint(noted) != "map[id:m-4 near:[m-3] ok:true replaced:[/note/workspace/m-2]]" {
			t.Errorf("%v", noted)
		}
		if got := l.ok("mem_get", `{"key":"m-4"}`); strings.Contains(fmt.Sprint(got["content"]),
			"pinned") { // the pin of m-2 waits
			t.Errorf("%v", got)
		}
		l.fails("mem_note", `{"text":"x","replaces":["m-9"]}`, "no such note\nhint: mem_search")
		l.fails("mem_forget", `{"key":"m-1"}`, "no such memory\nhint: mem_search")
		l.fails("mem_get", `{"key":"m-1"}`, "no such memory\nhint: mem_search")
		l.fails("mem_get", `{"key":"m-7"}`, "m-7: no such note\nhint: mem_search")
		if got := l.ok("mem_search", `{"query":"port"}`); fmt.Sprint(got) != "map[count:0 memories:[] "+
			"near:[map[count:3 word:deploys] map[count:2 word:tuesdays]]]" {
			t.Errorf("%v", got)
		}
	})
}

// Conditions on tags are as mem_search describes them: each of the list holds, and one with commas
// where a memory has any of these.
func TestTagsOfASearch(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.ok("mem_note", `{"text":"The port is 5432","tags":["infra","db"]}`)
		l.ok("mem_note", `{"text":"Deploys run on Tuesdays","tags":["infra"]}`)
		for tags, want := range map[string]float64{
			`["infra"]`: 2, `["infra","db"]`: 1, `["db,infra"]`: 2, `["db","x"]`: 0,
		} {
			if found := l.ok("mem_search", `{"tags":`+tags+`}`); found["count"] != want {
				t.Errorf("%s: %v", tags, found)
			}
		}
		const says = `"tags":{"description":"all; a,b: either"`
		if !strings.Contains(string(toolsJSON), says) {
			t.Error("mem_search does not describe its tags so")
		}
	})
}

// The members of a note that the prompt shows are of the types that the schema has.
func TestPromptTeachesTheSchema(t *testing.T) {
	m := regexp.MustCompile(`"replaces": (\S+),`).FindStringSubmatch(usageText)
	var ids []string
	if m == nil || json.Unmarshal([]byte(m[1]), &ids) != nil || fmt.Sprint(ids) != "[m-4]" {
		t.Errorf("%q", m)
	}
}

// A misspelt name of a tool brings the one that was probably meant, of those that are offered.
func TestNearestTool(t *testing.T) {
	session := connect(t, listing("core"), nil)
	for name, want := range map[string]string{"mem_serch": "did you mean mem_search?",
		"memory_decid": `unknown tool "memory_decid"`, "nonsense": `unknown tool "nonsense"`} {
		_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name})
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNotesThatAreRefused(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		long := strings.Repeat("x", policy.MaxNote+1)
		l.fails("mem_note", `{"text":""}`, "it is empty")
		l.fails("mem_note", `{"text":"`+long+`"}`, "hint: make it shorter")
		l.fails("mem_note", `{"text":"x","scope":"world"}`, "want user, workspace or session")
		l.fails("mem_note", `{"text":"x","tag":"y"}`, `"tag": no such member`)
		l.fails("mem_note", `{"text":7}`, "want a string")
		answer, _, failed := l.call("mem_note",
			`{"text":"key ghp_0123456789abcdefghijABCDEFGHIJ012345"}`)
		if !failed || answer["ok"] != false || answer["error"] != policy.NoteRefusal ||
			!strings.HasPrefix(fmt.Sprint(answer["hint"]), "content.text, characters 5 to 44") {
			t.Errorf("%v", answer)
		}
		if l.Made() {
			t.Error("something is stored")
		}
	})
}

func TestMemoriesAreSet(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.ok("mem_set", `{"key":"/project/db","text":"PostgreSQL <16>","type":"decision",
			"summary":"the database","tags":["infra"],"importance":1,
			"expired_at":"2030-01-01T00:00:00Z"}`)
		want := `{"type":"decision","summary":"the database","text":"PostgreSQL <16>",` +
			`"importance":1.0,"tags":["infra"],"expired_at":"2030-01-01T00:00:00.000000Z"}`
		if got := l.Content("/project/db"); got != want {
			t.Errorf("%s", got)
		}
		l.fails("mem_set", `{"key":"/project/db","text":"x","if_absent":true}`,
			"compare-and-set lost")
		first := l.ok("mem_get", `{"key":"/project/db"}`)
		set := fmt.Sprintf(`{"key":"/project/db","content":{"a":[1.50]},"if_ts":%q}`, first["ts"])
		l.ok("mem_set", set)
		if got := l.Content("/project/db"); got != `{"a":[1.50]}` {
			t.Errorf("%s", got)
		}
		l.fails("mem_set", set, "hint: look at it with mem_get, then write with its ts as if_ts")
		l.Put("/plain", `"just text"`)
		if got := l.ok("mem_get", `{"key":"/plain"}`); got["content"] != "just text" {
			t.Errorf("%v", got)
		}
	})
}

func TestMemoriesThatAreNotSet(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		for _, c := range [][2]string{
			{`{"key":"d/../b","text":"x"}`, "hint: a key looks like"},
			{`{"text":"x"}`, "hint: a key looks like"},
			{`{"key":"/a"}`, "text: it is missing\nhint: give it, or content"},
			{`{"key":"/a","text":" "}`, "text: it is empty\nhint: give what to remember"},
			{`{"key":"/a","text":"x","content":{}}`, "content: it is beside text or summary\nhint: give it, or these"},
			{`{"key":"/a","text":"","content":{}}`, "it is beside text"},
			{`{"key":"/a","text":"x","tags":7}`,
				`arguments: tags: want a list like ["a","b"], not a number`},
			{`{"key":"/a","content":[1]}`, "hint: give a JSON object"},
			{`{"key":"/a","content":null}`, "hint: give a JSON object"},
			{`{"key":"/a","text":"x","importance":"high"}`, "hint: the schema of the tool says"},
			{`{"key":"/a","text":"x","expired_at":"soon"}`, "soon"},
			{`{"key":"/kb/go","text":"x"}`, "hint: give source with kind, name and url"},
			{`{"key":"/a","text":"x","source":{"kind":"web"}}`, "hint: give source with kind"},
			{`{"key":"/a","text":"x","source":{"kind":"god","name":"x"}}`, "hint: give source"},
			{`{"key":"/agent/ada/core/01KJ2N4XK0W4E5V7QD3M8R9T0A","text":"x"}`,
				"hint: save_to_journal and save_to_core store one"},
			{`{"key":"/note/user/m-7","text":"x"}`, "hint: mem_note stores a note"},
			{`{"key":"/a","text":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`,
				"hint: remove the secret"},
			{`{"key":"/a","text":"` + strings.Repeat("x", policy.MaxContent) + `"}`,
				"hint: make it shorter"},
			{`{"key":"/a","text":"x","KEY":"/b"}`, `"KEY": no such member`},
		} {
			l.fails("mem_set", c[0], c[1])
		}
		if l.Made() {
			t.Error("something is stored")
		}
		if got := l.ok("mem_set", `{"key":"project/db","text":"x"}`); got["key"] != "/project/db" {
			t.Errorf("%v", got)
		}
		if got := l.ok("mem_search", `{"prefix":"project"}`); got["count"] != 1.0 {
			t.Errorf("%v", got)
		}
		// What a model writes in another form is understood.
		if got := l.ok("mem_get", `{"id":"project/db"}`); got["key"] != "/project/db" {
			t.Errorf("%v", got)
		}
		l.ok("mem_search", `{"query":"x","limit":"3","tags":"a,b"}`)
		first := l.ok("mem_note", `{"text":"Backups run at noon"}`)["id"]
		if got := l.ok("mem_note", fmt.Sprintf(`{"text":"Backups run at one","replaces":"%v"}`,
			first)); fmt.Sprint(got["replaced"]) != fmt.Sprintf("[/note/workspace/%v]", first) {
			t.Errorf("%v", got)
		}
		for _, limit := range []string{"0", "-1", "101"} {
			l.fails("mem_search", `{"limit":`+limit+`}`, "limit: want 1 to 100")
			l.fails("memory_query_decisions", `{"limit":`+limit+`}`, "want 1 to 100")
		}
		l.fails("memory_get_artifact", `{"artifact_id":"art_x","limit":0}`, "want 1 to 200000")
		l.ok("mem_set", `{"key":"/kb/go","text":"x","source":{"kind":"web","name":"go.dev",
			"url":"https://go.dev"}}`)
	})
}

// Nobody is told, and nobody takes away, what another agent keeps; nor is a model without a name a
// person.
func TestWhatAgentsKeepIsTheirs(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		ada, bob, nobody := newLab(t, s, "ada"), newLab(t, s, "bob"), newLab(t, s, "")
		if got := ada.ok("save_to_core", `{"content":" I check twice "}`); fmt.Sprint(got) !=
			"map[content:I check twice memory_type:core note:This memory is now part of your "+
				"permanent identity success:true]" {
			t.Errorf("%v", got)
		}
		if got := ada.ok("save_to_journal", `{"content":"Met Bob"}`); got["expires_around"] !=
			"2026-03-01" {
			t.Errorf("%v", got)
		}
		nobody.fails("save_to_core", `{"content":"x"}`,
			`{"error":"This tool only works in group conversations"}`)
		ada.fails("save_to_core", `{"content":" \n"}`, `{"error":"Content cannot be blank"}`)
		ada.fails("save_to_journal", `{"content":"`+strings.Repeat("牙", journal.MaxText+1)+`"}`,
			`{"error":"Content too long (max 10,000 characters)"}`)
		ada.fails("save_to_core", `{"content":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`,
			`{"error":"Failed to save: `)
		list, err := journal.ForPrompt(t.Context(), s.Store, mem.Caller{}, "ada")
		s.Must(err)
		key := list[0].Key.String()
		get := fmt.Sprintf(`{"key":%q}`, key)
		ada.ok("mem_get", get)
		for _, other := range []*lab{bob, nobody} {
			other.fails("mem_get", get, "no such memory")
			other.fails("mem_forget", get, "no such memory")
			other.fails("mem_forget", fmt.Sprintf(`{"key":%q,"propose":true}`, key), "no such memory")
			if got := other.ok("mem_search", `{"query":"check twice"}`); got["count"] != 0.0 {
				t.Errorf("%v", got)
			}
			if got := other.addresses(); len(got) != 0 {
				t.Errorf("%v", got)
			}
		}
		// A bundle for who is nobody has nothing of what agents keep, and tools that only an agent
		// can use are not listed.
		for _, as := range []string{"", `,"agent_id":"ada"`} {
			got := nobody.ok("memory_build_acb", `{"session_id":"s1","query_text":"check twice"`+as+`}`)
			if strings.Contains(fmt.Sprint(got["sections"]), "check twice") {
				t.Errorf("%v", got)
			}
		}
		if nobody.outputs["save_to_core"] != nil || ada.outputs["save_to_core"] == nil {
			t.Error("save_to_core is listed to who has no name, or not to ada")
		}
		ada.fails("mem_forget", get, "hint: only the user can do this")
		bob.fails("memory_build_acb", `{"session_id":"s1","agent_id":"ada"}`, "hint: only the user")
		bob.fails("memory_record_event", `{"session_id":"s1","agent_id":"ada","kind":"message",
			"actor":{"type":"agent","id":"ada"},"content":{}}`, "hint: only the user")
	})
}

// What waits for a review, sessions and events are told to who names them, and to nobody else.
func TestWhatIsNotForEverybody(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		op := mem.SetOptions{Quarantine: true}
		_, err := l.Store.Store.Set(t.Context(), mem.Caller{}, mem.Write{
			Key: keypath.MustParse("/kb/x"), Content: []byte(`{"text":"dubious port"}`),
			Source: []byte(`"rumour"`)}, op)
		l.Must(err)
		l.ok("memory_record_event", `{"session_id":"s1","kind":"message",
			"actor":{"type":"human","id":"u"},"content":{"text":"the port is blue"}}`)
		if got := l.ok("mem_search", `{"query":"port"}`); got["count"] != 0.0 {
			t.Errorf("%v", got)
		}
		if got := l.addresses(); len(got) != 0 {
			t.Errorf("%v", got)
		}
		if got := l.ok("mem_search", `{"query":"port","prefix":"/event"}`); got["count"] != 1.0 {
			t.Errorf("%v", got)
		}
	})
}

func TestBundle(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		event := l.ok("memory.record_event", `{"session_id":"s1","kind":"message",
			"actor":{"type":"human","id":"u"},"content":{"text":"we use PostgreSQL"}}`)
		id, err := ledger.New(l.Store.Store, l.caller, ledger.Options{}).Decide(t.Context(),
			ledger.Decision{Scope: ledger.Scope{Refs: []string{event["event_id"].(string)},
				Channel: "private"}, Text: "PostgreSQL 16"})
		l.Must(err)
		got := l.ok("memory.query_decisions", `{"query":"PostgreSQL","status":"active"}`)
		if !strings.Contains(fmt.Sprint(got), id.ID) || got["count"] != 1.0 {
			t.Errorf("%v", got)
		}
		got = l.ok("memory.query_decisions", `{"status":"superseded"}`)
		if fmt.Sprint(got) != "map[count:0 decisions:[]]" {
			t.Errorf("%v", got)
		}
		got = l.ok("memory.build_acb", `{"session_id":"s1","query_text":"PostgreSQL"}`)
		if !strings.Contains(fmt.Sprint(got["sections"]), "we use PostgreSQL") {
			t.Errorf("%v", got)
		}
		got = l.ok("memory_build_acb", `{"session_id":"s2","max_tokens":0}`)
		if got["budget_tokens"] != 0.0 {
			t.Errorf("%v", got)
		}
		l.fails("memory_build_acb", `{}`, "session_id: it is missing")
		l.fails("memory_build_acb", `{"session_id":"s1","max_tokens":70000}`, "want 0 to 65000")
		l.fails("memory_build_acb", `{"session_id":"s1","tenant_id":"t2"}`, "another one's")
		l.fails("memory_record_event", `{"session_id":"s1","kind":"joke",
			"actor":{"type":"human","id":"u"},"content":{"text":"x"}}`, "kind \"joke\": want one of")
	})
}

// What was decided is listed, with what it rests on; what is recorded as an event is not.
func TestDecisionsAreMade(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		event := l.ok("memory_record_event", `{"session_id":"s1","kind":"message",
			"actor":{"type":"human","id":"u"},"content":{"text":"we use MySQL"}}`)
		first := l.ok("memory_decide", fmt.Sprintf(`{"text":"MySQL 8","refs":[%q],
			"rationale":["it is there"],"scope":"project"}`, event["event_id"]))
		next := l.ok("memory.decide", fmt.Sprintf(`{"text":"PostgreSQL 16","refs":[%q],
			"supersedes":[%q],"channel":"private"}`, event["event_id"], first["decision_id"]))
		got := l.ok("memory_query_decisions", `{"status":"active"}`)
		list := got["decisions"].([]any)
		if len(list) != 1 || list[0].(object)["decision_id"] != next["decision_id"] ||
			list[0].(object)["agent_id"] != "ada" {
			t.Errorf("%v", got)
		}
		l.fails("memory_decide", `{"text":"x"}`, "refs: a decision needs evidence")
		l.fails("memory_decide", `{"text":" ","refs":["/a"]}`, "it is missing")
		l.fails("memory_decide", `{"text":"x","refs":["/none"]}`, "no such memory")
		l.fails("memory_decide", `{"text":"x","refs":["/a"],"scope":"world"}`, "want one of project")
		l.fails("memory_decide", fmt.Sprintf(`{"text":"x","refs":[%q],"supersedes":[%q]}`,
			event["event_id"], first["decision_id"]), "superseded")
	})
}

// Whatever an answer names is read by its name.
func TestMemoriesAreReadByAnyName(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.Put("/项目/a b", `{"text":"x"}`)
		event := l.ok("memory_record_event", `{"session_id":"s1","kind":"tool_result",
			"actor":{"type":"tool","id":"t"},"content":{"tool":"t","text":"`+
			strings.Repeat("long ", 20_000)+`"}}`)
		id := event["event_id"].(string)
		decision := l.ok("memory_decide", fmt.Sprintf(`{"text":"y","refs":[%q]}`, id))
		chunk := event["chunk_ids"].([]any)[0].(string)
		for name, want := range map[string]string{
			id: "/event/s1/" + id, chunk: "/event/s1/" + id,
			event["artifact_id"].(string):     "/artifact/" + event["artifact_id"].(string),
			decision["decision_id"].(string):  "/decision/" + decision["decision_id"].(string),
			"mem:///%E9%A1%B9%E7%9B%AE/a%20b": "/项目/a b", "mem:///项目/a b": "/项目/a b",
			"项目/a b": "/项目/a b",
		} {
			if got := l.ok("mem_get", fmt.Sprintf(`{"key":%q}`, name)); got["key"] != want {
				t.Errorf("%s: %v", name, got)
			}
		}
		got := l.ok("mem_get", fmt.Sprintf(`{"key":%q}`, chunk))["content"].(object)
		text, _ := got["text"].(string)
		if len(got) != 1 || !strings.HasPrefix(text, "long long") || len(text) > 20_000 {
			t.Errorf("%v", got)
		}
		l.fails("mem_get", `{"key":"evt_01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, "not found\nhint: ")
		l.fails("mem_get", `{"key":"mem:///none"}`, "no such memory")
		for _, other := range []string{id, chunk} {
			l.fails("memory_get_artifact", fmt.Sprintf(`{"artifact_id":%q}`, other),
				"no artifact\nhint: give it to mem_get")
		}
	})
}

// A long text is read back in parts, of whole characters.
func TestArtifactsAreReadInParts(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		whole := strings.Repeat("牙科复诊 ", 20_000)
		event := l.ok("memory_record_event", fmt.Sprintf(`{"session_id":"s1","kind":"tool_result",
			"actor":{"type":"tool","id":"t"},"content":{"tool":"t","text":%q}}`, whole))
		var text strings.Builder
		parts := 0
		for offset := 0.0; ; parts++ {
			part := l.ok("memory.get_artifact", fmt.Sprintf(
				`{"artifact_id":%q,"offset":%.0f,"limit":100001}`, event["artifact_id"], offset))
			text.WriteString(part["text"].(string))
			next, more := part["next_offset"].(float64)
			if !more {
				break
			}
			offset = next
		}
		if text.String() != whole || parts != 2 {
			t.Errorf("%d bytes in %d parts, want %d", text.Len(), parts+1, len(whole))
		}
		l.fails("memory_get_artifact", `{"artifact_id":"art_x"}`, "not found\nhint: memory_build_acb")
		past := l.ok("memory_get_artifact",
			fmt.Sprintf(`{"artifact_id":%q,"offset":99999999}`, event["artifact_id"]))
		if past["text"] != "" || past["next_offset"] != nil {
			t.Errorf("%v", past)
		}
		l.fails("memory_get_artifact", fmt.Sprintf(`{"artifact_id":%q,"channel":"moon"}`,
			event["artifact_id"]), "moon")
	})
}

// maxSet is what the list of a set may cost, in tokens.
const maxSet = 1_500

// A set costs little, by the tokenizers of real models, all of what a client gets of it counted.
func TestSetsAreSmall(t *testing.T) {
	for _, set := range Sets {
		list, err := connect(t, listing(set), nil).
			ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
			codec, err := tokenizer.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			n, err := codec.Count(string(doc))
			if err != nil || n >= maxSet {
				t.Errorf("set %s has %d tokens of %s, at most %d: %v", set, n, name, maxSet-1, err)
			}
			t.Logf("%s: %d tokens of %s", set, n, name)
		}
	}
	if len(instructions) > 1<<10 {
		t.Errorf("the instructions have %d bytes", len(instructions))
	}
}

// Every tool is there, well named, well described, and takes what its schema says.
func TestToolsAreWhatTheySay(t *testing.T) {
	list, err := connect(t, listing(Sets...), nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(tools) || list.CacheScope != "private" || list.TTLMs != 0 {
		t.Errorf("%d tools of %d, %+v", len(list.Tools), len(tools), list.Cacheable)
	}
	destructive := []string{"mem_set", "mem_forget", "memory"}
	for _, tool := range list.Tools {
		if tools[tool.Name].run == nil || tool.Description == "" || tool.OutputSchema == nil ||
			!regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(tool.Name) {
			t.Errorf("%+v", tool)
		}
		if a := tool.Annotations; *a.OpenWorldHint || a.ReadOnlyHint != tools[tool.Name].reads ||
			*a.DestructiveHint != slices.Contains(destructive, tool.Name) {
			t.Errorf("%s: %+v", tool.Name, a)
		}
	}
}

var update = flag.Bool("update", false, "rewrite tools.json")

var (
	toolName    = regexp.MustCompile(`^  \{"name": "([a-z_]+)",`)
	inputSchema = regexp.MustCompile(`^   "inputSchema": (.*),\n$`)
)

// tools.json says of requests what their types say, and in its own words what they do not.
func TestToolsTakeTheirRequests(t *testing.T) {
	describer := schema.Describer{Tool: true}
	var out strings.Builder
	var in any
	for line := range strings.Lines(string(toolsJSON)) {
		if m := toolName.FindStringSubmatch(line); m != nil {
			in = tools[m[1]].in
		}
		if m := inputSchema.FindStringSubmatch(line); m != nil && in != nil {
			var old object
			if err := json.Unmarshal([]byte(m[1]), &old); err != nil {
				t.Fatal(err)
			}
			doc, err := mem.EncodeJSON(worded(describer.Of(reflect.TypeOf(in)), old))
			if err != nil {
				t.Fatal(err)
			}
			line = fmt.Sprintf("   \"inputSchema\": %s,\n", doc)
		}
		out.WriteString(line)
	}
	if *update {
		if err := os.WriteFile("tools.json", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if out.String() != string(toolsJSON) {
		t.Error("tools.json is stale: go test ./internal/front/mcp -run Requests -update writes it")
	}
}

// worded returns the schema of a request with what another says of its members beside that: a
// description, a bound of this front, or the type of any JSON.
func worded(s, old object) object {
	members, _ := old["properties"].(object)
	for name, member := range s["properties"].(object) {
		was, _ := members[name].(object)
		for _, key := range []string{"description", "type", "minimum", "maximum"} {
			if _, said := member.(object)[key]; !said && was[key] != nil {
				member.(object)[key] = was[key]
			}
		}
	}
	return s
}

// What is said of the journal is what its specification says, and the words of others are theirs.
func TestWordsOfSpecifications(t *testing.T) {
	list, err := connect(t, listing(Sets...), nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		doc[tool.Name] = tool
	}
	property := func(tool string, path ...string) any {
		v := doc[tool].InputSchema
		for _, name := range path {
			v = v.(object)[name]
		}
		return v
	}
	event := func(name string) any {
		return property("memory_record_event", "properties", name, "enum")
	}
	for _, c := range [][2]any{
		{doc["save_to_journal"].Description, journal.JournalTool},
		{doc["save_to_core"].Description, journal.CoreTool},
		{property("save_to_journal", "properties", "content", "description"),
			journal.JournalContent},
		{property("save_to_core", "properties", "content", "description"), journal.CoreContent},
		{property("mem_note", "properties", "text", "maxLength"), float64(policy.MaxNote)},
		{property("mem_note", "properties", "tags", "maxItems"), float64(policy.MaxNoteTags)},
		{event("kind"), ledger.Values("kind")}, {event("channel"), content.Channels()},
		{event("sensitivity"), content.Sensitivities()},
	} {
		if fmt.Sprint(c[0]) != fmt.Sprint(c[1]) {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
}

func TestSetsByName(t *testing.T) {
	for list, want := range map[string]string{"core": "[core]", "core, journal": "[core journal]",
		"all": "[core bundle journal memory]", "core,all": "[core bundle journal memory]"} {
		if got, err := ParseSets(list); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"", "cor", "core,"} {
		if got, err := ParseSets(list); mem.KindOf(err) != mem.KindInput {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}
