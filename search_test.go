package mem_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func keysFound(found []mem.Found) string {
	var keys []string
	for _, f := range found {
		keys = append(keys, f.Record.Key.String())
	}
	return strings.Join(keys, " ")
}

func keysOf(list []log.Record) string {
	var keys []string
	for _, rec := range list {
		keys = append(keys, rec.Key.String())
	}
	return strings.Join(keys, " ")
}

// each puts contents by key, an hour apart.
func each(f *storetest.Store, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		f.Put(pairs[i], pairs[i+1])
		f.Clock = f.Clock.Add(time.Hour)
	}
}

// Every condition and order of a search, with words and without.
func TestSearchConditions(t *testing.T) {
	f := newStore(t)
	each(f, "/a", `{"type":"fact","text":"alpha one","importance":0.9,"tags":["x"]}`,
		"/b", `{"type":"fact","text":"alpha two","importance":0.1,"tags":["x","y"]}`,
		"/c/d", `{"type":"decision","text":"alpha three","importance":0.9}`,
		"/old", `{"text":"alpha four","superseded_by":"/a"}`,
		"/gone", `{"text":"alpha five","expired_at":"2026-02-22T13:00:00Z"}`)
	at := func(hours int) *log.Stamp {
		ts := log.StampOf(noon.Add(time.Duration(hours) * time.Hour))
		return &ts
	}
	isA := func(rec log.Record) bool { return rec.Key == keyOf("/a") }
	byLength := func(c mem.Candidate) float64 {
		key, _ := c.Key()
		return float64(len(key.String()))
	}
	for _, c := range []struct {
		name string
		o    mem.SearchOptions
		want string
	}{
		{"all", mem.SearchOptions{}, "/c/d /b /a"},
		{"superseded", mem.SearchOptions{Conditions: mem.Conditions{Superseded: true}},
			"/old /c/d /b /a"},
		{"limit", mem.SearchOptions{Limit: 2}, "/c/d /b"},
		{"types", mem.SearchOptions{Conditions: mem.Conditions{Types: []string{"fact"}}}, "/b /a"},
		{"tags", mem.SearchOptions{Tags: []string{"x", "!y"}}, "/a"},
		{"since", mem.SearchOptions{Conditions: mem.Conditions{Since: at(1)}}, "/c/d /b"},
		{"until", mem.SearchOptions{Conditions: mem.Conditions{Until: at(1)}}, "/b /a"},
		{"importance", mem.SearchOptions{Conditions: mem.Conditions{MinImportance: 0.9}},
			"/c/d /a"},
		{"importance of ten", mem.SearchOptions{Conditions: mem.Conditions{MinImportance: 9}},
			"/c/d /a"},
		{"prefix", mem.SearchOptions{Conditions: mem.Conditions{Prefix: prefixOf("/c")}}, "/c/d"},
		{"important first", mem.SearchOptions{Sort: mem.ByImportance}, "/c/d /a /b"},
		{"accepted", mem.SearchOptions{Accept: isA}, "/a"},
		{"accepted of another class", mem.SearchOptions{Accept: isA,
			AcceptOf: backend.Classes(0).With(keypath.Event)}, "/c/d /b /a"},
		{"relevance", mem.SearchOptions{Relevance: byLength}, "/c/d /b /a"},
		{"page", mem.SearchOptions{ForPage: true}, "/c/d /b /a"},
		{"words by time", mem.SearchOptions{Sort: mem.ByTime}, "/c/d /b /a"},
		{"limit by time", mem.SearchOptions{Sort: mem.ByTime, Limit: 1}, "/c/d"},
		{"limit by importance", mem.SearchOptions{Sort: mem.ByImportance, Limit: 2}, "/c/d /a"},
	} {
		found, err := f.Search(ctx, mem.Caller{}, c.o)
		if err != nil || keysFound(found) != c.want {
			t.Errorf("%s: %q, %v, want %s", c.name, keysFound(found), err, c.want)
		}
		for _, f := range found {
			if f.Match != 1 || f.Untrusted || (f.Score != 0) != (c.o.Relevance != nil) {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		c.o.Query = "alpha"
		found, err = f.Search(ctx, mem.Caller{}, c.o)
		sorted := c.o.Sort != mem.ByRelevance || c.o.Relevance != nil
		if err != nil || sorted && keysFound(found) != c.want ||
			!sorted && (len(strings.Fields(c.want)) != len(found) ||
				c.name != "limit" && !sameKeys(keysFound(found), c.want)) {
			t.Errorf("%s with words: %q, %v, want %s", c.name, keysFound(found), err, c.want)
		}
	}
	for query, want := range map[string]string{`alpha -one`: "/c/d /b", `"alpha one"`: "/a"} {
		found, err := f.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: query})
		if err != nil || !sameKeys(keysFound(found), want) {
			t.Errorf("%s: %q, %v", query, keysFound(found), err)
		}
		found, err = f.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: query, Plain: true})
		if err != nil || !sameKeys(keysFound(found), "/a /b /c/d") {
			t.Errorf("%s, plain: %q, %v", query, keysFound(found), err)
		}
	}
	for _, o := range []mem.SearchOptions{{Query: "key:/a key:/b"}, {Tags: []string{""}},
		{Tags: []string{"a,!b"}}, {Query: "alpha", Tags: []string{"a,!b"}}} {
		if _, err := f.Search(ctx, mem.Caller{}, o); !errors.Is(err, mem.ErrInput) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if found, err := f.Search(ctx, mem.Caller{}, mem.SearchOptions{Plain: true}); err != nil ||
		len(found) != 0 {
		t.Errorf("no words: %v, %v", found, err)
	}
	ran, err := f.Journaled()
	if f.Must(err); ran[len(ran)-1].Op != "search" || ran[len(ran)-1].Count != 0 {
		t.Errorf("%+v", ran[len(ran)-1])
	}
}

// The hints for a condition on tags that is none.
func TestTagErrors(t *testing.T) {
	const precedes = "! may only precede the whole list; each condition has a flag of its own:"
	for tag, want := range map[string]string{
		"a,!b":      "tag a,!b: PRECEDES --tag 'a' --tag '!b'",
		"!a,!b, c'": `tag !a,!b, c': PRECEDES --tag 'c'\''' --tag '!a' --tag '!b'`,
		"":          "tag: it is empty; ", " ! , ": "tag: it is empty; ",
		"!!a": "tag !!a: PRECEDES --tag '!a'",
	} {
		_, err := mem.SearchOptions{Tags: []string{tag}}.Where(0)
		want = strings.Replace(want, "PRECEDES", precedes, 1)
		if got := fmt.Sprint(err, "; ", mem.Hint(err)); err == nil || got != want {
			t.Errorf("%q:\n got %s\nwant %s", tag, got, want)
		}
	}
}

// References lead from a record to those that it names, level by level: by key, by the id beside
// it, and by an id that one record alone has.
func TestReferences(t *testing.T) {
	f := newStore(t)
	each(f, "/d/a", `{"text":"a","references":["/d/b","c","far-1","two-1","x/y","/none","d e"]}`,
		"/d/b", `{"text":"b","references":["/d/a","/deep"]}`, "/d/c", `{"text":"c"}`,
		"/elsewhere/far-1", `{"text":"far"}`, "/x/two-1", `{"text":"two"}`,
		"/y/two-1", `{"text":"two"}`, "/deep", `{"text":"deep","references":["/deeper"]}`,
		"/deeper", `{"text":"deeper","references":["/deep"]}`, "/not/c", `{"text":"c"}`)
	refs := content.References([]byte(f.Content("/d/a")))
	if len(refs) != 7 {
		t.Fatalf("references are %q", refs)
	}
	for _, c := range []struct {
		depth int
		query string
		want  string
	}{
		{0, "", "/d/b /d/c /elsewhere/far-1"}, {1, "", "/d/b /d/c /elsewhere/far-1"},
		{2, "", "/d/b /d/c /elsewhere/far-1 /deep"},
		{9, "", "/d/b /d/c /elsewhere/far-1 /deep /deeper"}, {2, "deep", "/deep /d/b"},
	} {
		o := mem.SearchOptions{References: keyOf("/d/a"), Depth: c.depth, Query: c.query}
		found, err := f.Search(ctx, mem.Caller{}, o)
		if err != nil || !sameKeys(keysFound(found), c.want) {
			t.Errorf("%d %q: %q, %v", c.depth, c.query, keysFound(found), err)
		}
	}
	for name, o := range map[string]mem.SearchOptions{
		"limit": {Limit: 1, Sort: mem.ByTime},
		"accepted": {Accept: func(rec log.Record) bool {
			return rec.Key == keyOf(
				"/elsewhere/far-1")
		}},
		"prefix": {Conditions: mem.Conditions{Prefix: prefixOf("/elsewhere")}},
		"since": {Conditions: mem.Conditions{Since: func() *log.Stamp {
			at := log.StampOf(noon.Add(
				3 * time.Hour))
			return &at
		}()}},
	} {
		o.References = keyOf("/d/a")
		found, err := f.Search(ctx, mem.Caller{}, o)
		if err != nil || keysFound(found) != "/elsewhere/far-1" {
			t.Errorf("%s: %q, %v", name, keysFound(found), err)
		}
	}
	for _, c := range []struct {
		from string
		mem.Caller
	}{{"/none", mem.Caller{}}, {"/agent/ada/core/" + anID, mem.Caller{}}} {
		_, err := f.Search(ctx, c.Caller, mem.SearchOptions{References: keyOf(c.from)})
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("%s: %v", c.from, err)
		}
	}
	f.Put("/agent/ada/core/"+anID, `{"text":"mine","references":["/d/c"]}`)
	f.Put("/late", `{"text":"l","expired_at":"2026-02-22T12:00:00Z"}`)
	for from, found := range map[string]bool{"/agent/ada/core/" + anID: true, "/late": false} {
		_, err := f.Search(ctx, mem.Caller{Agent: "ada"},
			mem.SearchOptions{References: keyOf(from)})
		if errors.Is(err, mem.ErrNotFound) == found {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// A reference names a note by its short form, where it means that note alone.
func TestReferencesToShortIDs(t *testing.T) {
	f := newStore(t)
	each(f, "/d/a", `{"text":"a","references":["m-1","m-2","m-3","dec"]}`)
	for _, id := range []string{"workspace/m-1-abcd", "user/m-2-abcd", "workspace/m-2-wxyz",
		"workspace/m-13-abcd"} {
		f.Import("/note/"+id, `{"text":"m-1 m-2 m-3"}`)
	}
	f.Put("/x/dec-abcd", `{"text":"no note"}`)
	found, err := f.Search(ctx, mem.Caller{}, mem.SearchOptions{References: keyOf("/d/a")})
	if err != nil || keysFound(found) != "/note/workspace/m-1-abcd" {
		t.Errorf("%q, %v", keysFound(found), err)
	}
	f.Put("/d/b", `{"text":"b","references":["/note/workspace/m-13","/note/workspace/m-2",`+
		`"/note/user/m-1"]}`) // as they were before the notes got letters
	found, err = f.Search(ctx, mem.Caller{}, mem.SearchOptions{References: keyOf("/d/b")})
	if err != nil || keysFound(found) != "/note/workspace/m-13-abcd" {
		t.Errorf("%q, %v", keysFound(found), err)
	}
}

// With a relevance the caller orders what words find, by match, importance, type and time.
func TestRelevance(t *testing.T) {
	f := newStore(t)
	each(f, "/a", `{"type":"fact","text":"alpha alpha alpha","importance":0.2}`,
		"/b", `{"type":"decision","text":"alpha and many more words that say nothing of it at all"}`,
		"/c", `{"text":"gamma"}`)
	for i := range 30 {
		f.Put(fmt.Sprintf("/n/%d", i), `{"text":"the common words of every day"}`)
	}
	for _, relevant := range []bool{false, true} {
		seen := map[string]mem.Candidate{}
		o := mem.SearchOptions{Query: "alpha", Relevant: relevant,
			Relevance: func(c mem.Candidate) float64 {
				key, ok := c.Key()
				if !ok {
					t.Error("no key")
				}
				seen[key.String()] = c
				return 1 - c.Match
			}}
		found, err := f.Search(ctx, mem.Caller{}, o)
		if err != nil || keysFound(found) != "/b /a" || found[1].Match != 1 ||
			found[1].Score != 0 ||
			found[0].Match >= 1 || found[0].Match <= 0 || found[0].Score != 1-found[0].Match {
			t.Errorf("%+v, %v", found, err)
		}
		a := seen["/a"]
		if a.Type != "fact" || a.Importance != 0.2 || a.Time != log.StampOf(noon) {
			t.Errorf("%+v", a)
		}
		o.Limit = 1
		if found, err = f.Search(ctx, mem.Caller{}, o); err != nil || keysFound(found) != "/b" {
			t.Errorf("limited: %q, %v", keysFound(found), err)
		}
		o.Sort = mem.ByTime
		if found, err = f.Search(ctx, mem.Caller{}, o); err != nil || keysFound(found) != "/b" {
			t.Errorf("by time: %q, %v", keysFound(found), err)
		}
		o.Relevance = func(mem.Candidate) float64 { return 1 }
		o.Sort, o.Limit = mem.ByRelevance, 0
		if found, err = f.Search(ctx, mem.Caller{}, o); err != nil || keysFound(found) != "/b /a" {
			t.Errorf("all as relevant: %q, %v", keysFound(found), err)
		}
	}
}

// Of equal relevance the newest comes first, and of one time the lesser key.
func TestEquallyRelevant(t *testing.T) {
	f := newStore(t)
	f.Import("/b", `{"text":"alpha alpha"}`)
	f.Import("/a", `{"text":"alpha and other words"}`)
	found, err := f.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "alpha",
		Relevance: func(mem.Candidate) float64 { return 1 }})
	if err != nil || keysFound(found) != "/a /b" {
		t.Errorf("%q, %v", keysFound(found), err)
	}
	found, err = f.Search(ctx, mem.Caller{}, mem.SearchOptions{Query: "alpha", Sort: mem.ByTime})
	if err != nil || keysFound(found) != "/a /b" {
		t.Errorf("by time: %q, %v", keysFound(found), err)
	}
}

// What answers a question often has none of its words: it is found beside it where somebody said
// it, and not where it is a fact.
func TestNeighbors(t *testing.T) {
	for _, member := range []string{"speaker", "role"} {
		testNeighbors(t, member)
	}
}

func testNeighbors(t *testing.T, member string) {
	f := newStore(t)
	for i, text := range []string{"where is the red bicycle", "in the cellar", "weather is fine",
		"yes it is", "and warm too"} {
		id := fmt.Sprintf("/session/s/mem_01ARZ3NDEKTSV4RRFFQ69G5FA%d", i)
		f.Put(id, `{"`+member+`":"x","text":"`+text+`"}`)
		f.Put(fmt.Sprintf("/fact/a-%d", i), `{"text":"`+text+`"}`)
		f.Clock = f.Clock.Add(time.Second)
	}
	for name, o := range map[string]mem.SearchOptions{"score": {},
		"relevance": {Relevance: func(c mem.Candidate) float64 { return c.Match }}} {
		o.Query = "red bicycle"
		found, err := f.Search(ctx, mem.Caller{}, o)
		f.Must(err)
		spoken := 0
		for _, hit := range found {
			has := strings.Contains(string(hit.Record.Content), "bicycle")
			if !has {
				spoken++
			}
			if !has && hit.Record.Key.Class() != keypath.Remembered ||
				o.Relevance != nil && hit.Neighbor == has {
				t.Errorf("%s: %s, neighbor %v", name, hit.Record.Key, hit.Neighbor)
			}
		}
		if spoken == 0 {
			t.Errorf("%s: no neighbor in %q", name, keysFound(found))
		}
	}
}

// Of what stands beside a match a bundle takes events alone.
func TestNeighborsOfMatches(t *testing.T) {
	f := newStore(t)
	for i, text := range []string{"where is the red bicycle", "in the cellar", "weather is fine",
		"yes it is", "and warm too"} {
		f.Import(fmt.Sprintf("/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA%d", i),
			`{"session_id":"s","actor":{"kind":"user"},"type":"message","text":"`+text+`"}`)
		f.Put(fmt.Sprintf("/fact/a-%d", i), `{"text":"`+text+`"}`)
		f.Clock = f.Clock.Add(time.Second)
	}
	cl, err := f.Reader(mem.Caller{}).Cleared(ctx, "")
	f.Must(err)
	defer cl.Close()
	matches, _, err := cl.Matches(ctx, "red bicycle", keypath.Prefix{}, 9)
	f.Must(err)
	var keys []string
	for _, m := range matches {
		keys = append(keys, m.Key.String())
	}
	got := strings.Join(keys, " ")
	if !strings.Contains(got, "/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA1") ||
		!strings.Contains(got, "/fact/a-0") || strings.Contains(got, "/fact/a-1") {
		t.Errorf("%q", got)
	}
}

// Hits that are not clearly relevant are marked, come without a record, and are not counted.
func TestRelevantHits(t *testing.T) {
	f := newStore(t)
	for i := range 30 {
		f.Put(fmt.Sprintf("/n/%d", i), fmt.Sprintf(`{"text":"the common words of every day %d"}`,
			i))
	}
	f.Put("/one", `{"text":"zebra crossing"}`)
	o := mem.SearchOptions{Query: "common zebra crossing", Relevant: true, Explain: true}
	found, err := f.Search(ctx, mem.Caller{}, o)
	f.Must(err)
	below := 0
	for _, hit := range found {
		if hit.Below {
			below++
		}
	}
	ran, err := f.Journaled()
	f.Must(err)
	if below == 0 || ran[len(ran)-1].Count != len(found)-below || len(found[0].Parts) == 0 {
		t.Errorf("%d of %d below, %+v", below, len(found), ran[len(ran)-1])
	}
	o.Sort = mem.ByTime
	found, err = f.Search(ctx, mem.Caller{}, o)
	for _, hit := range found {
		if hit.Below {
			t.Errorf("by time: %+v", hit)
		}
	}
	o.Sort, o.Relevance = mem.ByRelevance, func(mem.Candidate) float64 { return 1 }
	found, failed := f.Search(ctx, mem.Caller{}, o)
	if f.Must(errors.Join(err, failed)); keysFound(found) != "/one" {
		t.Errorf("by a relevance of its own: %q", keysFound(found))
	}
}

// What a bundle reads for a channel: by key, by place, newest, important, and by words.
func TestClearedReader(t *testing.T) {
	f := newStore(t)
	each(f, "/a", `{"text":"alpha plain"}`, "/p",
		`{"text":"alpha public","channel":"public","importance":0.9}`,
		"/s", `{"text":"alpha secret","sensitivity":"secret"}`,
		"/t", `{"text":"alpha team","channel":"team","type":"decision","importance":0.1}`,
		"/old", `{"text":"alpha old","channel":"team","superseded_by":"/t"}`,
		"/session/s", `{"version":1}`, spoken, `{"text":"alpha said","channel":"team"}`,
		"/r", aRule, "/agent/ada/identity", `{"text":"I am Ada"}`,
		"/late", `{"text":"alpha","channel":"public","expired_at":"2026-02-22T11:00:00Z"}`)
	at := log.StampOf(noon.Add(3 * time.Hour))
	for _, c := range []struct {
		channel, get, placed, newest, important, all, placedAll,
		matches string
	}{
		{"team", "/p /t /old", "/a /p /t", "/t /p", "/p", "/old /t /p",
			"/p /agent/ada/identity /r /a /t",
			"/p /t"},
		{"public", "/p", "/p", "/p", "/p", "/p", "/p", "/p"},
		{"", "/a /p /s /t /old", "/a /p /s /t", "/agent/ada/identity /r /t /s /p /a",
			"/p", "/agent/ada/identity /r /old /t /s /p /a", "", "/a /p /s /t"},
	} {
		cl, err := f.Reader(mem.Caller{}).Cleared(ctx, c.channel)
		f.Must(err)
		var get, placed []string
		for _, key := range []string{"/a", "/p", "/s", "/t", "/old", "/none", "/session/s",
			"/late"} {
			if rec, found, err := cl.Get(ctx, keyOf(key)); found && err == nil {
				get = append(get, rec.Key.String())
			}
			if rec, found, err := cl.GetPlaced(ctx, keyOf(key)); found && err == nil {
				placed = append(placed, rec.Key.String())
			}
		}
		newest, err1 := cl.Newest(ctx, keypath.Prefix{}, 0)
		important, err2 := cl.Important(ctx, keypath.Prefix{}, 0.6)
		all, err3 := cl.All(ctx, keypath.Prefix{})
		byPlace, err4 := cl.Placed(ctx, keypath.Prefix{})
		matches, terms, err5 := cl.Matches(ctx, "alpha", keypath.Prefix{}, 9)
		f.Must(errors.Join(err1, err2, err3, err4, err5))
		var found []string
		for _, m := range matches {
			found = append(found, m.Key.String())
		}
		for what, pair := range map[string][2]string{
			"get": {strings.Join(get, " "), c.get}, "placed": {strings.Join(placed, " "), c.placed},
			"newest": {keysOf(newest), c.newest}, "important": {keysOf(important), c.important},
			"all": {keysOf(all), c.all}, "by place": {keysOf(byPlace), c.placedAll},
		} {
			if pair[0] != pair[1] && !(c.channel == "" && strings.Contains(what, "place")) {
				t.Errorf("%q %s: %q, want %q", c.channel, what, pair[0], pair[1])
			}
		}
		if !sameKeys(strings.Join(found, " "), c.matches) || strings.Join(terms, " ") != "alpha" {
			t.Errorf("%q: %q by %q", c.channel, found, terms)
		}
		one, err := cl.Newest(ctx, prefixOf("/t"), 1, "decision")
		if f.Must(err); c.channel == "team" && keysOf(one) != "/t" {
			t.Errorf("decisions: %q", keysOf(one))
		}
		if rec, found, err := cl.SessionInfo(ctx, keyOf("/session/s")); !found || err != nil ||
			rec.Key != keyOf("/session/s") {
			t.Errorf("the session: %v, %v", found, err)
		}
		if _, found, _ := cl.SessionInfo(ctx, keyOf("/a")); found {
			t.Error("no session")
		}
		rule, err := f.Get(ctx, mem.Caller{}, keyOf("/r"), false)
		f.Must(err)
		fact, err := f.Get(ctx, mem.Caller{}, keyOf("/a"), false)
		f.Must(err)
		ada, err := f.Get(ctx, mem.Caller{}, keyOf("/agent/ada/identity"), false)
		f.Must(err)
		if !cl.IsRule(rule) || cl.IsRule(fact) || !cl.Describes(ada, "ada") || cl.Describes(ada,
			"bob") ||
			cl.Describes(fact, "ada") {
			t.Error("a rule, or an identity")
		}
		cl.Close()
	}
	if _, err := f.Reader(mem.Caller{}).Cleared(ctx, "all"); !errors.Is(err, mem.ErrInput) {
		t.Errorf("a channel that is none: %v", err)
	}
	cl, err := f.Reader(mem.Caller{}).Cleared(ctx, "")
	f.Must(err)
	defer cl.Close()
	for key, want := range map[string]bool{"/a": true, "/event/s/evt_" + anID: false} {
		rec := log.Record{Envelope: log.Envelope{Key: keyOf(key), Content: []byte(`{"text":"a"}`),
			Source: []byte(`{"kind":"web","name":"x"}`)}}
		if got := cl.Mark(rec); strings.Contains(got, "web") != want {
			t.Errorf("%s: %q", key, got)
		}
	}
	if list, err := cl.ListBetween(ctx, keypath.Event, 0, at); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// Events of an interval, and those of a class.
func TestClassesOfRecords(t *testing.T) {
	f := newStore(t)
	for i, key := range []string{"/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA1",
		"/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA2", "/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA3"} {
		f.Clock = noon.Add(time.Duration(i) * time.Hour)
		f.Import(key, `{"text":"e"}`)
	}
	f.Put("/a", `{"text":"a"}`)
	f.Put("/agent/ada/core/"+anID, `{"text":"a","superseded_by":"/a"}`)
	cl, err := f.Reader(mem.Caller{}).Cleared(ctx, "")
	f.Must(err)
	defer cl.Close()
	list, err := cl.ListBetween(ctx, keypath.Event, log.StampOf(noon.Add(time.Hour)),
		log.StampOf(noon.Add(time.Hour)))
	if err != nil || keysOf(list) != "/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA2" {
		t.Errorf("%q, %v", keysOf(list), err)
	}
	for _, c := range []struct {
		agent string
		class keypath.Class
		below string
		want  int
	}{{"", keypath.Event, "/event", 3}, {"", keypath.Event, "/event/s", 3}, {"", keypath.Event,
		"/a", 0},
		{"", keypath.Private, "/agent", 0}, {"ada", keypath.Private, "/agent", 1}} {
		list, err := f.ListClass(ctx, mem.Caller{Agent: c.agent}, prefixOf(c.below), c.class)
		if err != nil || len(list) != c.want {
			t.Errorf("%+v: %q, %v", c, keysOf(list), err)
		}
	}
	near, err := f.Reader(mem.Caller{}).FindNear(ctx, "a", 3)
	if err != nil || len(near) > 1 {
		t.Errorf("%q, %v", keysOf(near), err)
	}
}

// The page of a read: pinned ones first, rules before others, and the journal's newest.
func TestPinnedReads(t *testing.T) {
	f := newStore(t)
	each(f, "/rules/user/old", `{"text":"the oldest","importance":0.5}`, "/pin",
		`{"pinned":true,"text":"pinned","importance":0.9}`, "/r1",
		`{"type":"rule","text":"one","importance":0.5}`,
		"/r2", `{"type":"rule","text":"two","importance":0.9}`, "/r3",
		`{"type":"rule","text":"three","importance":0.5}`,
		"/rules/user/k", `{"text":"by its key"}`, "/x", `{"text":"plain"}`)
	w := write("/p2", `{"pinned":true,"text":"a client's pin"}`)
	w.Source = []byte(
		`{"kind":"web","name":"x","retrieved_at":"2026-02-22T10:00:00Z","locator":"u"}`)
	_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
	f.Must(err)
	w.Key, w.Content = keyOf("/p3"), []byte(`{"pinned":true,"importance":0.9,"text":"another pin"}`)
	_, err = f.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
	f.Must(err)
	keys := func(o mem.ReadOptions) string {
		page, err := f.Read(ctx, mem.Caller{}, o)
		f.Must(err)
		var list []string
		for _, e := range page.Entries {
			list = append(list, e.Key)
		}
		return strings.Join(list, " ")
	}
	all := keys(mem.ReadOptions{Limit: 1000, Pinned: true})
	if !strings.HasPrefix(all, "/pin /r2 /rules/user/old /r1 /r3 /rules/user/k /p3 /p2") {
		t.Errorf("pinned: %s", all)
	}
	if got := keys(mem.ReadOptions{Limit: 1000, Pinned: true, Prefix: prefixOf("/rules")}); got !=
		"/rules/user/k /rules/user/old" {
		t.Errorf("below a prefix: %s", got)
	}
	if got := keys(mem.ReadOptions{Limit: 1000, Query: "plain", Pinned: true}); got != "/x" {
		t.Errorf("words: %s", got)
	}
	only := func(rec log.Record) bool { return rec.Key == keyOf("/x") || rec.Key == keyOf("/r1") }
	if got := keys(mem.ReadOptions{Limit: 1000, Pinned: true, Accept: only}); got != "/r1 /x" {
		t.Errorf("accepted: %s", got)
	}
	if got := keys(mem.ReadOptions{Limit: 1000, Pinned: true,
		Prefix: prefixOf("/x")}); got != "/x" {
		t.Errorf("rules from outside of a prefix: %s", got)
	}
	if got := keys(mem.ReadOptions{Limit: 1000, Accept: only}); got != "/x /r1" {
		t.Errorf("not pinned: %s", got)
	}
	ran, err := f.Journaled()
	if f.Must(err); ran[len(ran)-1].Key != "/x" || ran[len(ran)-1].Count != 2 {
		t.Errorf("%+v", ran[len(ran)-1])
	}
	sizes, err := f.Reader(mem.Caller{}).Sizes(ctx, prefixOf("/session/s"), prefixOf("/session/o"))
	if err != nil || len(sizes) != 2 || sizes[0] != (mem.Size{}) {
		t.Errorf("%v, %v", sizes, err)
	}
	if _, err := f.Reader(mem.Caller{}).Sizes(ctx, prefixOf("/x")); !errors.Is(err,
		backend.ErrNoSize) {
		t.Error(err)
	}
	f.Put("/session/s", open)
	f.Put(spoken, `"said"`)
	if sizes, err = f.Reader(mem.Caller{}).Sizes(ctx, prefixOf("/session/s")); err != nil ||
		sizes[0].Live == 0 || sizes[0].Deleted != 0 {
		t.Errorf("%v, %v", sizes, err)
	}
}
