package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func itemOf(key, text, source string) *readout.Item {
	return &readout.Item{Key: key, Source: []byte(source), Content: []byte(text),
		Fields: content.Parse([]byte(text))}
}

// How far a record binds: by what it claims, its source, its place and its marks.
func TestStanding(t *testing.T) {
	const rule, pinned, fact = `{"type":"rule"}`, `{"pinned":true}`, `{"text":"a"}`
	const clients = `{"kind":"agent","name":"x"}`
	const imported = `{"kind":"user","name":"me","claimed":"import"}`
	const byClient = `{"kind":"user","name":"me","claimed":"client codex"}`
	names := map[readout.Standing]string{readout.Rule: "rule", readout.Fact: "fact",
		readout.RepositoryFact: "repository", readout.Withheld: "withheld"}
	for _, c := range []struct {
		key, text, source, agent string
		place                    Belief
		want                     string
		describes                bool
	}{
		{"/a", rule, byUser, "", Belief{}, "rule", false},
		{"/a", rule, `"chat"`, "", Belief{}, "rule", false},
		{"/a", rule, clients, "", Belief{}, "fact", false},
		{"/a", fact, byUser, "", Belief{}, "fact", false},
		{"/a", rule, byUser, "", Belief{Repository: true}, "repository", false},
		{"/a", rule, byUser, "", Belief{NoRules: true}, "fact", false},
		{"/a", rule, imported, "", Belief{}, "fact", false},
		{"/a", rule, byClient, "", Belief{}, "fact", false},
		{"/rules/a", fact, byUser, "", Belief{}, "rule", false},
		{"/rules/a", fact, clients, "", Belief{}, "rule", false},
		{"/rules/a", fact, `{"kind":"web","name":"x"}`, "", Belief{}, "fact", false},
		{"/rulesx", fact, byUser, "", Belief{}, "fact", false},
		{"/a", pinned, byUser, "", Belief{}, "rule", false},
		{"/a", pinned, `{"kind":"web","pinned_by":"user"}`, "", Belief{}, "fact", false},
		{"/a", pinned, `{"kind":"agent","pinned_by":"user"}`, "", Belief{}, "rule", false},
		{"/a", pinned, `{"kind":"user","pinned_by":"bot"}`, "", Belief{}, "fact", false},
		{"/a", rule, `{"kind":"user","pinned_by":"bot"}`, "", Belief{}, "rule", false},
		{"/agent/ada/identity", fact, byUser, "ada", Belief{}, "rule", true},
		{"/agent/ada/identity", fact, clients, "ada", Belief{}, "fact", true},
		{"/agent/ada/identity", fact, byClient, "ada", Belief{}, "fact", true},
		{"/agent/ada/identity", fact, imported, "ada", Belief{}, "fact", false},
		{"/agent/ada/identity", fact, byUser, "ada", Belief{Repository: true},
			"repository", false},
		{"/agent/ada/identity", fact, byUser, "ada", Belief{NoRules: true}, "fact", false},
		{"/agent/ada/identity", fact, `{"kind":"web"}`, "ada", Belief{}, "fact", false},
		{"/agent/ada/identity", fact, byUser, "bob", Belief{}, "withheld", false},
		{"/agent/ada/identity", fact, byUser, "", Belief{}, "withheld", false},
		{"/agent/a/b/identity", fact, byUser, "", Belief{}, "fact", false},
		{"/agent/ada/notes", rule, byUser, "bob", Belief{}, "rule", false},
		{"/x/ada/identity", rule, byUser, "", Belief{}, "rule", false},
	} {
		it := itemOf(c.key, c.text, c.source)
		if got := names[c.place.Standing(it, c.agent)]; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
		if got := c.place.Describes(it, c.agent); got != c.describes {
			t.Errorf("%+v: describes %v", c, got)
		}
	}
	if (Belief{}).Describes(itemOf("/a", fact, byUser), "") {
		t.Error("no agent is described")
	}
	known := Belief{Known: func(rec log.Record) bool { return string(rec.Content) == "1" }}
	for text, want := range map[string]bool{"1": true, "2": false} {
		rec := log.Record{Envelope: log.Envelope{Content: []byte(text)}}
		if known.Admits(rec) != want || !(Belief{}).Admits(rec) {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// Whose pin it is: the source says so, or the writer.
func TestPins(t *testing.T) {
	for _, c := range []struct {
		caller     backend.Caller
		by, source string
		want       string
		ofPerson   bool // as the result says
	}{
		{person, "", `{"kind":"agent"}`, `{"kind":"agent","pinned_by":"user"}`, true},
		{person, "", `{"kind":"web","Pinned-By":"x"}`, `{"kind":"web","pinned_by":"user"}`, true},
		{client, "", `{"kind":"user"}`, `{"kind":"user","pinned_by":"codex"}`, false},
		{ada, "", `{"kind":"user"}`, `{"kind":"user","pinned_by":"ada"}`, false},
		{ada, "", `{"name":"x"}`, `{"name":"x","pinned_by":"ada"}`, false},
		{ada, "", `{"kind":"agent","pinned_by":"user"}`, `{"kind":"agent"}`, false},
		{person, `"bot"`, `{"kind":"user"}`, `{"kind":"user","pinned_by":"bot"}`, false},
		{person, "", `"chat"`, `"chat"`, true},
		{person, "", ``, ``, true},
	} {
		var by []byte
		if c.by != "" {
			by = []byte(c.by)
		}
		got := string(PinSource(c.caller, by, []byte(c.source)))
		if got != c.want || IsPinOfPerson([]byte(got)) != c.ofPerson ||
			PinsAsPerson(c.caller, by) != (c.by == "" && IsPerson(c.caller)) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	const rule, note = `{"type":"rule"}`, `{"kind":"agent","name":"mem note"}`
	for _, c := range []struct {
		text, source    string
		repository, pin bool
	}{
		{`{"pinned":true}`, `{"kind":"web"}`, true, true},
		{rule, byUser, false, true}, {rule, byUser, true, false},
		{rule, `{"kind":"web"}`, false, false}, {`{"text":"a"}`, byUser, false, false},
		{rule, note, false, true}, {`{"text":"a"}`, note, false, false},
		{rule, `{"kind":"agent","name":"mem note","pinned_by":"x"}`, false, true},
	} {
		rec := log.Record{Envelope: log.Envelope{Key: keypath.MustParse("/a"),
			Content: []byte(c.text), Source: []byte(c.source)}}
		if IsPinned(rec, c.repository) != c.pin {
			t.Errorf("%+v", c)
		}
	}
}

func TestRulesOf(t *testing.T) {
	for agent, want := range map[string]string{"": "[/rules]", "ada": "[/rules /agent/ada]",
		"a b": "[/rules /agent/a b]", "a/": "[/rules]", "a\x00": "[/rules]"} {
		if got := fmt.Sprint(RulesOf(backend.Caller{Agent: agent})); got != want {
			t.Errorf("%q: %s", agent, got)
		}
	}
	for key, of := range map[string]string{"/agent/ada/identity": "ada", "/agent/identity": "",
		"/agent/ada/identity/x": "", "/agents/ada/identity": "", "/a": ""} {
		if got := IdentityOf(key); got != of {
			t.Errorf("%s: %q", key, got)
		}
		for _, c := range []backend.Caller{person, ada, bob} {
			if got := DescribesOther(c, keypath.MustParse(key)); got != (of != "" &&
				of != c.Agent) {
				t.Errorf("%s for %+v: %v", key, c, got)
			}
			below, _ := keypath.ParsePrefix("/agent")
			if got := OnPage(c, below, keypath.MustParse(key)); got != (of == "" || of == c.Agent) {
				t.Errorf("%s on a page of %+v: %v", key, c, got)
			}
		}
	}
	if OnPage(person, keypath.Prefix{}, keypath.MustParse(inSession)) {
		t.Error("words of a session on a page of all")
	}
}

func TestSpeakers(t *testing.T) {
	for _, c := range []struct {
		caller   backend.Caller
		kind, id string
		want     bool
	}{
		{person, "agent", "ada", true}, {ada, "agent", "ada", true}, {ada, "agent", "bob", false},
		{ada, "user", "me", true}, {ada, "tool", "x", true},
	} {
		if MaySpeakAs(c.caller, c.kind, c.id) != c.want {
			t.Errorf("%+v", c)
		}
	}
	key := keypath.MustParse(adas)
	for _, c := range []struct {
		caller backend.Caller
		verb   Verb
		as     string
	}{
		{person, Forget, "ada"}, {person, Set, ""}, {client, Forget, ""}, {bob, Forget, "bob"},
		{ada, Forget, "ada"},
	} {
		if got := Reader(c.caller, c.verb, key).Agent; got != c.as {
			t.Errorf("%+v %s: %q", c.caller, c.verb, got)
		}
	}
	if got := Reader(person, Forget, keypath.MustParse("/a")); got != person {
		t.Errorf("%+v", got)
	}
}

// A person decides: a call without an answer, with one, and by a program.
func TestPersons(t *testing.T) {
	both := backend.Caller{Client: "codex", Agent: "ada"}
	for _, c := range []struct {
		caller backend.Caller
		is     bool
	}{{person, true}, {script, true}, {client, false}, {ada, false}, {both, false}} {
		if IsPerson(c.caller) != c.is {
			t.Errorf("%+v", c.caller)
		}
		key := keypath.MustParse("/a")
		for _, trusted := range []bool{true, false} {
			err := CheckTrusted(c.caller, trusted, key)
			var p *PersonError
			if (err == nil) != (trusted || c.is) || err != nil && (!errors.As(err, &p) ||
				p.Agent != c.caller.Agent || p.Client != c.caller.Client) {
				t.Errorf("%+v trusted %v: %v", c.caller, trusted, err)
			}
		}
	}
	unattended := map[string]error{
		"approve": CheckPerson(script, Approve), "tune": CheckPerson(script, Tune),
		"set": CheckPerson(script, Set), "copy": CheckNoAgent(script, "copy"),
		"revert":  CheckRevert(script, Undo, keypath.MustParse("/a"), []byte(byUser)),
		"agent's": CheckRevert(client, Undo, keypath.MustParse("/a"), []byte(wire)),
	}
	for name, err := range unattended {
		if errors.Is(err, ErrUnattended) != (name == "approve") || name != "approve" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := unattended["approve"].(*UnattendedError)
	if err.Error() != "approve: there is no terminal to ask whether a person wants this" ||
		err.Advice().String() != "repeat it with --yes, if the answer is yes" {
		t.Errorf("%v: %s", err, err.Advice())
	}
	for name, want := range map[string]string{"": "set", "nothing": "nothing"} {
		v := Plain(name)
		if name == "" {
			v = VerbNamed("set")
		}
		if v.String() != want || !v.Adds() || v.Restores() {
			t.Errorf("%q: %s", name, v)
		}
	}
	if !slices.Equal(Verbs()[:2], []Verb{Set, Rm}) || VerbNamed("none") != Plain("none") {
		t.Error("the table of operations")
	}
}

// Every member that a complete source needs, and what each lacks.
func TestCompleteSources(t *testing.T) {
	const at = `"retrieved_at":"2026-02-22T10:00:00Z"`
	const noTrace = "no locator with a trace (URL, path, query, id or hash)"
	for source, want := range map[string]string{
		complete: "",
		`"chat"`: "the source is only a string, want an object with kind, name, retrieved_at, locator",
		`{}`:     "no kind, no name, no retrieved_at, " + noTrace,
		`{"kind":"x","name":" ","retrieved_at":7,"locator":"u"}`: `kind "x", want one of user, ` +
			`tool, web, file, system, agent, no name, retrieved_at "7" is no ISO 8601 time`,
		`{"kind":"web","name":"n",` + at + `,"locator":{"id":null,"x":[],"y":{},"z":false}}`: noTrace,
		`{"kind":"web","name":"n",` + at + `,"locator":" "}`:                                 noTrace,
		`{"kind":"web","name":"n",` + at + `,"locator":{"id":7}}`:                            "",
		`{"kind":"web","name":"n",` + at + `,"locator":"p. 3"}`:                              "",
		`{"Kind":"web","NAME":"n","Retrieved_At":"2026-02-22T10:00:00Z","Locator":"p. 3"}`:   "",
	} {
		s := parseSource([]byte(source))
		err := s.complete("due")
		got := ""
		var e *ProvenanceError
		if errors.As(err, &e) {
			got = strings.Join(e.Wrong, ", ")
		}
		if got != want || (err == nil) != (want == "") {
			t.Errorf("%s:\n got %s\nwant %s", source, got, want)
		}
	}
	for source, want := range map[string]string{`{"kind":"web","Kind":"user"}`: `"kind" and "Kind" ` +
		`are one member`, `{"kind":"web"}`: ""} {
		if got := parseSource([]byte(source)).ambiguous(); got != want {
			t.Errorf("%s: %s", source, got)
		}
	}
	for source, want := range map[string]bool{`" "`: true, `"a"`: false, `{}`: true,
		`{"a":1}`: false} {
		if got := parseSource([]byte(source)).blank(); got != want {
			t.Errorf("%s: %v", source, got)
		}
	}
}

// When provenance is due, and what is wrong without it.
func TestDue(t *testing.T) {
	wiki, _ := keypath.ParsePrefix("/wiki/x")
	rules := Rules{Knowledge: []keypath.Prefix{wiki}}
	all := Rules{Knowledge: []keypath.Prefix{{}}}
	for _, c := range []struct {
		rules       Rules
		key, source string
		want        string
	}{
		{rules, "/a", `"x"`, ""}, {rules, "/kb", `"x"`, "keys under /kb"},
		{rules, "/KB/a", `"x"`, "keys under /KB"}, {rules, "/kbx", `"x"`, ""},
		{rules, "/wiki/x/y", `"x"`, "keys under /wiki/x"}, {rules, "/wiki", `"x"`, ""},
		{rules, "/wiki/xy", `"x"`, ""}, {all, "/a", `"x"`, "keys under /"},
		{rules, "/a", `{"kind":"web"}`, "kind web"}, {rules, "/a", `{"kind":"tool"}`, "kind tool"},
		{rules, "/a", `{"kind":"file"}`, "kind file"}, {rules, "/a", `{"kind":"user"}`, ""},
		{rules, "/a", `{"url":"https://x.org"}`, "content from a URL"},
		{rules, "/a", `{"kind":"user","url":"https://x.org"}`, ""},
	} {
		got := c.rules.due(keypath.MustParse(c.key), parseSource([]byte(c.source)))
		if c.want != "" && got != "provenance is required for "+c.want || c.want == "" &&
			got != "" {
			t.Errorf("%s %s: %q", c.key, c.source, got)
		}
		if c.rules.IsKnowledge(keypath.MustParse(c.key)) != strings.HasPrefix(c.want, "keys") {
			t.Errorf("%s is knowledge, or not", c.key)
		}
	}
	for source, want := range map[string]string{
		`{"kind":"x"}`:               `source: kind "x", want one of user, tool, web, file, system, agent`,
		`{"kind":"user","Kind":"x"}`: `source: "kind" and "Kind" are one member`,
		`{}`:                         "source: it is blank, and every write needs a source",
		`{"kind":"web"}`: "source: provenance is required for kind web: no name, no retrieved_at, " +
			"no locator with a trace (URL, path, query, id or hash)",
	} {
		err := facts(person, Set, 0, "/a", `1`, source).checkProvenance(&Ground{})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", source, err)
		}
		if err := facts(person, Set, 0, "/a", `null`,
			source).checkProvenance(&Ground{}); err != nil {
			t.Errorf("%s of a tombstone: %v", source, err)
		}
	}
	for due, want := range map[string]string{
		"": "name the source, like --source 'chat with Ada', or --kind user --name chat",
		"x": "give --kind --name --retrieved-at and --url or --locator, " +
			"or quarantine it with --on-untrusted=quarantine",
	} {
		if got := (&ProvenanceError{Due: due}).Advice().String(); got != want {
			t.Errorf("%q: %s", due, got)
		}
	}
}

func TestLimits(t *testing.T) {
	is := func(err, want error) bool {
		return (err == nil) == (want == nil) && errors.Is(err,
			want)
	}
	long := func(n int) []byte { return make([]byte, n) }
	for _, c := range []struct{ got, want error }{
		{CheckSizes(long(MaxContent), long(MaxSource), 0), nil},
		{CheckSizes(long(MaxContent+1), nil, 0), ErrTooLarge},
		{CheckSizes(nil, long(MaxSource+1), Given), ErrTooLarge},
		{CheckLine(MaxBatchLine), nil}, {CheckLine(MaxBatchLine + 1), ErrTooLarge},
		{CheckNote(strings.Repeat("ü", MaxNote), make([]string, MaxNoteTags)), nil},
		{CheckNote(strings.Repeat("ü", MaxNote+1), nil), ErrLongNote},
		{CheckNote("", make([]string, MaxNoteTags+1)), ErrTooLarge},
	} {
		if !is(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if err := CheckNote("", make([]string, MaxNoteTags+1)); errors.Is(err, ErrLongNote) ||
		err.Error() != "tags: too large: 6 tags, at most 5" {
		t.Error(err)
	}
	if err := CheckSizes(long(MaxContent+1), nil, 0); err.Error() !=
		"content: too large: 1048577 bytes, at most 1048576" {
		t.Error(err)
	}
}

// What a channel shows by place, and what may take the place of what.
func TestPlaced(t *testing.T) {
	label := func(text string) keypath.Label {
		return content.LabelOf(keypath.MustParse("/a"), []byte(text))
	}
	const none, preference = `{"text":"a"}`, `{"type":"preference"}`
	for channel, want := range map[string]string{"private": "none", "team": "none", "agent": "none",
		"public": ""} {
		set, err := Placed(channel)
		if err != nil || set.Has(label(none)) != (want != "") ||
			set.Has(label(preference)) != (channel == "private") ||
			set.Has(label(`{"sensitivity":"high"}`)) != (channel == "private" ||
				channel == "team") ||
			set.Has(label(`{"channel":"private"}`)) != (channel == "private") ||
			!set.Has(label(`{"channel":"public"}`)) {
			t.Errorf("%s: %b, %v", channel, set, err)
		}
	}
	if _, err := Placed("all"); err == nil {
		t.Error("a channel that is none")
	}
	for channel, want := range map[string]int{"private": 3, "agent": 2, "public": 1, "x": 0} {
		if got := len(Sensitivities(channel)); got != want {
			t.Errorf("%s: %d", channel, got)
		}
	}
	a, b := keypath.MustParse("/a"), keypath.MustParse("/b")
	for _, c := range []struct{ was, is, channel string }{
		{none, none, ""}, {`{"channel":"public"}`, none, "team"},
		{`{"channel":"private"}`, none, ""}, {none, `{"sensitivity":"secret"}`, "private"},
		{`{"channel":"team"}`, `{"channel":"agent"}`, "team"},
		{`{"channel":"agent"}`, `{"channel":"team"}`, ""},
	} {
		err := CheckSuccessor(a, b, label(c.was), label(c.is))
		var e *ReservedError
		if (err == nil) != (c.channel == "") || err != nil && (!errors.As(err, &e) || e.Key != a ||
			!strings.HasPrefix(e.Why, "channel "+c.channel+" ") ||
			!strings.Contains(e.Todo.String(), "/b")) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestLabels(t *testing.T) {
	sealed := `{"sensitivity":"high","sealed":` + sealedBy + `abc"}`
	for _, c := range []struct {
		key, text string
		refused   bool
	}{
		{"/rules/user/a", `{"sensitivity":"high"}`, true}, {"/decision/a",
			`{"sensitivity":"secret"}`, true},
		{"/task", `{"sensitivity":"high"}`, true}, {"/handoff/s/a", `{"sensitivity":"high"}`, true},
		{"/agent/ada/x", `{"sensitivity":"high"}`, true}, {"/agent", `{"sensitivity":"high"}`,
			false},
		{"/tasks", `{"sensitivity":"high"}`, false}, {"/task/a", sealed, false},
		{"/task/a", `{"sensitivity":"none"}`, false}, {"/task/a", `{"sensitivity":"odd"}`, true},
	} {
		err := facts(person, Set, 0, c.key, c.text, `"x"`).checkLabel(&Ground{})
		if errors.Is(err, ErrReserved) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for text, want := range map[string]string{sealed: `{"sensitivity":"high"}`,
		`{"x":` + sealedBy + `"}`: `{"x":` + sealedBy + `"}`, `[` + sealedBy + `"]`: `[` +
			sealedBy + `"]`,
		`{"a":1}`: `{"a":1}`} {
		if got := string(withoutSealed([]byte(text))); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// What a caller is shown where it names no key, class by class.
func TestClassesShown(t *testing.T) {
	keys := []string{"/a", "/user/a", "/rules/user/a", "/note/session/a", adas, inSession,
		"/session/s", event, "/artifact/art_" + ulid, "/handoff/s/a", "/file/a", "/untrusted/a"}
	var text strings.Builder
	for _, c := range []backend.Caller{person, ada, bob} {
		for _, below := range []string{"", "/session", "/event/s", "/artifact", "/handoff", "/file",
			"/agent/ada"} {
			var prefix keypath.Prefix
			if below != "" {
				prefix, _ = keypath.ParsePrefix(below)
			}
			w := backend.Where{Conditions: backend.Conditions{Prefix: prefix}}
			fmt.Fprintf(&text, "%q below %q:", c.Agent, below)
			for _, name := range keys {
				key := keypath.MustParse(name)
				for letter, shown := range []bool{Permits(c, key), Visible(c, key),
					ForSearch(c, w).Shows(key.Realm()), ForPage(c, w).Shows(key.Realm()),
					ForBundle(c, w).Shows(key.Realm()), Browses(prefix, key),
					OnPage(c, prefix, key)} {
					if shown {
						text.WriteByte("kvspbwo"[letter])
					} else {
						text.WriteByte('-')
					}
				}
				text.WriteByte(' ')
			}
			text.WriteByte('\n')
		}
	}
	isGolden(t, "shown.txt", text.String())
}

// The head of a session, and what it takes.
func TestSessionHeads(t *testing.T) {
	at, _ := log.ParseTime("2026-02-22T10:00:00Z")
	for text, want := range map[string]SessionHead{
		`{"version":2,"closed_at":"2026-02-22T10:00:00Z","deleted_bytes":7,"x":1}`: {2, at, 7},
		`{"version":-1,"closed_at":"soon","deleted_bytes":1.5}`:                    {},
		`{"version":"2","closed_at":null}`:                                         {},
		`["version",1]`:                                                            {}, ``: {}, `{}`: {},
	} {
		if got := ParseHead([]byte(text)); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for _, c := range []struct {
		head SessionHead
		want error
		do   string
	}{
		{SessionHead{}, nil, ""}, {SessionHead{Version: SessionVersion}, nil, ""},
		{SessionHead{Version: SessionVersion + 1, Closed: 1}, ErrNewer, "install the newer mem"},
		{SessionHead{Version: 1, Closed: 1}, ErrClosed,
			"mem session close s --reopen opens it again"},
	} {
		isRefusal(t, c.head.CheckOpen("s"), c.want, c.do)
	}
	isRefusal(t, DeletedError("s"), ErrDeleted, "mem undo /session/s restores it")
	isRefusal(t, &FullError{"s", 9, 8, false}, ErrFull,
		"mem session compact s drops the least relevant records")
	isRefusal(t, &FullError{"s", 9, 3 << 20, true}, ErrFull, "its last compaction kept only "+
		"relevant records: mem config set storage.max_session_size_mb 6 allows more, mem session "+
		"create makes a new one, and mem search --session s --sort importance shows what could be "+
		"forgotten")
	if err := (&FullError{"s", 9, 8, false}).Error(); err !=
		"s: the session is full: 9 bytes with this, at most 8" {
		t.Error(err)
	}
	for _, c := range []struct{ head, live, deleted, want int64 }{{0, 5, 3, 8}, {2, 5, 3, 6},
		{4, 5, 3, 5}} {
		if got := (SessionHead{Deleted: c.head}).Size(c.live, c.deleted); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for key, want := range map[string]string{"/session/s": "/session/s", inSession: "/session/s",
		"/session/s/x": "/session/s", "/a": "", "/sessions/s": ""} {
		gate, ok := Gate(keypath.MustParse(key))
		if ok != (want != "") || ok && (gate.String() != want ||
			SessionID(keypath.MustParse(key)) != "s") {
			t.Errorf("%s: %s, %v", key, gate, ok)
		}
	}
}

// isRefusal checks an error of a session: its reason, kind and advice.
func isRefusal(t *testing.T, err, want error, do string) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Error(err)
		}
		return
	}
	refusal, ok := err.(interface {
		error
		Kind() string
		Advice() advice.List
	})
	if !ok || !errors.Is(err, want) || refusal.Kind() != "refused" ||
		refusal.Advice().String() != do || !strings.HasPrefix(err.Error(), "s: "+want.Error()) {
		t.Errorf("%v: %q, want %v: %q", err, refusal.Advice(), want, do)
	}
}

// Each operation proposes a change of a rule by its own command.
func TestRuleAdvice(t *testing.T) {
	for verb, want := range map[Verb]string{
		Set: "mem set /a --text TEXT --propose", Rm: "mem forget /a --propose",
		Forget: "mem forget /a --propose", Unpin: "mem pin --off /a --propose",
		Note: "mem note TEXT --replaces /a --propose", Edit: "mem edit /a --propose",
		Mv: "mem set /a --text TEXT --propose, or mem forget /a --propose,",
	} {
		e := &RuleError{Key: keypath.MustParse("/a"), Verb: verb, Caller: client}
		want += " asks the user, and the rule stays in force until then"
		if got := e.Advice().String(); got != want {
			t.Errorf("%s: %s, want %s", verb, got, want)
		}
		if e.Error() != "/a: a rule of the user, and codex runs this" || !errors.Is(e, ErrPerson) ||
			!errors.Is(e, ErrRule) || errors.Is(e, ErrReserved) {
			t.Errorf("%v", e)
		}
	}
	for agent, want := range map[string]string{"ada": "MEM_AGENT says that agent ada calls; a " +
		"person unsets it", "": "run it in your own terminal, not behind the client's `!`"} {
		e := &PersonError{Agent: agent, Why: "x"}
		if agent == "" {
			e.Client = "codex"
		}
		if got := e.Advice().String(); got != want {
			t.Errorf("%s", got)
		}
	}
}

func TestProposals(t *testing.T) {
	for key, want := range map[string]bool{aProposal: true, Proposals: false, "/untrusted/a": false,
		"/untrusted/proposals/a": false} {
		if IsProposal(keypath.MustParse(key)) != want {
			t.Error(key)
		}
		released, err := Released(keypath.MustParse(key))
		if errors.Is(err, ErrReserved) != want || !want &&
			"/untrusted"+released.String() != key {
			t.Errorf("%s: %s, %v", key, released, err)
		}
	}
	for below, want := range map[string]bool{"/untrusted": false, Proposals: true, aProposal: true,
		Proposals + "s": false} {
		if prefix, _ := keypath.ParsePrefix(below); Proposing(prefix) != want {
			t.Error(below)
		}
	}
	_, _, err := Quarantine(keypath.MustParse("/proposal/a"), []byte(`"s"`), errors.New("x"), 0)
	if !errors.Is(err, ErrReserved) {
		t.Error(err)
	}
}

// The id of an event's session may look random, and so may none of its words.
func TestSecretsOfEvents(t *testing.T) {
	const random = "xK8vQ2mN7pL4tR9wZ3c" + "F6hJ1bD5gS0yA8eU2iO7q" // never was a secret
	in := func(key, text, source string) int {
		return len(Secrets(keypath.MustParse(key), []byte(text), []byte(source)))
	}
	name := "/event/" + random + "/evt_" + ulid
	session := `{"session_id":"` + random + `"}`
	if n := in("/a", session, `"x"`); n != 1 {
		t.Errorf("it does not look random: %d", n)
	}
	if n := in(name, session, `{"locator":{"session":"`+random+`"}}`); n != 0 {
		t.Errorf("%d", n)
	}
	if in(name, `{"text":"`+random+`"}`, `"x"`) != 1 || in(event, `{"session_id":"`+madeUp+`"}`,
		`"x"`) != 1 {
		t.Error("other secrets of an event")
	}
}

// A key among records that is none, and among entries that is none.
func TestReserved(t *testing.T) {
	var text strings.Builder
	for _, key := range []string{"/a", event, "/event/s/x", "/event/s", "/artifact/x", adas,
		"/agent/ada/core/x", "/agent/ada/journal/x", "/agent/ada/core", "/agent/ada/notes/core",
		"/x/ada/core/x", "/note/user/m-1", "/note/user/x", "/untrusted/a", "/decision/dec-1"} {
		for _, stored := range []bool{false, true} {
			err := CheckReserved(keypath.MustParse(key), stored)
			fmt.Fprintf(&text, "%v: %v\n", stored, err)
			if e, ok := err.(*ReservedError); ok {
				fmt.Fprintf(&text, "  %s\n", e.Advice())
			}
		}
		for _, was := range []string{"", "1"} {
			for _, is := range []string{"null", "1"} {
				stored := []byte(was)
				if was == "" {
					stored = nil
				}
				err := CheckAppend(keypath.MustParse(key), []byte(is), stored)
				fmt.Fprintf(&text, "%s after %s: %v\n", is, was, err)
				if e, ok := err.(*ReservedError); ok {
					fmt.Fprintf(&text, "  %s\n", e.Advice())
				}
			}
		}
	}
	isGolden(t, "reserved.txt", text.String())
}
