package proposal_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/internal/view/memtool"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"pgregory.net/rapid"
)

// ruleStore is a store with rules, facts and claims.
type ruleStore struct {
	*mem.Store
	testing.TB
	now time.Time
}

// fatal is what rapid.T and testing.T have.
type fatal interface {
	Fatal(args ...any)
	Helper()
}

func newRuleStore(t testing.TB, open func(now func() time.Time) backend.Backend) *ruleStore {
	s := &ruleStore{TB: t, now: storetest.Noon}
	now := func() time.Time { return s.now }
	s.Store = mem.New(open(now), mem.Options{Now: now, Warn: func(string) {}})
	t.Cleanup(func() {
		rep, err := s.Fsck(ctx, person, mem.FsckOptions{})
		if err != nil || len(rep.Found) > 0 {
			t.Errorf("the test leaves a damaged store: %v %v", rep.Found, err)
		}
		s.Close()
	})
	return s
}

func inMemory(now func() time.Time) backend.Backend { return memstore.New(now) }

// eachBackend runs a test on files, in memory and on PostgreSQL. open opens an empty store.
func eachBackend(t *testing.T, test func(t *testing.T, open func(testing.TB) *ruleStore)) {
	t.Run("memory", func(t *testing.T) {
		test(t, func(t testing.TB) *ruleStore { return newRuleStore(t, inMemory) })
	})
	t.Run("files", func(t *testing.T) {
		test(t, func(t testing.TB) *ruleStore {
			return newRuleStore(t, func(now func() time.Time) backend.Backend {
				s, err := filestore.Open(storetest.Dir(t)+"/memory", filestore.Options{Now: now})
				must(t, err)
				return s
			})
		})
	})
	t.Run("postgres", func(t *testing.T) {
		url := pgtest.Shared(t).Database(t)
		t.Cleanup(pgtest.Stop)
		_, err := pgstore.Migrate(ctx, url)
		must(t, err)
		spaces := 0
		test(t, func(t testing.TB) *ruleStore {
			spaces++
			name := fmt.Sprintf("r%d", spaces)
			_, err := pgstore.AddSpace(ctx, url, name, nil)
			must(t, err)
			place, err := pgstore.ParseURL(url + "&space=" + name)
			must(t, err)
			return newRuleStore(t, func(now func() time.Time) backend.Backend {
				s, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir(), Now: now,
					LockWait: time.Hour})
				must(t, err)
				return s
			})
		})
	})
}

var (
	aClient = mem.Caller{Client: "codex"}
	anAgent = mem.Caller{Agent: "bot"}
)

// rule is a rule of the user, one of each kind.
type rule struct{ kind, key, text string }

// rules are made by fill, in this order.
var rules = []rule{
	{"identity", "/agent/ada/identity", "Ada reviews parsers"},
	{"rule of the user", "/rules/user/style", "Indent with tabs"},
	{"rule of the org", "/rules/org/license", "Ship under Apache"},
	{"rule of the project", "/rules/project/build", "Compile using make"},
	{"preference", "/user/diet", "No cilantro anywhere"},
	{"type rule", "/project/language", "Answer always in French"},
	{"file", "/memories/desk", "Standing desk on Mondays"},
	{"approved claim", "/user/editor", "Vim beats nano"},
	{"tagged note", "/note/workspace/m-1", "Never deploy Fridays"},
	{"pinned note", "/note/workspace/m-2", "Water the ficus"},
	{"pinned note of an agent", "/note/workspace/m-3", "Backups run nightly"},
}

func (r rule) isNote() bool { return strings.HasPrefix(r.key, "/note/") }

// must ends a test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put stores a content as a caller.
func (s *ruleStore) put(c mem.Caller, key, text string) error {
	_, err := s.Set(ctx, c, mem.Write{Key: keypath.MustParse(key),
		Content: []byte(text), Source: []byte(`"chat"`)}, mem.SetOptions{})
	return err
}

// fill stores the rules in two versions, and facts.
func (s *ruleStore) fill() {
	s.Helper()
	must(s, s.put(aClient, "/user/editor", `{"type":"preference","text":"Vim beats nano"}`))
	w, err := s.Waiting(ctx, person, keypath.MustParse("/user/editor"))
	must(s, err)
	_, err = s.Approve(ctx, person, w.Shown(), mem.ApproveOptions{})
	must(s, err)
	for i := range 2 {
		for n, r := range rules {
			for _, f := range "ab" {
				must(s, s.put(aClient, fmt.Sprintf("/fact/%d/%c", n, f),
					fmt.Sprintf(`{"text":"%d %d %c"}`, i, n, f)))
			}
			switch {
			case r.kind == "approved claim" || r.isNote() && i > 0:
			case r.isNote():
				must(s, s.note(r))
			default:
				must(s, s.put(person, r.key, fmt.Sprintf(`{"type":"rule","text":%q,"v":%d}`,
					r.text, i)))
			}
		}
	}
	must(s, s.put(person, "/user/peer", `{"type":"rule","text":"Peers of people"}`))
}

// note stores the note of a rule.
func (s *ruleStore) note(r rule) error {
	c, o := person, note.Options{Pinned: r.kind == "pinned note"}
	switch {
	case r.kind == "tagged note":
		o.Tags = []string{"preference"}
	case !o.Pinned:
		c = aClient
	}
	_, err := note.Add(ctx, s.Store, c, r.text, o)
	if err == nil && c == aClient {
		_, err = edit.Pin(ctx, s.Store, person, []keypath.Key{r.parsed()}, true, edit.Author{})
	}
	return err
}

func (r rule) parsed() keypath.Key { return keypath.MustParse(r.key) }

// rules returns the rules of the user of a store, each as key, time, source and content.
func (s *ruleStore) rules(t fatal) map[string]string {
	t.Helper()
	found := map[string]string{}
	op, err := s.Begin(person, policy.Read)
	if err == nil {
		err = s.List(ctx, person, mem.Filter{All: true},
			func(rec log.Record) error {
				if op.IsRule(rec) {
					found[rec.Key.String()] = fmt.Sprintf("%s %s %s", rec.TS, rec.Source,
						rec.Content)
				}
				return nil
			})
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changeOf is a function of a view that writes, on two keys and with a text.
type changeOf struct {
	name string
	run  func(s *ruleStore, c mem.Caller, key, other keypath.Key, text string) error
}

// viewChanges has the functions of the views that write a key which their caller names.
var viewChanges = []changeOf{
	{"set", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		return s.put(c, key.String(), fmt.Sprintf(`{"text":%q}`, text))
	}},
	{"set a rule", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		return s.put(c, key.String(), fmt.Sprintf(`{"type":"rule","text":%q}`, text))
	}},
	{"delete", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, _, err := s.Delete(ctx, c, []keypath.Key{key}, nil)
		return err
	}},
	{"lines", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		line := fmt.Sprintf(`{"key":%q,"content":{"text":%q},"source":"x"}`, key, text)
		_, err := s.SetAll(ctx, c, strings.NewReader(line), mem.BatchOptions{})
		return err
	}},
	{"forget", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, _, err := forget.Delete(ctx, s.Store, c, []keypath.Key{key}, "old", nil)
		return err
	}},
	{"edit", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		rec, err := s.Get(ctx, person, key, false)
		if err == nil {
			_, err = edit.Replace(ctx, s.Store, c, rec,
				fmt.Appendf(nil, `{"text":%q,"type":"rule"}`, text), edit.Author{})
		}
		return err
	}},
	{"touch", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		_, err := edit.Touch(ctx, s.Store, c, []keypath.Key{key},
			edit.Changes{Add: []string{"preference", "t" + fmt.Sprint(len(text))},
				Importance: []byte("0.9")}, edit.Author{})
		return err
	}},
	{"expire", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, err := edit.Touch(ctx, s.Store, c, []keypath.Key{key},
			edit.Changes{Expires: "2026-02-22T12:00:01Z"}, edit.Author{})
		return err
	}},
	{"merge away", func(s *ruleStore, c mem.Caller, key, other keypath.Key, _ string) error {
		_, err := edit.Merge(ctx, s.Store, c, []keypath.Key{key, other}, other,
			edit.MergeOptions{})
		return err
	}},
	{"merge in", func(s *ruleStore, c mem.Caller, key, other keypath.Key, _ string) error {
		_, err := edit.Merge(ctx, s.Store, c, []keypath.Key{other, key}, key,
			edit.MergeOptions{})
		return err
	}},
	{"rename", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		to := keypath.MustParse(fmt.Sprintf("/user/moved/%d", len(text)))
		_, err := edit.Rename(ctx, s.Store, c, key, to, edit.RenameOptions{})
		return err
	}},
	{"rename over", func(s *ruleStore, c mem.Caller, key, other keypath.Key, _ string) error {
		_, err := edit.Rename(ctx, s.Store, c, other, key,
			edit.RenameOptions{Replace: true})
		return err
	}},
	{"undo", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, err := edit.Undo(ctx, s.Store, c, key, nil, edit.Author{})
		return err
	}},
	{"supersede", func(s *ruleStore, c mem.Caller, key, other keypath.Key, _ string) error {
		_, err := edit.Supersede(ctx, s.Store, s.Store, c, key, other, edit.Author{})
		return err
	}},
	{"supersede by a rule", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, err := edit.Supersede(ctx, s.Store, s.Store, c, key,
			keypath.MustParse("/user/peer"), edit.Author{})
		return err
	}},
	{"note", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		_, err := note.Add(ctx, s.Store, c, text, note.Options{
			Replaces: []keypath.Key{key}, Supersede: edit.Superseding(edit.Author{})})
		return err
	}},
	{"pinned note", func(s *ruleStore, c mem.Caller, _, _ keypath.Key, text string) error {
		_, err := note.Add(ctx, s.Store, c, text, note.Options{Pinned: true,
			Tags: []string{"preference"}})
		return err
	}},
	{"import", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		line := fmt.Sprintf(`{"key":%q,"ts":%q,"valid":true,"source":"x","content":{"type":"rule",`+
			`"text":%q}}`, key, log.StampOf(s.now), text)
		_, err := transfer.Import(ctx, s.Store, c,
			transfer.Incoming{Stream: strings.NewReader(line)}, transfer.ImportOptions{Force: true})
		return err
	}},
	{"move away", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		to := newRuleStore(s.TB, inMemory)
		_, err := transfer.Move(ctx, c, transfer.MoveJob{From: s.Store,
			To: to.Store, Keys: []keypath.Key{key}})
		return err
	}},
	{"tool", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, text string) error {
		for _, command := range []string{`{"command":"create","path":"/memories/m","file_text":%q}`,
			`{"command":"insert","path":"/memories/desk","insert_line":0,"insert_text":%q}`,
			`{"command":"rename","old_path":"/memories/desk","new_path":"/memories/%s"}`} {
			_, err := memtool.New(s.Store, c, nil).Call(ctx,
				fmt.Appendf(nil, command, text))
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"undo the last", func(s *ruleStore, c mem.Caller, _, _ keypath.Key, _ string) error {
		last, err := edit.LastCommand(mem.Caller{}, edit.Stores{List: []*mem.Store{s.Store}})
		if err == nil {
			_, err = edit.UndoCommand(ctx, c, last, edit.Author{})
		}
		return err
	}},
}

// pinChanges are the functions for pins, which change what they are not about too.
var pinChanges = []changeOf{
	{"pin", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, err := edit.Pin(ctx, s.Store, c, []keypath.Key{key}, true, edit.Author{})
		return err
	}},
	{"unpin", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		_, err := edit.Pin(ctx, s.Store, c, []keypath.Key{key}, false, edit.Author{})
		return err
	}},
}

// Every function of a view leaves every rule to a person, on every kind of store.
func TestRulesAgainstViews(t *testing.T) {
	var refused, let int
	eachBackend(t, func(t *testing.T, open func(testing.TB) *ruleStore) {
		s := open(t)
		s.fill()
		was := s.rules(t)
		if len(was) != len(rules)+1 {
			t.Fatalf("%d rules: %v", len(was), was)
		}
		for _, c := range []mem.Caller{aClient, anAgent} {
			for _, v := range append(pinChanges, viewChanges...) {
				for n, r := range rules {
					s.now = s.now.Add(time.Second)
					fact := keypath.MustParse(fmt.Sprintf("/fact/%d/a", n))
					err := v.run(s, c, r.parsed(), fact, r.text)
					if errors.Is(err, policy.ErrPerson) {
						refused++
					} else {
						let++
					}
				}
				if now := s.rules(t); !maps.Equal(now, was) {
					t.Errorf("%+v: %s: %v became %v", c, v.name, was, now)
					was = now
				}
			}
		}
	})
	t.Logf("%d refused, %d not", refused, let)
	filter := flag.Lookup("test.run").Value.String()
	if refused < 1000 && !strings.Contains(filter, "/") {
		t.Errorf("%d refusals", refused)
	}
}

// No sequence of edits by a client changes which rules there are, or one of them.
func TestNoEditsChangeRules(t *testing.T) {
	all := append(pinChanges, viewChanges...)
	rapid.Check(t, func(rt *rapid.T) {
		s := newRuleStore(t, func(now func() time.Time) backend.Backend {
			m := memstore.New(now)
			m.Configure([]byte(`{"memory":{"max_total":5}}`))
			return m
		})
		s.fill()
		was := s.rules(rt)
		must(t, s.put(aClient, "/user/claim", `{"type":"preference","text":"a claim"}`))
		keys := []string{"/user/claim", "/user/new", "/rules/user/new", "/user/peer"}
		for n, r := range rules {
			keys = append(keys, r.key, r.key, fmt.Sprintf("/fact/%d/a", n),
				fmt.Sprintf("/fact/%d/b", n))
		}
		var did []string
		for range 30 {
			v := rapid.SampledFrom(all).Draw(rt, "function")
			c := rapid.SampledFrom([]mem.Caller{aClient, anAgent}).Draw(rt, "caller")
			key := rapid.SampledFrom(keys).Draw(rt, "key")
			other := rapid.SampledFrom(keys).Draw(rt, "other")
			text := rapid.SampledFrom([]string{"changed", "x", rules[0].text, rules[8].text,
				rules[9].text, rules[10].text}).Draw(rt, "text")
			s.now = s.now.Add(time.Second)
			err := v.run(s, c, keypath.MustParse(key), keypath.MustParse(other), text)
			did = append(did, fmt.Sprintf("%s %s %s %q: %v", v.name, key, other, text, err))
			if now := s.rules(rt); !maps.Equal(now, was) {
				rt.Fatalf("%s\n%v\nbecame\n%v", strings.Join(did, "\n"), was, now)
			}
		}
	})
}

// A person who only rearranges memories makes no rule of a claim.
func TestClaimsStayClaims(t *testing.T) {
	names := []string{"set", "set a rule", "lines", "note", "pinned note", "import", "tool",
		"move away", "supersede by a rule"} // they write a person's text, or take a line away
	all := []changeOf{}
	for _, v := range viewChanges {
		if !strings.Contains(strings.Join(names, ",")+",", v.name+",") {
			all = append(all, v)
		}
	}
	all = append(all, carrying...)
	rapid.Check(t, func(rt *rapid.T) {
		s := newRuleStore(t, inMemory)
		keys := s.claims(rt)
		var did []string
		for range 30 {
			v := rapid.SampledFrom(all).Draw(rt, "function")
			key := rapid.SampledFrom(keys).Draw(rt, "key")
			other := rapid.SampledFrom(keys).Draw(rt, "other")
			text := rapid.SampledFrom([]string{"changed", "x", "Claim 1"}).Draw(rt, "text")
			s.now = s.now.Add(time.Second)
			err := v.run(s, person, keypath.MustParse(key), keypath.MustParse(other), text)
			did = append(did, fmt.Sprintf("%s %s %s %q: %v", v.name, key, other, text, err))
			if now := s.rules(rt); len(now) > 0 {
				rt.Fatalf("%s\nmade\n%v", strings.Join(did, "\n"), now)
			}
		}
	})
}

// claims stores claims in two versions and returns their keys, and those of no memory.
func (s *ruleStore) claims(t fatal) []string {
	t.Helper()
	for range 2 {
		s.now = s.now.Add(time.Second)
		must(s, s.put(aClient, "/user/c1", `{"type":"preference","text":"Claim 1"}`))
		must(s, s.put(anAgent, "/project/c2", `{"type":"rule","text":"Claim 2","pinned":true}`))
		_, err := note.Add(ctx, s.Store, aClient, fmt.Sprint("Claim at ", s.now.Second()),
			note.Options{Tags: []string{"preference"}, Source: []byte(`"chat"`)})
		must(s, err)
		_, err = transfer.Import(ctx, s.Store, person, transfer.Incoming{Stream: strings.NewReader(
			`{"key":"/rules/user/c3","content":{"text":"Claim 3"},"source":"chat"}` + "\n" +
				`{"key":"/user/c4","content":{"text":"Claim 4","type":"rule"},"source":{"kind":"user"}}`)},
			transfer.ImportOptions{})
		must(s, err)
	}
	return []string{"/user/c1", "/project/c2", "/note/workspace/m-1", "/note/workspace/m-2",
		"/rules/user/c3", "/user/c4", "/user/c5", "/rules/user/c6"}
}

// carrying are functions that bring memories back the way they are.
var carrying = []changeOf{
	{"move and back", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		to := newRuleStore(s.TB, inMemory)
		to.now = s.now
		for _, job := range []transfer.MoveJob{{From: s.Store, To: to.Store},
			{From: to.Store, To: s.Store}} {
			job.Keys = []keypath.Key{key}
			if _, err := transfer.Move(ctx, c, job); err != nil {
				return err
			}
		}
		return nil
	}},
	{"export and import", func(s *ruleStore, c mem.Caller, key, _ keypath.Key, _ string) error {
		var file bytes.Buffer
		_, err := transfer.Export(ctx, s.Store, c, &file, transfer.ExportOptions{})
		if err != nil {
			return err
		}
		if _, _, err = s.Delete(ctx, c, []keypath.Key{key}, nil); err != nil {
			return err
		}
		s.now = s.now.Add(time.Second)
		_, err = transfer.Import(ctx, s.Store, c,
			transfer.Incoming{Stream: &file}, transfer.ImportOptions{Mine: true})
		return err
	}},
	{"copy", func(s *ruleStore, c mem.Caller, _, _ keypath.Key, _ string) error {
		to := newRuleStore(s.TB, inMemory)
		_, err := transfer.Copy(ctx, c, transfer.CopyJob{
			From: transfer.Side{Store: s.Store, Name: "a"},
			To:   transfer.Side{Store: to.Store, Name: "b"}})
		if made := to.rules(s.TB); err == nil && len(made) > 0 {
			return fmt.Errorf("the copy has rules: %v", made)
		}
		return err
	}},
}
