package session_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What a session settles counts before config.json: for a type, for all types, whether at all.
func TestHalfLives(t *testing.T) { onEach(t, testHalfLives) }

func testHalfLives(t *testing.T, f *fixture) {
	const never = "never"
	for _, c := range []struct{ config, own, kind, want string }{
		{"", "", "conversation", "168"},
		{"", "", "decision", "720"},
		{"", "", "finding", "336"},
		{"", "", "preference", never},
		{"", "", "other", "168"},
		{`{"decay":{"half_life_hours":24}}`, "", "other", "24"},
		{`{"decay":{"half_life_hours":24}}`, "", "decision", "720"},
		{`{"decay":{"type_specific":{"decision":{"half_life_hours":48}}}}`, "", "decision", "48"},
		{`{"decay":{"type_specific":{"preference":{"decay_enabled":true}}}}`, "",
			"preference", "168"},
		{`{"decay":{"enabled":false}}`, "", "decision", never},
		{"", `{"half_life_hours":10}`, "decision", "10"},
		{"", `{"half_life_hours":10}`, "preference", never},
		{"", `{"half_life_hours":10,"type_specific":{"decision":{"half_life_hours":5}}}`,
			"decision", "5"},
		{"", `{"half_life_hours":10,"type_specific":{"decision":{"half_life_hours":5}}}`,
			"finding", "10"},
		{"", `{"type_specific":{"preference":{"decay_enabled":true}}}`, "preference", "168"},
		{"", `{"type_specific":{"decision":{"decay_enabled":false}}}`, "decision", never},
		{"", `{"enabled":false}`, "decision", never},
		{`{"decay":{"enabled":false}}`, `{"enabled":true}`, "decision", "720"},
		{`{"decay":{"enabled":false}}`, `{"enabled":true}`, "preference", never},
		{`{"decay":{"enabled":false}}`, `{"half_life_hours":10}`, "decision", never},
	} {
		config := c.config
		if config == "" {
			config = "{}"
		}
		f.Configure(config)
		own := "{}"
		if c.own != "" {
			own = `{"decay_config":` + c.own + `}`
		}
		id, err := session.Create(ctx, f.Store.Store, none,
			session.CreateOptions{Config: []byte(own)})
		f.Must(err)
		one, err := session.Load(ctx, f.Store.Store, none, id)
		f.Must(err)
		conf, err := f.Config(ctx)
		f.Must(err)
		got := never
		rules := one.Rules(conf)
		if hours, decays := rules.HalfLife(c.kind); decays {
			got = strconv.FormatFloat(hours, 'f', -1, 64)
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// Age only ever takes from what a record is worth, and never all of it.
func TestDecayIsMonotone(t *testing.T) {
	conf := settings.Default()
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.Float64Range(0, 1).Draw(t, "min_decay_factor")
		conf.Decay.MinDecayFactor = least
		kinds := []string{"conversation", "decision", "finding", "preference", "x"}
		kind := rapid.SampledFrom(kinds).Draw(t, "type")
		now := log.Stamp(2e15)
		young := rapid.Int64Range(-1e13, 1e15).Draw(t, "age")
		old := young + rapid.Int64Range(0, 1e15).Draw(t, "older by")
		rules := session.Rules{Config: conf}
		a := rules.Parts(kind, now-log.Stamp(young), now, 0.7, 1)
		b := rules.Parts(kind, now-log.Stamp(old), now, 0.7, 1)
		if a.Decay < b.Decay || b.Decay < least || a.Decay > 1 || math.IsNaN(b.Relevance()) ||
			a.Relevance() < b.Relevance() || a.Relevance() > 0.7*1.5 {
			t.Fatalf("%+v then %+v", a, b)
		}
	})
}

// A record without a version, of a session or in it, is read as it is, and the verbs of sessions
// refuse that session alone until it is gone.
func TestUnversioned(t *testing.T) { onEach(t, testUnversioned) }

func testUnversioned(t *testing.T, f *fixture) {
	const old = "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"
	const text = `{"type":"finding","x":1.50,"finding":"tea"}`
	f.Put("/session/bare", `{"user_id":"ada"}`)
	_, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "inner"})
	f.Must(err)
	f.Must(guarded(f.Store, `{"key":"/session/inner/`+old+`","content":`+text+`}`))
	f.Put("/session/later/"+old, text)
	_, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "later"})
	f.Must(err)
	before := f.Logged()
	keys, err := session.Unversioned(ctx, f.Store.Store, none)
	f.Must(err)
	if got := fmt.Sprint(keys); got !=
		"[/session/bare /session/inner/"+old+" /session/later/"+old+"]" {
		t.Errorf("named: %s", got)
	}
	for _, id := range []string{"bare", "inner", "later"} {
		for name, err := range f.verbs(id) {
			if !errors.Is(err, session.ErrUnversioned) || mem.KindOf(err) != mem.KindRefused {
				t.Errorf("%s %s: %v", name, id, err)
			}
		}
	}
	if f.Logged() != before {
		t.Error("a refused verb wrote")
	}
	f.remember(session.Record{Text: "in a session beside them"})
	if got := f.Content("/session/inner/" + old); !strings.HasPrefix(got, text[:len(text)-1]) {
		t.Errorf("the record is %s", got)
	}
	_, err = session.Delete(ctx, f.Store.Store, none, "bare", "")
	f.Must(err)
	for _, id := range []string{"inner", "later"} {
		f.Must(guarded(f.Store, `{"key":"/session/`+id+`/`+old+`","content":null}`))
		for _, err := range f.verbs(id) {
			f.Must(err)
		}
	}
	if keys, err = session.Unversioned(ctx, f.Store.Store, none); len(keys) > 0 || err != nil {
		t.Errorf("left: %v, %v", keys, err)
	}
}

// verbs calls the verbs that a session without a version is refused by, and returns their errors.
func (f *fixture) verbs(id string) map[string]error {
	s, all := f.Store.Store, map[string]error{}
	_, all["show"] = session.Show(ctx, s, none, id)
	_, all["stats"] = session.Stats(ctx, s, none, id)
	_, _, all["rebuild"] = session.Rebuild(ctx, s, none, id)
	_, all["compact"] = session.Compact(ctx, s, none, id)
	_, all["remember"] = session.Remember(ctx, s, none, id,
		session.Record{Type: "finding", Text: "new"}, session.Options{})
	_, all["close"] = session.Close(ctx, s, none, id)
	_, all["reopen"] = session.Reopen(ctx, s, none, id)
	return all
}

// A session of a newer mem is left as it is.
func TestNewer(t *testing.T) { onEach(t, testNewer) }

func testNewer(t *testing.T, f *fixture) {
	f.Put("/session/future", `{"version":2,"session_id":"future"}`)
	f.id = "future"
	if _, err := f.try(session.Record{Text: "x"}); !errors.Is(err, session.ErrNewer) {
		t.Errorf("a session of a newer mem takes a record: %v", err)
	}
	if got := f.Content("/session/future"); got != `{"version":2,"session_id":"future"}` {
		t.Errorf("left as %s", got)
	}
}

// A compaction that dropped nothing is tried again when the session has grown by 1 % of its limit,
// and at the limit at every write.
func TestIdleCompaction(t *testing.T) { onEach(t, testIdleCompaction) }

func testIdleCompaction(t *testing.T, f *fixture) {
	f.Configure(`{"storage":{"max_session_size_mb":0.2}}`)
	limit := int64(209715)
	text := strings.Repeat("fresh ", 20)
	var at []int64 // the sizes at which a compaction ran
	last := log.Stamp(0)
	for {
		f.Clock = f.Clock.Add(time.Second)
		_, err := f.try(session.Record{Text: text, Importance: importance(1)})
		sum := f.show()
		if sum.LastCompact != nil && *sum.LastCompact != last {
			last = *sum.LastCompact
			at = append(at, sum.Bytes)
		}
		if errors.Is(err, session.ErrFull) {
			break
		}
		f.Must(err)
	}
	if len(at) < 8 || len(at) > 11 || at[0] <= limit*9/10 {
		t.Fatalf("compactions at %d of %d", at, limit)
	}
	for i := range at[1:] {
		if at[i+1]-at[i] < limit/100 {
			t.Errorf("tried again after %d bytes", at[i+1]-at[i])
		}
	}
	key := keypath.MustParse("/session/" + f.id)
	if got := f.Content(key.String()); !strings.Contains(got, `"idle_bytes":`) {
		t.Error(got)
	}
}

// A record is touched within what a record may have; all else as it pleases.
func TestTouchKeepsToRecords(t *testing.T) {
	record := keypath.MustParse("/session/s1/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV")
	for _, c := range []struct {
		key        keypath.Key
		tag, worth string
		ok         bool
	}{
		{record, "v1.0", "1", true}, {record, "été", "0", true}, {record, "a b", "0.5", false},
		{record, strings.Repeat("x", 65), "0.5", false}, {record, "x", "9", false},
		{record, "x", "-0.1", false}, {keypath.MustParse("/user/a"), "a b", "9", true},
	} {
		err := session.CheckTouched(c.key, []string{c.tag}, []byte(c.worth))
		if (err == nil) != c.ok || err != nil && !errors.Is(err, mem.ErrInput) {
			t.Errorf("%s %q %s: %v", c.key, c.tag, c.worth, err)
		}
	}
}

// Where a compaction dropped nothing, the refusal does not send to another one.
func TestHintsOfAFullSession(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		f.Configure(`{"storage":{"max_session_size_mb":0.01,"auto_compact":false}}`)
		err := f.fill(log.StampOf(f.Clock), 1)
		if hint := mem.FailureOf(err).Hint; !strings.Contains(hint, "session compact "+f.id) {
			t.Errorf("before a compaction: %s", hint)
		}
		_, err = session.Compact(ctx, f.Store.Store, none, f.id)
		f.Must(err)
		_, err = f.try(session.Record{Text: strings.Repeat("x", 2000)})
		hint := mem.FailureOf(err).Hint
		if strings.Contains(hint, "compact "+f.id) || !strings.Contains(hint, "size_mb 0.02 ") {
			t.Errorf("after one: %s", hint)
		}
	})
}

// What is, or was, the id of a session in a store that is read together with this one is taken.
func TestIDsBeside(t *testing.T) {
	other, s := storetest.NewStore(t, storetest.Memory), storetest.NewStore(t, storetest.Memory)
	for _, id := range []string{"a", "b"} {
		_, err := session.Create(ctx, other.Store, none, session.CreateOptions{ID: id})
		other.Must(err)
	}
	_, err := session.Delete(ctx, other.Store, none, "b", "")
	other.Must(err)
	_, err = session.Create(ctx, other.Store, none, session.CreateOptions{User: "ada"})
	other.Must(err)
	create := func(o session.CreateOptions) (string, error) {
		o.Beside = []*mem.Store{other.Store}
		return session.Create(ctx, s.Store, none, o)
	}
	for id, want := range map[string]error{"a": session.ErrTaken, "b": session.ErrTaken, "c": nil} {
		if _, err := create(session.CreateOptions{ID: id}); !errors.Is(err, want) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if id, err := create(session.CreateOptions{User: "ada"}); id != "sess_20260222_ada_2" {
		t.Errorf("%s %v", id, err)
	}
}

// A role is at most 64 characters of one line.
func TestRoles(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		for role, ok := range map[string]bool{"": true, "the assistant": true, "a\nb": false,
			"a\x1bb": false, strings.Repeat("é", 64): true, strings.Repeat("x", 65): false} {
			if _, err := f.try(session.Record{Text: "x", Role: role}); (err == nil) != ok {
				t.Errorf("%q: %v", role, err)
			}
		}
	})
}

// The settings know the types that a record may have.
func TestSettingsKnowTheTypes(t *testing.T) {
	for _, m := range settings.Members {
		if m.Types == nil {
			continue
		}
		for i, kind := range session.Types {
			if len(m.Types) != len(session.Types) || m.Types[i] != kind.Type {
				t.Errorf("%s: %v", m.Name, m.Types)
			}
		}
	}
}
