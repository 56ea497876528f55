package mem_test

import (
	"errors"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/log"
)

const (
	aSession = "/session/s"
	spoken   = "/session/s/mem_" + anID
	open     = `{"version":1}`
	closed   = `{"version":1,"closed_at":"2026-02-22T10:00:00Z"}`
	newer    = `{"version":9}`
)

// What a session takes: by its state, by what is written, and by which operation.
func TestGates(t *testing.T) {
	for _, c := range []struct {
		name string
		was  []string // of the session, one after the other; the record is there before the last
		verb mem.Verb
		text string
		had  bool // the record was there before
		want error
	}{
		{"none", nil, policy.Remember, "1", false, nil},
		{"open", []string{open}, policy.Remember, "1", false, nil},
		{"closed", []string{closed}, policy.Remember, "1", false, policy.ErrClosed},
		{"closed, and there", []string{open, closed}, policy.Remember, "1", true, policy.ErrClosed},
		{"closed, a change", []string{open, closed}, policy.Touch, "1", true, nil},
		{"closed, a new one", []string{closed}, policy.Touch, "1", false, policy.ErrClosed},
		{"closed, undone", []string{open, closed}, policy.Undo, "1", true, policy.ErrClosed},
		{"closed, a deletion", []string{open, closed}, policy.Forget, "null", true, nil},
		{"closed, looked after", []string{closed}, policy.Session, "1", false, nil},
		{"newer", []string{newer}, policy.Remember, "1", false, policy.ErrNewer},
		{"deleted", []string{open, "null"}, policy.Remember, "1", false, policy.ErrDeleted},
		{"deleted, a change", []string{open, "null"}, policy.Touch, "1", true, nil},
		{"deleted, a new one", []string{open, "null"}, policy.Touch, "1", false, policy.ErrDeleted},
		{"deleted, undone", []string{open, "null"}, policy.Undo, "1", false, nil},
		{"expired", []string{`{"version":1,"expired_at":"2026-02-22T11:00:00Z"}`}, policy.Remember,
			"1", false, policy.ErrDeleted},
		{"open again", []string{closed, open}, policy.Remember, "1", false, nil},
	} {
		f := newStore(t)
		for i, text := range c.was {
			if i == len(c.was)-1 && c.had {
				f.Put(spoken, "0")
			}
			f.Put(aSession, text)
		}
		err := stored(begun(t, f.Store, mem.Caller{}, c.verb), write(spoken, c.text))
		if !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if c.want != nil && (mem.KindOf(err) != mem.KindRefused || mem.Hint(err) == "") {
			t.Errorf("%s: %s, %q", c.name, mem.KindOf(err), mem.Hint(err))
		}
	}
}

// A session comes with an operation once: closed, it brings the records from before.
func TestSessionsThatAreBrought(t *testing.T) {
	const other = "/session/s/mem_01ARZ3NDEKTSV4RRFFQ69G5FAW"
	for _, c := range []struct {
		name   string
		was    []string
		verb   mem.Verb
		writes []string // key and content of one update after the other
		want   []error
	}{
		{"new and closed", nil, policy.Move, []string{aSession, closed, spoken, "1", other, "1"},
			[]error{nil, nil, nil}},
		{"closed twice", nil, policy.Move, []string{aSession, closed, aSession, closed},
			[]error{nil, nil}},
		{"newer", nil, policy.Move, []string{aSession, newer, spoken, "1"},
			[]error{nil, policy.ErrNewer}},
		{"there, and open", []string{open}, policy.Move, []string{aSession, open, aSession, closed,
			spoken, "1"}, []error{nil, nil, policy.ErrClosed}},
		{"there, and closed", []string{closed}, policy.Move, []string{aSession, open},
			[]error{policy.ErrClosed}},
		{"there, closed, changed", []string{closed}, policy.Touch, []string{aSession, open},
			[]error{nil}},
		{"was there", []string{open, "null"}, policy.Move, []string{aSession, open},
			[]error{policy.ErrDeleted}},
		{"was there, undone", []string{open, "null"}, policy.Undo, []string{aSession, open},
			[]error{nil}},
		{"is deleted", []string{closed}, policy.Forget, []string{aSession, "null"}, []error{nil}},
	} {
		f := newStore(t)
		for _, text := range c.was {
			f.Put(aSession, text)
		}
		verb := c.verb
		op := begun(t, f.Store, mem.Caller{}, verb)
		for i, want := range c.want {
			err := stored(op, write(c.writes[2*i], c.writes[2*i+1]))
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s: %d: %v, want %v", c.name, i, err, want)
			}
		}
	}
}

// No more fits into a session than its limit, and the refusal says how to make room.
func TestSessionsThatAreFull(t *testing.T) {
	for _, c := range []struct {
		name  string
		head  string
		spent bool
		full  bool
	}{
		{"no session", "", true, true}, {"a session", open, false, true},
		{"compacted", `{"version":1,"deleted_bytes":100}`, false, true},
		{"with room", open, false, false},
	} {
		f := newStore(t)
		if c.head != "" {
			f.Put(aSession, c.head)
		}
		if c.full {
			f.Configure(`{"storage":{"max_session_size_mb":0.0002}}`)
		}
		err := stored(begun(t, f.Store, mem.Caller{}, policy.Remember), write(spoken,
			`"long enough"`))
		var full *policy.FullError
		if errors.As(err, &full) != c.full || c.full && (full.ID != "s" || full.Spent != c.spent ||
			full.Limit != 209 || full.Size <= full.Limit) || !c.full && err != nil {
			t.Errorf("%s: %+v, %v", c.name, full, err)
		}
		if c.full && f.Content(spoken) != "(none)" {
			t.Errorf("%s: it is stored", c.name)
		}
		force := begun(t, f.Store, mem.Caller{}, policy.Set)
		force.Force()
		if err := stored(force, write(spoken, `"forced all the same"`)); err != nil {
			t.Errorf("%s: forced: %v", c.name, err)
		}
		force = begun(t, f.Store, aClient, policy.Set)
		force.Force()
		if err := stored(force, write(aSession+"/x", "1")); c.full != errors.Is(err,
			policy.ErrFull) {
			t.Errorf("%s: a program forces: %v", c.name, err)
		}
	}
}

// Decisions on what waits: which line was seen, and what the key has got since.
func TestApprovals(t *testing.T) {
	const web = `{"kind":"web"}`
	for _, c := range []struct {
		name          string
		waits         bool
		before, after string
		options       mem.ApproveOptions
		other         bool // the line that was seen is another
		want          error
		source        string
	}{
		{"as it is", true, "", "", mem.ApproveOptions{}, false, nil,
			`{"kind":"user","name":"mem approve","retrieved_at":"2026-02-22T12:00:00.000000Z",` +
				`"locator":{"untrusted":"/untrusted/n"},"given":{"kind":"web"}}`},
		{"with a source", true, "", "", mem.ApproveOptions{Source: []byte(`"me"`)}, false, nil,
			`"me"`},
		{"with a bad source", true, "", "", mem.ApproveOptions{Source: []byte(web)}, false,
			policy.ErrProvenance, ""},
		{"another line", true, "", "", mem.ApproveOptions{}, true, mem.ErrConflict, ""},
		{"over an older one", true, "1", "", mem.ApproveOptions{}, false, nil, ""},
		{"over a newer one", true, "", "1", mem.ApproveOptions{}, false, mem.ErrConflict, ""},
		{"over a newer one, forced", true, "", "1", mem.ApproveOptions{Force: true}, false, nil,
			""},
		{"nothing", false, "", "", mem.ApproveOptions{}, false, mem.ErrNotFound, ""},
	} {
		f := newStore(t)
		if c.before != "" {
			f.Put("/n", c.before)
		}
		if c.waits {
			w := write("/n", `{"text":"w"}`)
			w.Source = []byte(web)
			_, err := f.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
			f.Must(err)
		}
		if c.after != "" {
			f.Put("/n", c.after)
		}
		for _, key := range []string{"/untrusted/n", "/n"} {
			if c.want == nil && key == "/untrusted/n" {
				continue
			}
			shown, err := seen(f.Store, keyOf(key))
			f.Must(err)
			if c.other {
				shown.TS++
			}
			out, err := f.Approve(ctx, mem.Caller{}, shown, c.options)
			if !errors.Is(err, c.want) || c.want == nil && (err != nil || out.Key != keyOf("/n") ||
				!out.Valid) {
				t.Errorf("%s %s: %+v, %v", c.name, key, out, err)
			}
		}
		if c.source != "" && sourceOf(f, "/n") != c.source {
			t.Errorf("%s: %s", c.name, sourceOf(f, "/n"))
		}
		if c.want == nil && f.Content("/untrusted/n") != "(none)" {
			t.Errorf("%s: it still waits", c.name)
		}
		if _, err := approve(f.Store, aClient, keyOf("/n"), c.options); !errors.Is(err,
			policy.ErrPerson) {
			t.Errorf("%s: a program approves: %v", c.name, err)
		}
		if _, err := reject(f.Store, aClient, keyOf("/n")); c.want != nil && c.waits &&
			!errors.Is(err, policy.ErrPerson) {
			t.Errorf("%s: a program rejects: %v", c.name, err)
		}
	}
}

// A person stands for a live memory: of a client it becomes a rule, and of a person it is one.
func TestStandingFor(t *testing.T) {
	const rule, fact = `{"type":"rule","text":"r"}`, `{"text":"f"}`
	const clients, users = `{"kind":"agent","name":"x"}`, `{"kind":"user","name":"me"}`
	for _, c := range []struct {
		name, text, source string
		by                 mem.Caller
		options            mem.ApproveOptions
		want               error
		isRule             bool
	}{
		{"a claim", rule, `"chat"`, aClient, mem.ApproveOptions{}, nil, true},
		{"an agent's fact", fact, clients, aClient, mem.ApproveOptions{}, nil, false},
		{"a rule", rule, users, mem.Caller{}, mem.ApproveOptions{}, mem.ErrNotFound, true},
		{"a rule, with a source", rule, users, mem.Caller{},
			mem.ApproveOptions{Source: []byte(`"me"`)}, nil, true},
		{"a user's fact", fact, users, mem.Caller{}, mem.ApproveOptions{}, mem.ErrNotFound, false},
		{"a secret source", fact, clients, aClient,
			mem.ApproveOptions{Source: []byte(`{"kind":"web"}`)}, policy.ErrProvenance, false},
	} {
		f := newStore(t)
		w := write("/n", c.text)
		w.Source = []byte(c.source)
		out, err := f.Set(ctx, c.by, w, mem.SetOptions{})
		f.Must(err)
		f.Clock = noon.Add(time.Hour)
		got, err := approve(f.Store, mem.Caller{}, keyOf("/n"), c.options)
		if !errors.Is(err, c.want) || c.want == nil && (err != nil || got.TS <= out.TS) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		rec, err := f.Get(ctx, mem.Caller{}, keyOf("/n"), false)
		f.Must(err)
		if begun(t, f.Store, mem.Caller{}, policy.Set).IsRule(rec) != c.isRule {
			t.Errorf("%s: a rule, or not", c.name)
		}
		m := mem.MemoryOf(rec)
		if at := m.Timestamp(); at != out.TS {
			t.Errorf("%s: it is of %s, and was written at %s", c.name, at, out.TS)
		}
	}
}

// A rule that another person's file brought as a fact waits for the person here.
func TestStandingForAnImport(t *testing.T) {
	f := newStore(t)
	op := begun(t, f.Store, mem.Caller{}, policy.Import)
	line := given("/n", aRule, `{"kind":"user","name":"other"}`, older)
	_, err := op.PutAll(ctx, []mem.Checked{checked(t, op, line)})
	f.Must(err)
	for i, want := range []error{nil, mem.ErrNotFound} {
		rec, err := f.Get(ctx, mem.Caller{}, keyOf("/n"), false)
		f.Must(err)
		if op.IsRule(rec) != (i > 0) {
			t.Errorf("approved %d times: it is no rule, or one", i)
		}
		_, err = approve(f.Store, mem.Caller{}, keyOf("/n"), mem.ApproveOptions{})
		if !errors.Is(err, want) {
			t.Errorf("approved %d times: %v, want %v", i, err, want)
		}
	}
}

// A decision on what has changed since is none.
func TestApprovalsMeanwhile(t *testing.T) {
	const fact = `{"kind":"agent","name":"x"}`
	for name, c := range map[string]struct {
		key, now string
		want     error
	}{
		"waits, written": {"/kb/a", `{"text":"2"}`, mem.ErrConflict},
		"waits, deleted": {"/kb/a", "null", mem.ErrConflict},
		"live, written":  {"/a", `{"text":"2"}`, mem.ErrConflict},
		"live, deleted":  {"/a", "null", mem.ErrConflict},
	} {
		var s *mem.Store
		changes := false
		s, _, _ = lateStore(&late{before: func(int) error {
			if changes {
				changes = false
				key := c.key
				if key == "/kb/a" && c.now == "null" {
					key = "/untrusted/kb/a"
				}
				w := write(key, c.now)
				w.Source = []byte(fact)
				_, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
				return err
			}
			return nil
		}})
		w := write(c.key, `{"text":"1"}`)
		w.Source = []byte(fact)
		if _, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true}); err != nil {
			t.Fatal(err)
		}
		changes = true
		_, err := approve(s, mem.Caller{}, keyOf(c.key), mem.ApproveOptions{Force: true})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := newStore(t)
	late := write("/late", `{"text":"l","expired_at":"2026-02-22T11:00:00Z"}`)
	late.Source = []byte(`{"kind":"agent","name":"x"}`)
	_, err := f.Set(ctx, mem.Caller{}, late, mem.SetOptions{})
	f.Must(err)
	_, err = approve(f.Store, mem.Caller{}, keyOf("/late"), mem.ApproveOptions{})
	if !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("expired: %v", err)
	}
}

// What a person rejects is gone, and so is nothing else.
func TestRejections(t *testing.T) {
	f := newStore(t)
	for _, key := range []string{"/kb/a", "/kb/b"} {
		_, err := f.Set(ctx, mem.Caller{}, write(key, "1"), mem.SetOptions{Quarantine: true})
		f.Must(err)
	}
	out, err := reject(f.Store, mem.Caller{}, keyOf("/kb/a"))
	if err != nil || out.Key != keyOf("/untrusted/kb/a") || out.Valid {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := reject(f.Store, mem.Caller{}, keyOf("/kb/a")); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
	if _, err := reject(f.Store, mem.Caller{Unattended: true}, keyOf("/kb/b")); !errors.Is(err,
		policy.ErrUnattended) {
		t.Errorf("in a script: %v", err)
	}
	if f.Content("/untrusted/kb/b") != "1" {
		t.Error("the other is gone")
	}
	f.Import("/untrusted/kb/old", `{"expired_at":"2026-02-22T11:00:00Z"}`)
	if _, err := reject(f.Store, mem.Caller{}, keyOf("/kb/old")); err != nil {
		t.Errorf("an expired one: %v", err)
	}
}

// Where somebody else has decided meanwhile, nothing is left to reject.
func TestRejectedMeanwhile(t *testing.T) {
	kept, now := memstore.New(func() time.Time { return noon }), func() time.Time { return noon }
	other := mem.New(kept, mem.Options{Now: now})
	w := mem.SetOptions{Quarantine: true}
	if _, err := other.Set(ctx, mem.Caller{}, write("/kb/a", "1"), w); err != nil {
		t.Fatal(err)
	}
	s := mem.New(kept, mem.Options{Now: now, OnBegin: func(*mem.Operation) {
		reject(other, mem.Caller{}, keyOf("/kb/a"))
	}})
	if _, err := reject(s, mem.Caller{}, keyOf("/kb/a")); !errors.Is(err, mem.ErrNotFound) {
		t.Error(err)
	}
	if _, err := other.Set(ctx, mem.Caller{}, write("/kb/a", "1"), w); err != nil {
		t.Fatal(err)
	}
	if _, err := approve(s, mem.Caller{}, keyOf("/kb/a"), mem.ApproveOptions{}); !errors.Is(err,
		mem.ErrNotFound) {
		t.Error(err)
	}
}

// Writes for other agents are warned of, once for all of them.
func TestWarningsOfOwners(t *testing.T) {
	const ada, bob = "/agent/ada/core/" + anID, "/agent/bob/core/" + anID
	for _, c := range []struct {
		agent string
		keys  []string
		want  string
	}{
		{"", []string{"/a"}, ""},
		{"", []string{ada},
			"written for agent ada: MEM_AGENT is not set, and no other caller can " +
				"read it"},
		{"", []string{ada, "/agent/ada/journal/" + anID, bob, "/a"},
			"written for agent ada, bob: " +
				"MEM_AGENT is not set, and no other caller can read it (memories: 3)"},
		{"eve", []string{ada}, ""}, // it may not
		{"ada", []string{ada}, ""},
	} {
		f := newStore(t)
		verb := policy.Import
		if c.agent != "" {
			verb = policy.Core
		}
		op := begun(t, f.Store, mem.Caller{Agent: c.agent}, verb)
		op.Force()
		var writes []mem.Checked
		for _, key := range c.keys {
			p, err := op.Check(ctx, write(key, `{"text":"a"}`), false)
			if err == nil {
				writes = append(writes, p)
			}
		}
		f.Must(put(op, writes...))
		got := ""
		if len(f.Warnings) > 0 {
			got = f.Warnings[0]
		}
		if got != c.want || len(f.Warnings) > 1 {
			t.Errorf("%q %v: %q", c.agent, c.keys, f.Warnings)
		}
	}
}

// A compare-and-set that loses says what the key holds, but not of another agent's.
func TestLostComparisons(t *testing.T) {
	const key = "/agent/ada/core/" + anID
	f := newStore(t)
	f.Put(key, "1")
	w, o := write(key, "2"), mem.SetOptions{IfAbsent: true, Force: true}
	_, err := f.Set(ctx, mem.Caller{}, w, o)
	var lost *mem.ConflictError
	if !errors.As(err, &lost) || !lost.Newest.Key.IsZero() || lost.Why == "" ||
		mem.Hint(err) != "MEM_AGENT names the agent" {
		t.Errorf("%v", err)
	}
	ts := log.Stamp(1)
	_, err = f.Set(ctx, mem.Caller{}, write("/none", "2"), mem.SetOptions{IfTS: &ts})
	if !errors.As(err, &lost) || !lost.Newest.Key.IsZero() || lost.Why != "" {
		t.Errorf("%v", err)
	}
	f.Put("/a", "1")
	_, err = f.Set(ctx, mem.Caller{}, write("/a", "2"), mem.SetOptions{IfTS: &ts})
	if !errors.As(err, &lost) || lost.Newest.Key != keyOf("/a") {
		t.Errorf("%v", err)
	}
	if _, err := f.Set(ctx, mem.Caller{}, write("/a", "2"), mem.SetOptions{IfTS: &ts,
		IfAbsent: true}); err == nil {
		t.Error("neither holds")
	}
	if ran, err := f.Journaled(); err != nil || ran[len(ran)-1].Code != mem.KindConflict {
		t.Errorf("%+v, %v", ran, err)
	}
}
