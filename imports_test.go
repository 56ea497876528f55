package mem_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

const (
	older = "2026-02-22T11:00:00Z"
	now   = "2026-02-22T12:00:00Z"
	later = "2026-02-22T12:00:01Z"
	aRule = `{"type":"rule","text":"r"}`
)

// An envelope that an import brings, by what its key has: it wins or is stale, is known, or would
// take a rule of the user away.
func TestImports(t *testing.T) {
	const user = `{"kind":"user","name":"me"}`
	const claimed = `{"kind":"user","name":"me","claimed":"import"}`
	for _, c := range []struct {
		name             string
		before           []string // contents, or "purge"
		verb             mem.Verb
		text, source, at string
		want             string // of the report
		holds            string
		kept             int
		claim            string
	}{
		{"new", nil, policy.Import, "1", user, older, "written 1 new 1", "1", 0, "import"},
		{"new, restored", nil, policy.Restore, "1", user, older, "written 1 new 1", "1", 0, ""},
		{"stale", []string{"2"}, policy.Import, "1", user, older, "stale 1", "2", 0, ""},
		{"newer", []string{"2"}, policy.Import, "1", user, later, "written 1", "1", 0, "import"},
		{"the line itself", []string{"2"}, policy.Import, "2", `"chat"`, now, "unchanged 1", "2", 0,
			""},
		{"other bytes, same time", []string{"2"}, policy.Import, "3", `"chat"`, now, "written 1",
			"3", 0,
			"import"},
		{"less bytes, same time", []string{"2"}, policy.Restore, "1", `"chat"`, now, "stale 1", "2",
			0, ""},
		{"deleted since", []string{"1", "null"}, policy.Import, "1", user, older, "stale 1",
			"(none)", 0,
			""},
		{"after its deletion", []string{"1", "null"}, policy.Import, "1", user, later,
			"written 1 new 1", "1", 0, "import"},
		{"a deletion", []string{"1"}, policy.Import, "null", user, later, "written 1", "(none)", 0,
			""},
		{"a deletion of none", nil, policy.Import, "null", user, later, "written 1 idle 1",
			"(none)", 0, ""},
		{"a rule from elsewhere", nil, policy.Import, aRule, user, older,
			"written 1 new 1 facts 1", aRule, 0, "import"},
		{"a rule, restored", nil, policy.Restore, aRule, user, older, "written 1 new 1", aRule, 0,
			""},
		{"the same, later", []string{"2"}, policy.Restore, "2", `"chat"`, later, "written 1", "2",
			0, ""},
		{"purged", []string{"1", "purge"}, policy.Import, "1", user, older, "stale 1 purged 1",
			"(none)",
			0, ""},
		{"over a rule", []string{aRule}, policy.Import, "1", user, later, "", aRule, 1, ""},
		{"a rule's deletion", []string{aRule}, policy.Import, "null", user, later, "", aRule, 1,
			""},
		{"over a rule, restored", []string{aRule}, policy.Restore, "1", user, later, "written 1",
			"1", 0,
			""},
		{"a rule again", []string{aRule}, policy.Import, aRule, `"chat"`, now, "unchanged 1", aRule,
			0,
			""},
		{"a rule that claims", nil, policy.Import, aRule, claimed, older, "written 1 new 1", aRule,
			0,
			"import"},
	} {
		f := newStore(t)
		for _, text := range c.before {
			if text == "purge" {
				_, err := f.Purge(ctx, mem.Caller{},
					mem.PurgeOptions{Keys: []keypath.Key{keyOf("/k")}})
				f.Must(err)
				continue
			}
			f.Put("/k", text)
		}
		op := begun(t, f.Store, mem.Caller{}, c.verb)
		p := checked(t, op, given("/k", c.text, c.source, c.at))
		tried, err := op.TryAll(ctx, []mem.Checked{p})
		f.Must(err)
		rep, err := op.PutAll(ctx, []mem.Checked{p})
		f.Must(err)
		if reported(rep) != c.want || f.Content("/k") != c.holds || len(op.KeptRules()) != c.kept {
			t.Errorf("%s: %s, %s, %v", c.name, reported(rep), f.Content("/k"), op.KeptRules())
		}
		if tried != rep {
			t.Errorf("%s: a dry run says %+v, the run %+v", c.name, tried, rep)
		}
		if c.holds != "(none)" && content.Claim([]byte(sourceOf(f, "/k"))) != c.claim {
			t.Errorf("%s: %s", c.name, sourceOf(f, "/k"))
		}
	}
}

func reported(r mem.BatchReport) string {
	var list []string
	for _, n := range []struct {
		name string
		n    int
	}{{"written", r.Written}, {"unchanged", r.Unchanged}, {"stale", r.Stale}, {"purged", r.Purged},
		{"apart", r.Apart}, {"new", r.New}, {"idle", r.Idle},
		{"facts", r.Facts}} {
		if n.n > 0 {
			list = append(list, fmt.Sprint(n.name, " ", n.n))
		}
	}
	return strings.Join(list, " ")
}

// A dry run of new writes counts as the run does, one line after the other.
func TestDryRuns(t *testing.T) {
	f := newStore(t)
	f.Put("/a", "1")
	f.Put("/r", aRule)
	op := begun(t, f.Store, mem.Caller{}, policy.Import)
	list := []mem.Checked{
		checked(t, op, write("/a", "1")).IfChanged(), checked(t, op, write("/a", "2")).IfChanged(),
		checked(t, op, write("/b", "1")).IfChanged(), checked(t, op, write("/b", "1")).IfChanged(),
		checked(t, op, write("/c", "1")), checked(t, op, write("/r", "1")).IfChanged(),
	}
	tried, err := op.TryAll(ctx, list)
	f.Must(err)
	rep, err := op.PutAll(ctx, list)
	f.Must(err)
	if tried.Written != rep.Written || rep.Written != 3 || tried.Unchanged != 2 ||
		rep.Unchanged != 2 {
		t.Errorf("tried %+v, did %+v", tried, rep)
	}
	const key = "/event/s/evt_" + anID
	event := begun(t, f.Store, mem.Caller{}, policy.Event)
	f.Must(stored(event, write(key, "1")))
	imp := begun(t, f.Store, mem.Caller{}, policy.Import)
	another := checked(t, imp, given(key, "2", "", later))
	if _, err := imp.TryAll(ctx, []mem.Checked{another}); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("over an event: %v", err)
	}
	two := []mem.Checked{checked(t, imp, given("/x", "1", "", older)),
		checked(t, imp, given("/x", "2", "", later)), checked(t, imp, given("/x", "3", "", older))}
	tried, err = imp.TryAll(ctx, two)
	if err != nil || reported(tried) != "written 2 stale 1 new 1" {
		t.Errorf("%s, %v", reported(tried), err)
	}
}

// A person that vouches for the very line of an import stores it anew, and so does one that
// restores what an undo of the import took back.
func TestVouching(t *testing.T) {
	const user = `{"kind":"user","name":"me"}`
	f := newStore(t)
	imported := func(verb mem.Verb, key, text string) mem.BatchReport {
		op := begun(t, f.Store, mem.Caller{}, verb)
		rep, err := op.PutAll(ctx, []mem.Checked{checked(t, op, given(key, text, user, older))})
		f.Must(err)
		return rep
	}
	imported(policy.Import, "/r", aRule)
	if rep := imported(policy.Import, "/r", aRule); rep.Unchanged != 1 || rep.Written != 0 {
		t.Errorf("imported twice: %+v", rep)
	}
	imported(policy.Import, "/f", `{"text":"f"}`)
	if rep := imported(policy.Restore, "/r", aRule); rep.Written != 1 ||
		content.Claim([]byte(sourceOf(f, "/r"))) != "" {
		t.Errorf("a rule: %+v, %s", rep, sourceOf(f, "/r"))
	}
	if rep := imported(policy.Restore, "/f", `{"text":"f"}`); rep.Unchanged != 1 {
		t.Errorf("a fact: %+v", rep)
	}
	if rep := imported(policy.Restore, "/r", aRule); rep.Written != 0 {
		t.Errorf("again: %+v", rep)
	}
	for _, c := range []struct {
		name, source string
		verb         mem.Verb
		want         int
	}{
		{"undone", `{"kind":"user","name":"mem undo","locator":{"undone":%q,"command":"import"}}`,
			policy.Restore, 1},
		{"of another time",
			`{"kind":"user","name":"mem undo","locator":{"undone":"x","command":"import"}}`,
			policy.Restore, 0},
		{"of another verb",
			`{"kind":"user","name":"mem undo","locator":{"undone":%q,"command":"set"}}`,
			policy.Restore, 0},
		{"by an import",
			`{"kind":"user","name":"mem undo","locator":{"undone":%q,"command":"import"}}`,
			policy.Import, 0},
	} {
		f = newStore(t)
		imported(policy.Import, "/k", `{"text":"f"}`)
		at, _ := log.ParseTime(older)
		source := c.source
		if strings.Contains(source, "%q") {
			source = fmt.Sprintf(source, at.String())
		}
		got, command := content.Undone([]byte(source))
		op := begun(t, f.Store, mem.Caller{}, policy.Undo)
		f.Must(stored(op, given("/k", "null", source, "")))
		if rep := imported(c.verb, "/k", `{"text":"f"}`); rep.Written != c.want {
			t.Errorf("%s (%s %s): %+v", c.name, got, command, rep)
		}
		if c.want == 1 && !strings.Contains(f.Content("/k"), at.String()) {
			t.Errorf("%s: its time is lost: %s", c.name, f.Content("/k"))
		}
	}
	// In a batch that leaves known lines out, a rule with a mark is not known.
	f = newStore(t)
	imported(policy.Import, "/r", aRule)
	rep, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(`{"key":"/r","content":`+aRule+
		`,"source":`+user+`}`), mem.BatchOptions{Resume: true})
	if err != nil || rep.Written != 1 {
		t.Errorf("resumed: %+v, %v", rep, err)
	}
}

// What a copy brings is announced once, and a line that is there is none that it brings again.
func TestReplayTwice(t *testing.T) {
	f := newStore(t)
	f.Put("/r", aRule)
	f.Put("/s", aRule)
	var all []log.Envelope
	f.Must(f.Everything(ctx, func(rec log.Record) error {
		all = append(all, rec.Envelope.Clone())
		return nil
	}))
	var told int
	s := mem.New(memstore.New(time.Now), mem.Options{OnStored: func(list []log.Envelope) {
		told += len(list)
	}})
	f.Must(begun(t, s, mem.Caller{}, policy.Copy).Replay(ctx, all))
	first := told
	if err := begun(t, s, mem.Caller{}, policy.Copy).Replay(ctx, all); !errors.Is(err,
		backend.ErrOlder) {
		t.Errorf("twice: %v", err)
	}
	if first != len(all) || told != first {
		t.Errorf("%d and %d of %d", first, told, len(all))
	}
	set := begun(t, f.Store, mem.Caller{}, policy.Set)
	if err := set.Replay(ctx, all); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("by another verb: %v", err)
	}
}

// Where records lie decides what they claim elsewhere.
func TestClaimsOfRepositories(t *testing.T) {
	f := newStore(t)
	f.Put("/r", aRule)
	f.Put("/f", `{"text":"f"}`)
	imported := begun(t, f.Store, mem.Caller{}, policy.Import)
	f.Must(stored(imported, given("/i", `{"text":"i"}`, "", "")))
	for _, c := range []struct {
		place   policy.Belief
		r, f, i string
		holds   bool
	}{
		{policy.Belief{}, "", "", "", true},
		{policy.Belief{Repository: true}, content.FromRepository, "", content.FromRepository,
			false},
		{policy.Belief{NoRules: true}, content.FromImport, "", "", false},
	} {
		s := mem.JoinStores(mem.Options{}, mem.LayerMember{Store: f.Store, Layer: "x",
			Belief: c.place})
		claims := s.Reader(mem.Caller{}).Claims()
		got := map[string]string{}
		f.Must(s.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
			got[rec.Key.String()] = claims(rec)
			return nil
		}))
		if got["/r"] != c.r || got["/f"] != c.f || got["/i"] != c.i {
			t.Errorf("%+v: %q", c.place, got)
		}
	}
}

// The lines of a batch, good and bad.
func TestLinesOfBatches(t *testing.T) {
	env := log.Envelope{Key: keyOf("/k"), TS: 7, Content: []byte("1"), Source: []byte(`"x"`)}
	sealed := string(env.Line())
	for _, c := range []struct {
		line string
		want error
		text string
	}{
		{`{"key":"/a","content":1,"source":"s"}`, nil, ""}, {sealed, nil, ""},
		{strings.Replace(sealed, `"content":1`, `"content":2`, 1), log.ErrChecksum, ""},
		{`{"key":"/a","content":1,"source":"s","valid":true}`, log.ErrEnvelope, ""},
		{`7`, mem.ErrInput, `want an object like`}, {`{`, nil, "JSON"},
		{`{"content":1,"source":"s"}`, mem.ErrInput, `no "key"`},
		{`{"key":"/a","source":"s"}`, mem.ErrInput, `no "content"`},
		{`{"key":"/a","content":1}`, mem.ErrInput, `no "source", and none given with --source`},
		{`{"key":7,"content":1,"source":"s"}`, mem.ErrInput, "key: "},
		{`{"key":"a","content":1,"source":"s"}`, keypath.ErrKey, ""},
		{`{"key":"/a","content":1,"source":"s","ts":7}`, mem.ErrInput, "ts: "},
		{`{"key":"/a","content":1,"source":"s","ts":"x"}`, log.ErrTime, "ts: "},
	} {
		f := newStore(t)
		op := begun(t, f.Store, mem.Caller{}, policy.Import)
		writes, bad, err := op.ReadLines(ctx, strings.NewReader("\ufeff"+c.line+"\n\n"),
			mem.BatchOptions{}, keypath.Prefix{})
		good := c.want == nil && c.text == ""
		if err != nil || good != (len(writes) == 1) || good != (len(bad) == 0) {
			t.Errorf("%s: %v %v %v", c.line, writes, bad, err)
			continue
		}
		if !good && (bad[0].Line != 1 || c.want != nil && !errors.Is(bad[0].Err, c.want) ||
			!strings.Contains(bad[0].Err.Error(), c.text)) {
			t.Errorf("%s: %v", c.line, bad[0])
		}
	}
	f := newStore(t)
	cut := io.MultiReader(strings.NewReader(`{"key":"/a","content":1,"source":"s"}`+"\n"),
		failing{})
	rep, err := f.SetAll(ctx, mem.Caller{}, cut, mem.BatchOptions{KeepGoing: true})
	if !errors.Is(err, errFault) || rep.Written != 0 || f.Keys() != "" {
		t.Errorf("a reader that fails: %+v, %v", rep, err)
	}
	long := strings.Repeat("x", policy.MaxBatchLine+1)
	if _, err := f.SetAll(ctx, mem.Caller{}, strings.NewReader(long),
		mem.BatchOptions{}); !errors.Is(
		err, policy.ErrTooLarge) {
		t.Errorf("a line that is too long: %v", err)
	}
	rep, err = f.SetAll(ctx, mem.Caller{}, strings.NewReader(`{"key":"/never","content":null,`+
		`"source":"s","ts":"`+older+`"}`), mem.BatchOptions{Resume: true})
	if err != nil || rep.Written != 1 {
		t.Errorf("a tombstone of elsewhere: %+v, %v", rep, err)
	}
	bad := []*mem.LineError{{Line: 1, Err: errFault}, {Line: 2, Err: errFault}}
	if err := mem.WithBadLines(nil, nil); err != nil {
		t.Error(err)
	}
	if err := mem.WithBadLines(errFault, bad); !errors.Is(err, errFault) ||
		err.Error() != "the disk fails (and 2 lines were refused)" {
		t.Error(err)
	}
}

// A batch reports its progress, and says how much of it is stored where its end fails.
func TestBatchesOfGroups(t *testing.T) {
	f := newStore(t)
	var told []string
	f.Progress = func(what string, done, total int) {
		told = append(told, fmt.Sprint(what, " ", done, " ", total))
	}
	f.Open()
	op := begun(t, f.Store, mem.Caller{}, policy.Set)
	big := `"` + strings.Repeat("x", 900_000) + `"`
	var list []mem.Checked
	for i := range 6 {
		list = append(list, checked(t, op, write(fmt.Sprintf("/k/%d", i), big)))
	}
	if rep, err := op.PutAll(ctx, list); err != nil || rep.Written != 6 ||
		strings.Join(told, ", ") != "set 4 6, set 6 6" {
		t.Errorf("%+v, %v, %q", rep, err, told)
	}
	list[5] = list[5].IfFree()
	rep, err := op.PutAll(ctx, list)
	var part *mem.PartialError
	if !errors.As(err, &part) || part.Stored != 4 || part.Total != 6 || rep.Written != 4 ||
		!errors.Is(err, mem.ErrConflict) {
		t.Errorf("%+v, %v", rep, err)
	}
	list[0] = list[0].IfFree()
	if _, err := op.PutAll(ctx, list[:1]); errors.As(err, &part) || err == nil {
		t.Errorf("nothing is stored: %v", err)
	}
	one, both := &mem.PartialError{Stored: 1, Total: 3, Err: errFault},
		&mem.PartialError{Stored: 1, Already: 1, Total: 3, Err: errFault}
	if one.Error() != "1 of 3 stored, then: the disk fails" ||
		both.Error() != "1 of 3 stored, 1 already there, then: the disk fails" {
		t.Errorf("%v, %v", one, both)
	}
}
