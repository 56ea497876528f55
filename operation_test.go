package mem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const anID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// given returns a write with a source and a time, "" for none.
func given(key, text, source, at string) mem.Write {
	w := write(key, text)
	if source != "" {
		w.Source = []byte(source)
	}
	if at != "" {
		ts, err := log.ParseTime(at)
		if err != nil {
			panic(err)
		}
		w.TS = &ts
	}
	return w
}

// checked returns a write that has passed.
func checked(t testing.TB, op *mem.Operation, w mem.Write) mem.Checked {
	t.Helper()
	p, err := op.Check(ctx, w, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// put stores checked writes in one update.
func put(op *mem.Operation, writes ...mem.Checked) error {
	_, err := op.Update(ctx, func(t *mem.Tx) error { return t.Put(writes...) })
	return err
}

func sourceOf(f *storetest.Store, key string) string {
	rec, err := f.Get(ctx, mem.Caller{}, keyOf(key), true)
	f.Must(err)
	return string(rec.Source)
}

func TestBegin(t *testing.T) {
	f := newStore(t)
	if _, err := f.Begin(mem.Caller{}, mem.Verb{}); !errors.Is(err, mem.ErrInput) {
		t.Errorf("no name: %v", err)
	}
	if _, err := f.Begin(aClient, policy.Approve); !errors.Is(err, policy.ErrPerson) {
		t.Errorf("a decision: %v", err)
	}
	if _, err := f.Begin(mem.Caller{}, policy.Set, "no-rule"); !errors.Is(err, mem.ErrInput) {
		t.Errorf("no rule: %v", err)
	}
	op, err := f.Begin(aClient, policy.Set, "github-pat")
	f.Must(err)
	if op.Caller() != aClient || op.Verb() != policy.Set || op.Store() != f.Store ||
		op.Elapsed() != 0 || op.Now() != log.StampOf(noon) {
		t.Errorf("%+v", op)
	}
	f.Must(stored(op, write("/a", `"`+testkit.Token+`"`)))
	if mem.NewOperation("mine").Writes(keypath.Remembered) {
		t.Error("a plain operation writes everything")
	}
	tick := noon
	s := mem.New(memstore.New(time.Now), mem.Options{Clock: func() time.Time {
		tick = tick.Add(time.Second)
		return tick
	}})
	if op := begun(t, s, mem.Caller{}, policy.Set); op.Elapsed() != time.Second {
		t.Errorf("%s", op.Elapsed())
	}
	at := mem.Caller{Now: 7}
	if op := begun(t, f.Store, at, policy.Set); op.Now() != 7 {
		t.Errorf("at %s", op.Now())
	}
}

// The source that an operation gives by itself says in whose name it runs.
func TestSourcesOfOperations(t *testing.T) {
	f := newStore(t)
	const at = `"retrieved_at":"2026-02-22T12:00:00.000000Z","locator":`
	for _, c := range []struct {
		caller                  mem.Caller
		kind, trace, want, file string
	}{
		{mem.Caller{}, "user", "key", `{"kind":"user","name":"n",` + at + `{"key":"v"}}`,
			"/d/f.md"},
		{mem.Caller{Client: "codex", Agent: "ada", Session: "s"}, "user", "key",
			`{"kind":"agent","name":"n",` + at +
				`{"key":"v","client":"codex","agent":"ada","session":"s"}}`, ""},
		{mem.Caller{Agent: "ada"}, "user", "agent",
			`{"kind":"agent","name":"n",` + at + `{"agent":"v"}}`, ""},
		{aClient, "tool", "key", `{"kind":"tool","name":"n",` + at + `{"key":"v"}}`, ""},
	} {
		op := begun(t, f.Store, c.caller, policy.Set)
		if got := string(op.Source(c.kind, "n", c.trace, "v")); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.caller, got, c.want)
		}
	}
	op := begun(t, f.Store, mem.Caller{}, policy.Import)
	for file, want := range map[string]string{
		"/d/f.md":                     `{"kind":"file","name":"f.md",` + at + `{"path":"/d/f.md"}}`,
		"/" + testkit.Token + "/f.md": `{"kind":"file","name":"f.md",` + at + `{"path":"f.md"}}`,
		"f":                           `{"kind":"file","name":"f",` + at + `{"path":"f"}}`,
	} {
		if got := string(op.FileSource(file)); got != want {
			t.Errorf("%s: %s", file, got)
		}
	}
}

// Only the operation that has checked a write may put it, and only under a key that it was checked
// for.
func TestUncheckedWrites(t *testing.T) {
	f := newStore(t)
	op, other := begun(t, f.Store, mem.Caller{}, policy.Set), begun(t, f.Store, mem.Caller{},
		policy.Set)
	p := checked(t, op, write("/a", "1"))
	refused, err := op.Check(ctx, write("/kb/a", "1"), false)
	if !errors.Is(err, policy.ErrProvenance) {
		t.Error(err)
	}
	for what, err := range map[string]error{"none": put(op, mem.Checked{}), "refused": put(op,
		refused),
		"another's": put(other, p), "after one": put(op, p, mem.Checked{})} {
		if !errors.Is(err, mem.ErrUnchecked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := refused.Named("x"); !errors.Is(err, mem.ErrUnchecked) {
		t.Errorf("named: %v", err)
	}
	if _, err := refused.Named(".."); !errors.Is(err, keypath.ErrKey) {
		t.Errorf("named by no key: %v", err)
	}
	for _, p := range []mem.Checked{p.IfFree(), p.IfChanged()} {
		if err := put(op, p); !errors.Is(err, mem.ErrInput) {
			t.Errorf("with a condition: %v", err)
		}
	}
	f.Must(put(op, p))
	if f.Keys() != "/a" {
		t.Error(f.Keys())
	}
	if p.Key() != keyOf("/a") || string(p.Content()) != "1" || p.Imported() ||
		p.Envelope().Key != keyOf("/a") || string(p.Envelope().Source) != `"chat"` {
		t.Errorf("%+v", p)
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error { return errFault })
	if err != errFault {
		t.Errorf("%v", err)
	}
}

// A number comes under the lock: the key is judged once more, and nothing else.
func TestNamedWrites(t *testing.T) {
	f := newStore(t)
	noted := checked(t, begun(t, f.Store, mem.Caller{}, policy.Note), write("/note/user",
		`{"text":"a"}`))
	p, err := noted.Named("m-1")
	f.Must(err)
	if p.Key().String() != "/note/user/m-1" {
		t.Error(p.Key())
	}
	for _, c := range []struct {
		p    mem.Checked
		id   string
		want error
	}{
		{noted, "a/b", mem.ErrInput}, {noted, "..", keypath.ErrKey},
		{checked(t, begun(t, f.Store, mem.Caller{}, policy.Set), write("/note/user", "1")), "m-1",
			policy.ErrReserved},
		{checked(t, begun(t, f.Store, mem.Caller{}, policy.Set), write("/session", "1")), "s",
			policy.ErrReserved},
	} {
		if _, err := c.p.Named(c.id); !errors.Is(err, c.want) {
			t.Errorf("%s/%s: %v, want %v", c.p.Key(), c.id, err, c.want)
		}
	}
	s := mem.New(memstore.New(time.Now), mem.Options{Belongs: func(key keypath.Key) error {
		if strings.HasSuffix(key.String(), "-1") {
			return errFault
		}
		return nil
	}})
	noted = checked(t, begun(t, s, mem.Caller{}, policy.Note), write("/note/user", `{"text":"a"}`))
	if _, err := noted.Named("m-1"); !errors.Is(err, errFault) {
		t.Errorf("in another layer: %v", err)
	}
	if err := stored(begun(t, s, mem.Caller{}, policy.Set), write("/x-1", "1")); err != errFault {
		t.Errorf("in another layer: %v", err)
	}
}

// Each condition of a write of a batch, on a key that never was, has one, and had one.
func TestConditions(t *testing.T) {
	free, changed := mem.Checked.IfFree, mem.Checked.IfChanged
	always := func(p mem.Checked) mem.Checked { return p }
	for _, c := range []struct {
		name      string
		when      func(mem.Checked) mem.Checked
		was, is   string
		source    string
		written   int
		unchanged int
		lost      bool
	}{
		{"free", free, "", "1", "", 1, 0, false}, {"taken", free, "2", "1", "", 0, 0, true},
		{"the same", free, "1", "1", "", 0, 0, true}, {"was free", free, "null", "1", "", 1, 0,
			false},
		{"always", always, "1", "1", "", 1, 0, false},
		{"changed", changed, "2", "1", "", 1, 0, false},
		{"unchanged", changed, "1", "1", "", 0, 1, false},
		{"unchanged by another", changed, "1", "1", `"me"`, 0, 1, false},
		{"new", changed, "", "1", "", 1, 0, false}, {"gone", changed, "null", "1", "", 1, 0, false},
		{"deletes none", changed, "", "null", "", 0, 1, false},
		{"deletes one", changed, "1", "null", "", 1, 0, false},
	} {
		f := newStore(t)
		if c.was != "" {
			f.Put("/k", "7")
			f.Put("/k", c.was)
		}
		op := begun(t, f.Store, mem.Caller{}, policy.Import)
		p := c.when(checked(t, op, given("/k", c.is, c.source, "")))
		rep, err := op.PutAll(ctx, []mem.Checked{p})
		if errors.Is(err, mem.ErrConflict) != c.lost || err != nil && !c.lost ||
			rep.Written != c.written || rep.Unchanged != c.unchanged {
			t.Errorf("%s: %+v, %v", c.name, rep, err)
		}
	}
}

// A line that resumes is left out where the key has its content and source.
func TestResume(t *testing.T) {
	const line, own = `{"key":"/k","content":{"a":1}}`,
		`{"key":"/k","content":{"a":1},"source":"own"}`
	src := func(name, at string) []byte {
		return []byte(`{"kind":"user","name":"` + name + `","retrieved_at":"` + at + `"}`)
	}
	const one, two = "2026-02-22T10:00:00Z", "2026-02-22T11:00:00Z"
	for _, c := range []struct {
		name      string
		first     string
		firstBy   []byte
		then      string
		thenBy    []byte
		unchanged int
	}{
		{"at another time", line, src("a", one), line, src("a", two), 1},
		{"by another", line, src("a", one), line, src("b", one), 0},
		{"its own", own, nil, own, nil, 1}, {"its own is another", line, src("a", one), own, nil,
			0},
		{"its own at another time", `{"key":"/k","content":1,"source":` + string(src("a", one)) +
			`}`,
			nil, `{"key":"/k","content":1,"source":` + string(src("a", two)) + `}`, nil, 0},
		{"other content", line, src("a", one), `{"key":"/k","content":2}`, src("a", one), 0},
	} {
		f := newStore(t)
		for i, text := range []string{c.first, c.then} {
			o := mem.BatchOptions{Resume: true, Source: [][]byte{c.firstBy, c.thenBy}[i]}
			rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(text), o)
			f.Must(err)
			if i == 1 && (rep.Unchanged != c.unchanged || rep.Written != 1-c.unchanged) {
				t.Errorf("%s: %+v", c.name, rep)
			}
		}
	}
	// What is in quarantine has a source of that time, and is known again all the same.
	f := newStore(t)
	kb := `{"key":"/kb/a","content":1,"source":"own"}`
	for want := range 2 {
		rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(kb),
			mem.BatchOptions{Resume: true, Quarantine: true})
		f.Must(err)
		if rep.Unchanged != want || rep.Apart != 1-want {
			t.Errorf("in quarantine: %+v", rep)
		}
		f.Clock = f.Clock.Add(time.Hour)
	}
}

// A write that is checked again keeps its time, its condition and its reason.
func TestCheckAgain(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Import)
	old := checked(t, op, given("/a", "1", "", "2020-01-01T00:00:00Z"))
	q, err := op.CheckAgain(ctx, old, keyOf("/b"), []byte("2"))
	f.Must(err)
	if !q.Imported() || q.Envelope().TS != old.Envelope().TS || q.Key() != keyOf("/b") ||
		string(q.Content()) != "2" {
		t.Errorf("%+v", q)
	}
	f.Put("/b", "2")
	set := begun(t, f.Store, mem.Caller{}, policy.Set)
	q, err = set.CheckAgain(ctx, checked(t, set, write("/a", "1")).IfFree(), keyOf("/b"),
		[]byte("2"))
	f.Must(err)
	if _, err := set.PutAll(ctx, []mem.Checked{q}); q.Imported() || !errors.Is(err,
		mem.ErrConflict) {
		t.Errorf("the condition is lost: %v", err)
	}
	if _, err := set.CheckAgain(ctx, old, keyOf("/kb/b"), []byte("2")); !errors.Is(err,
		policy.ErrProvenance) {
		t.Errorf("%v", err)
	}
}

// Only operations that bring envelopes from elsewhere keep a time that a write has.
func TestDatedWrites(t *testing.T) {
	f := newStore(t)
	dated := given("/a", "1", `{"kind":"user","name":"x"}`, "2026-02-22T12:00:01Z")
	verbs := append(policy.Verbs(), mem.NewOperation("bookmark"))
	for _, verb := range verbs {
		_, err := begun(t, f.Store, mem.Caller{}, verb).Check(ctx, dated, false)
		switch may := slices.Contains([]string{"set", "import", "move"}, verb.String()); {
		case may && err != nil:
			t.Errorf("%s: %v", verb, err)
		case !may && !errors.Is(err, mem.ErrInput):
			t.Errorf("%s stored under a time of its caller: %v", verb, err)
		}
	}
	if len(verbs) < 40 {
		t.Errorf("only %d verbs", len(verbs))
	}
}

// SameOrigin compares what a line without a source would get, whatever the time.
func TestSameOrigin(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Set)
	const one, other = `{"kind":"user","name":"a"}`, `{"kind":"user","name":"b"}`
	at := `{"kind":"user","name":"a","retrieved_at":"2026-02-22T10:00:00Z"}`
	lines := func(text string) mem.Checked {
		o := mem.BatchOptions{Source: []byte(one)}
		writes, bad, err := op.ReadLines(ctx, strings.NewReader(text), o, keypath.Prefix{})
		if err != nil || len(bad) > 0 {
			t.Fatal(bad, err)
		}
		return writes[0]
	}
	p := lines(`{"key":"/a","content":1}`)
	if !p.SameOrigin([]byte(at)) || p.SameOrigin([]byte(other)) ||
		lines(`{"key":"/a","content":1,"source":`+one+`}`).SameOrigin([]byte(one)) {
		t.Error("the same origin, or not")
	}
	if p.Claimed("import"); content.Claim(p.Claimed("import").Envelope().Source) != "import" {
		t.Error("no mark")
	}
}

// A new record of an append-only class may be put without a look at its key; what is there is
// replaced by none.
func TestDrawnWrites(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Event)
	const key = "/event/s/evt_" + anID
	p := checked(t, op, write(key, `{"text":"a"}`))
	f.Must(put(op, p.Drawn()))
	if err := put(op, p); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("replaced: %v", err)
	}
	if _, err := op.PutAll(ctx, []mem.Checked{p}); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("replaced by a batch: %v", err)
	}
	agent := mem.Caller{Agent: "ada"}
	f.Put("/r", `{"type":"rule"}`)
	set := begun(t, f.Store, agent, policy.Set)
	if err := put(set, checked(t, set, write("/r", "1")).Drawn()); !errors.Is(err, policy.ErrRule) {
		t.Errorf("a rule is replaced by a drawn write: %v", err)
	}
	imp := begun(t, f.Store, mem.Caller{}, policy.Import)
	again := checked(t, imp, given(key, `{"text":"b"}`, "", "2026-02-22T12:00:01Z"))
	if err := put(imp, again.Drawn()); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("imported over one: %v", err)
	}
	if _, err := imp.PutAll(ctx, []mem.Checked{again}); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("imported over one in a batch: %v", err)
	}
	same := checked(t, imp, given(key, `{"text":"a"}`, `"x"`, "2026-02-22T12:00:01Z"))
	rep, err := imp.PutAll(ctx, []mem.Checked{same})
	if err != nil || rep.Unchanged != 1 || rep.Written != 0 {
		t.Errorf("the same event: %+v, %v", rep, err)
	}
	// What was purged may come again from elsewhere, and another source is no other event.
	_, err = f.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{keyOf(key)}})
	f.Must(err)
	back := given(key, `{"text":"a"}`, "", "2026-02-22T13:00:00Z")
	rep, err = imp.PutAll(ctx, []mem.Checked{checked(t, imp, back)})
	if err != nil || rep.Written != 1 {
		t.Errorf("after a purge: %+v, %v", rep, err)
	}
	writes, _, err := op.ReadLines(ctx, strings.NewReader(`{"key":"`+key+
		`","content":{"text":"a"},"source":"another"}`), mem.BatchOptions{Resume: true},
		keypath.Prefix{})
	f.Must(err)
	if _, err := op.PutAll(ctx, writes); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("the same event by another source: %v", err)
	}
	// Another event of the same batch, and one that is new.
	other := given("/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FAW", `{"text":"a"}`, "",
		"2026-02-22T12:00:01Z")
	rep, err = imp.PutAll(ctx, []mem.Checked{checked(t, imp, other)})
	if err != nil || rep.Written != 1 || rep.New != 1 {
		t.Errorf("a new event: %+v, %v", rep, err)
	}
}

// A drawn id is looked up nowhere.
func TestDrawnWritesAskNothing(t *testing.T) {
	left := 1000
	kept := memstore.New(func() time.Time { return noon })
	op := begun(t, mem.New(&faulty{kept, faults{&left}}, mem.Options{}), mem.Caller{}, policy.Event)
	var calls []int
	for i, drawn := range []bool{true, false} {
		p := checked(t, op, write(fmt.Sprintf("/event/s/evt_01ARZ3NDEKTSV4RRFFQ69G5FA%d", i), "1"))
		if drawn {
			p = p.Drawn()
		}
		before := left
		if err := put(op, p); err != nil {
			t.Error(err)
		}
		calls = append(calls, before-left)
	}
	if calls[1] != calls[0]+1 {
		t.Errorf("%d calls", calls)
	}
}

// No verb with which a program puts changes a rule of the user, or takes it away; a person may.
func TestRulesStay(t *testing.T) {
	const rule = `{"type":"rule","text":"r"}`
	for _, verb := range policy.Verbs() {
		for _, text := range []string{"null", `{"text":"x"}`} {
			for _, c := range []mem.Caller{aClient, {Agent: "ada"}, {}} {
				f := newStore(t)
				f.Put("/r", rule)
				op, err := f.Begin(c, verb)
				if err != nil {
					continue // only a person may call it
				}
				p, err := op.Check(ctx, write("/r", text), false)
				if err == nil {
					err = put(op, p)
				}
				kept := f.Content("/r") == rule
				if policy.IsPerson(c) == kept && !verb.KeepsRules() ||
					kept != errors.Is(err, policy.ErrRule) && !verb.KeepsRules() {
					t.Errorf("%s by %+v: %v, kept %v", verb, c, err, kept)
				}
				if rec, err := f.Get(ctx, mem.Caller{}, keyOf("/r"), false); err == nil {
					if err := op.MayChange(rec); kept && !verb.KeepsRules() &&
						!errors.Is(err, policy.ErrRule) {
						t.Errorf("%s by %+v may change it: %v", verb, c, err)
					}
				}
			}
		}
	}
	f := newStore(t)
	f.Put("/r", rule)
	f.Put("/b", `{"text":"x"}`)
	op := begun(t, f.Store, aClient, policy.Set)
	err := put(op, checked(t, op, write("/b", "1")), checked(t, op, write("/r", "1")))
	if !errors.Is(err, policy.ErrRule) || f.Content("/b") != `{"text":"x"}` {
		t.Errorf("the second of an update: %v", err)
	}
	rec, err := f.Get(ctx, mem.Caller{}, keyOf("/b"), false)
	f.Must(err)
	if err := op.MayChange(rec); err != nil || op.IsRule(rec) {
		t.Errorf("a fact: %v", err)
	}
	rec.Content = []byte("null")
	rec.Key = keyOf("/rules/user/a")
	if op.IsRule(rec) {
		t.Error("a tombstone is a rule")
	}
	// In a batch the whole batch is refused, and a line that changes nothing passes.
	lines := `{"key":"/new","content":1,"source":"s"}` + "\n" +
		`{"key":"/r","content":%s,"source":%s}`
	for want, line := range map[bool]string{true: fmt.Sprintf(lines, "1", `"s"`),
		false: fmt.Sprintf(lines, rule, `"chat"`)} {
		rep, err := f.SetAll(ctx, aClient, strings.NewReader(line), mem.BatchOptions{Resume: true})
		if errors.As(err, new(*mem.BatchError)) != want || errors.Is(err, policy.ErrRule) != want ||
			want != (rep.Written == 0) || !want &&
			err != nil {
			t.Errorf("a batch: %+v, %v", rep, err)
		}
	}
}

// A write is measured, brought into form, and judged with its time.
func TestForms(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Import)
	for _, c := range []struct {
		w    mem.Write
		want error
	}{
		{write("/a", strings.Repeat("1", policy.MaxContent+1)), policy.ErrTooLarge},
		{given("/a", "1", `"`+strings.Repeat("1", policy.MaxSource)+`"`, ""), policy.ErrTooLarge},
		{given("/a", "1", "", "2026-02-23T12:00:01Z"), mem.ErrFuture},
		{given("/a", "1", "", "2026-02-23T12:00:00Z"), nil},
	} {
		if _, err := op.Check(ctx, c.w, false); !errors.Is(err, c.want) || c.want == nil &&
			err != nil {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	for text, want := range map[string]string{`{a}`: "content: ", `1`: "source: "} {
		w := write("/a", text)
		if text == "1" {
			w.Source = []byte(`{x}`)
		}
		if _, err := op.Check(ctx, w, false); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := f.Set(ctx, mem.Caller{}, given("/a", "1", "", "2020-01-01T00:00:00Z"),
		mem.SetOptions{}); !errors.Is(err, mem.ErrInput) {
		t.Errorf("an import by Set: %v", err)
	}
	op = begun(t, f.Store, mem.Caller{}, policy.Set)
	p, err := op.CheckBelow(ctx, prefixOf("/below"), write("/a", " 1 "), false)
	if err != nil || p.Key().String() != "/below/a" || string(p.Content()) != "1" {
		t.Errorf("%s %s, %v", p.Key(), p.Content(), err)
	}
	long := prefixOf(strings.Repeat("/"+strings.Repeat("x", 100), 6))
	far := write(strings.Repeat("/"+strings.Repeat("z", 100), 6), "1")
	if _, err := op.CheckBelow(ctx, long, far, false); !errors.Is(err, keypath.ErrKey) {
		t.Errorf("too long a key: %v", err)
	}
}

// What an update tells: its writes, its own reads, and one line of the journal.
func TestUpdates(t *testing.T) {
	var told [][]log.Envelope
	s := mem.New(memstore.New(func() time.Time { return noon }), mem.Options{
		Now:      func() time.Time { return noon },
		OnStored: func(list []log.Envelope) { told = append(told, list) }})
	op := begun(t, s, mem.Caller{}, policy.Set)
	a, b := checked(t, op, write("/a", `{"text":"1"}`)), checked(t, op, write("/b", "null"))
	out, err := op.UpdateAsOne(ctx, func(tx *mem.Tx) error {
		err := tx.Put(a, b)
		rec, found, failed := tx.Get(ctx, keyOf("/a"))
		if !found || failed != nil || string(rec.Content) != `{"text":"1"}` {
			t.Errorf("%s, %v", rec.Content, failed)
		}
		list, failed := tx.Select(ctx, backend.Where{}, backend.NewestFirst, 0)
		if failed != nil || len(list) != 1 {
			t.Errorf("%v, %v", list, failed)
		}
		ever, failed := tx.NewestEver(ctx, []keypath.Key{keyOf("/b")})
		if failed != nil || ever[keyOf("/b")].Valid() || len(ever) != 1 {
			t.Errorf("%v, %v", ever, failed)
		}
		n, failed := tx.NextNumber(ctx, "note")
		if n != 1 || failed != nil {
			t.Errorf("%d, %v", n, failed)
		}
		if _, failed = tx.NextNumber(ctx, "none"); !errors.Is(failed, backend.ErrNoCounter) ||
			errors.Is(failed, mem.ErrInput) {
			t.Error(failed)
		}
		if _, _, failed = tx.Size(ctx, prefixOf("/a")); !errors.Is(failed, backend.ErrNoSize) {
			t.Error(failed)
		}
		for rec, failed := range tx.ScanBelow(ctx, keypath.Prefix{}) {
			if failed != nil || rec.Key != keyOf("/a") {
				t.Errorf("%s, %v", rec.Key, failed)
			}
		}
		return err
	})
	if err != nil || len(out) != 2 || !out[0].Valid || out[1].Valid || out[1].TS <= out[0].TS ||
		out[0].Key != keyOf("/a") || out[0].Path != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := op.Update(ctx, func(*mem.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if len(told) != 1 || len(told[0]) != 2 || told[0][1].Key != keyOf("/b") ||
		told[0][1].TS != out[1].TS {
		t.Errorf("%v", told)
	}
	ran, err := s.Journaled()
	if err != nil || len(ran) != 1 || ran[0].Count != 2 || ran[0].Key != "/b" ||
		len(ran[0].Runs) != 1 || ran[0].Code != mem.KindDone {
		t.Errorf("%+v, %v", ran, err)
	}
}

// A guard sees what an update has written, adds what a session needs and nothing else, and its
// error refuses all of it, but what a person forces.
func TestGuardsKeepToTheirSession(t *testing.T) {
	for _, c := range []struct {
		name        string
		key, text   string
		guardKey    string
		guardText   string
		forced      bool
		fails, want error
	}{
		{"its session", "/session/s/x", "1", "/session/s", `{"version":1}`, false, nil, nil},
		{"another", "/session/s/x", "1", "/session/o", `{"version":1}`, false, nil,
			policy.ErrReserved},
		{"a tombstone there", "/session/s/x", "1", "/session/s/y", `null`, false, nil, nil},
		{"a record there", "/session/s/x", "1", "/session/s/y", `1`, false, nil,
			policy.ErrReserved},
		{"elsewhere", "/session/s/x", "1", "/a", `1`, false, nil, policy.ErrReserved},
		{"no session", "/a", "1", "/session/s", `{}`, false, nil, policy.ErrReserved},
		{"refuses", "/session/s/x", "1", "", "", false, policy.ErrClosed, policy.ErrClosed},
		{"forced", "/session/s/x", "1", "", "", true, &policy.FullError{}, nil},
		{"forced on a bad disk", "/session/s/x", "1", "", "", true, errFault, errFault},
	} {
		f := newStore(t)
		op := begun(t, f.Store, mem.Caller{}, policy.Set)
		if c.forced {
			op.Force()
		}
		op.Guard(func(ctx context.Context, tx *mem.Tx, written []mem.Checked) error {
			if c.fails != nil || c.guardKey == "" {
				return c.fails
			}
			p, err := op.Check(ctx, write(c.guardKey, c.guardText), false)
			if err != nil {
				return err
			}
			return tx.Put(p)
		})
		err := stored(op, write(c.key, c.text))
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if _, err := op.Check(ctx, write("/session/z", "{}"), false); err == nil && !c.forced {
			t.Errorf("%s: it tends for ever", c.name)
		}
	}
}

// What two stores get in one update is in both, or in none where a rule of one refuses it.
func TestUpdateWith(t *testing.T) {
	one, two := newStore(t), newStore(t)
	a, b := begun(t, one.Store, mem.Caller{}, policy.Move), begun(t, two.Store, mem.Caller{},
		policy.Move)
	both := func(key string) error {
		p, q := checked(t, a, write(key, "1")), checked(t, b, write(key, "2"))
		out, err := a.UpdateWith(ctx, []*mem.Operation{b}, func(txs ...*mem.Tx) error {
			return errors.Join(txs[0].Put(p), txs[1].Put(q))
		})
		if err == nil && len(out) != 2 {
			t.Errorf("%+v", out)
		}
		return err
	}
	one.Must(both("/a"))
	if one.Content("/a") != "1" || two.Content("/a") != "2" {
		t.Error("in one alone")
	}
	one.Put("/session/s", `{"version":1,"closed_at":"2026-02-22T10:00:00Z"}`)
	if err := both("/session/s/x"); !errors.Is(err, policy.ErrClosed) ||
		two.Content("/session/s/x") != "(none)" {
		t.Errorf("a closed session of the first: %v", err)
	}
	p := checked(t, a, write("/c", "1"))
	_, err := a.UpdateWith(ctx, nil, func(txs ...*mem.Tx) error { return txs[0].Put(p) })
	if err != nil || one.Content("/c") != "1" {
		t.Errorf("alone: %v", err)
	}
	_, err = a.UpdateWith(ctx, []*mem.Operation{b}, func(...*mem.Tx) error { return errFault })
	if err != errFault {
		t.Error(err)
	}
}

// The lines that operations stored are found by what the journal says of them.
func TestStored(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Set)
	several := func(keys ...string) {
		var list []mem.Checked
		for _, key := range keys {
			list = append(list, checked(t, op, write(key, "1")))
		}
		_, err := op.UpdateAsOne(ctx, func(tx *mem.Tx) error { return tx.Put(list...) })
		f.Must(err)
	}
	f.Put("/one", "1")
	several("/a", "/b", "/c")
	f.Put("/between", "1")
	op = begun(t, f.Store, mem.Caller{}, policy.Set)
	several("/d")
	several("/e", "/f")
	f.Put("/last", "1")
	ran, err := f.Journaled()
	f.Must(err)
	for i, want := range []string{"/one", "/a /b /c", "/between", "/d", "/d /e /f", "/last"} {
		keys, err := storedKeys(f.Store, ran[i])
		if err != nil || strings.Join(keys, " ") != want {
			t.Errorf("%d: %q, %v, want %s", i, keys, err, want)
		}
	}
	keys, err := storedKeys(f.Store, ran[1], ran[0], ran[4])
	if err != nil || strings.Join(keys, " ") != "/a /b /c /d /e /f /one" {
		t.Errorf("%q, %v", keys, err)
	}
	for what, r := range map[string]mem.Ran{
		"no such line": {Key: "/one", TS: "2020-01-01T00:00:00Z"},
		"no begin":     {Runs: []string{"0000000000000000-0000000000000000"}},
		"no end":       {Runs: []string{ran[1].Runs[0][:16] + "-0000000000000000"}},
	} {
		if _, err := storedKeys(f.Store, r); !errors.Is(err, mem.ErrCut) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fails := func(log.Record) error { return errFault }
	for _, r := range ran[:2] {
		if err := f.Store.EachStored(ctx, []mem.Ran{r}, fails); err != errFault {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func storedKeys(s *mem.Store, list ...mem.Ran) (keys []string, err error) {
	err = s.EachStored(ctx, list, func(rec log.Record) error {
		keys = append(keys, rec.Key.String())
		return nil
	})
	return keys, err
}

// The commands of a person: the journal of each store names the others.
func TestJournalOfCommands(t *testing.T) {
	one, two := newFiles(t), newFiles(t)
	c := mem.Caller{Command: backend.NewCommand()}
	for _, f := range []*storetest.Store{one, two} {
		op := begun(t, f.Store, c, policy.Undo)
		op.Undoes("earlier")
		f.Must(stored(op, write("/a", "1")))
		f.Must(stored(op, write("/b", "1")))
		op = begun(t, f.Store, c, policy.Set)
		if err := stored(op, write("/kb/a", "1")); err == nil {
			t.Error("no provenance")
		} else {
			op.Failed(keyOf("/kb/a"), err)
		}
	}
	for i, f := range []*storetest.Store{one, two} {
		ran, err := f.Journaled()
		f.Must(err)
		var lines []string
		for _, r := range ran {
			other := []*storetest.Store{two, one}[i].RealPath()
			lines = append(lines, fmt.Sprint(r.Op, r.Key, " ", r.Code, r.Undoes,
				r.Command == c.Command.ID(), slices.Contains(r.Also, other)))
		}
		want := []string{
			"undo/a doneearliertrue false, undo/b doneearliertrue false, " +
				"set/kb/a refusedtrue false,  doneearliertrue true",
			"undo/a doneearliertrue true, undo/b doneearliertrue true, " +
				"set/kb/a refusedtrue true"}[i]
		if got := strings.Join(lines, ", "); got != want {
			t.Errorf("%d:\n got %s\nwant %s", i, got, want)
		}
	}
}
