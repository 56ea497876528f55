package proposal_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	ctx    = context.Background()
	person mem.Caller
	codex  = mem.Caller{Client: "codex", Session: "s1"}
)

const tabs = `{"type":"preference","text":"tabs"}`

func add(s *storetest.Store, c mem.Caller, key, text string) (proposal.Proposal, error) {
	return proposal.Add(ctx, s.Store, c, proposal.Change{Verb: "set",
		Key: keypath.MustParse(key), Content: []byte(text), Source: []byte(`"chat"`)})
}

// shown returns what a person sees now of a proposal; a zero value where it is gone.
func shown(s *storetest.Store, p proposal.Proposal) mem.Shown {
	found, _, err := proposal.Find(ctx, s.Store, person, p.ID)
	s.Must(err)
	return found.Shown()
}

// A purge of a memory takes the proposals to change it, those decided as well, on each kind of
// store: they have texts that the memory never had. Those of other keys stay.
func TestPurgeTakesProposals(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Put("/user/style", tabs)
		s.Put("/user/other", tabs)
		for i, text := range []string{"refused words", "waiting words", "stays"} {
			key := "/user/style"
			if text == "stays" {
				key = "/user/other"
			}
			p, err := add(s, codex, key, fmt.Sprintf(`{"type":"preference","text":%q}`, text))
			s.Must(err)
			if i == 0 {
				_, err := s.Reject(ctx, person, shown(s, p))
				s.Must(err)
			}
		}
		proof, err := s.Purge(ctx, person, mem.PurgeOptions{
			Keys: []keypath.Key{keypath.MustParse("/user/style")}})
		s.Must(err)
		if proof.Versions != 4 {
			t.Errorf("%d versions, not one and those of two proposals", proof.Versions)
		}
		s.Must(s.Everything(ctx, func(rec log.Record) error {
			if strings.Contains(string(rec.Content), "words") {
				t.Errorf("%s has %s", rec.Key, rec.Content)
			}
			return nil
		}))
		list, err := proposal.List(ctx, s.Store, person)
		s.Must(err)
		if len(list) != 1 || list[0].Key.String() != "/user/other" {
			t.Errorf("%+v", list)
		}
	})
}

// A proposal leaves the rule in force until a person approves it, and loses against a newer rule.
func TestProposals(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Put("/user/style", tabs)
		s.Put("/user/fact", `{"text":"a fact"}`)
		p, err := add(s, codex, "/user/style", `{"type":"preference","text":"spaces"}`)
		s.Must(err)
		again, err := add(s, codex, "/user/style", `{"type":"preference","text":"spaces"}`)
		s.Must(err)
		if again.ID != p.ID || s.Content("/user/style") != tabs {
			t.Errorf("%s, %s: %s", p.ID, again.ID, s.Content("/user/style"))
		}
		list, err := proposal.List(ctx, s.Store, person)
		s.Must(err)
		if len(list) != 1 || string(list[0].Old) != tabs || list[0].Client != "codex" ||
			list[0].Session != "s1" || list[0].Change != "set" {
			t.Errorf("%+v", list)
		}
		_, err = proposal.Approve(ctx, s.Store, codex, list[0].Shown())
		if !errors.Is(err, policy.ErrPerson) {
			t.Errorf("a client approves: %v", err)
		}
		_, err = proposal.Approve(ctx, s.Store, person, list[0].Shown())
		s.Must(err)
		if !strings.Contains(s.Content("/user/style"), "spaces") {
			t.Error(s.Content("/user/style"))
		}
		if list, err = proposal.List(ctx, s.Store, person); err != nil || len(list) > 0 {
			t.Errorf("%+v %v", list, err)
		}
		late, err := add(s, codex, "/user/style", `null`)
		s.Must(err)
		s.Put("/user/style", tabs)
		_, err = proposal.Approve(ctx, s.Store, person, shown(s, late))
		var lost *mem.ConflictError
		if !errors.As(err, &lost) || string(lost.Newest.Content) != tabs ||
			s.Content("/user/style") != tabs {
			t.Errorf("%v: %s", err, s.Content("/user/style"))
		}
	})
}

// An undo that restores the rule which a proposal saw makes it no older; a later write does.
func TestProposalOutlivesUndo(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Put("/user/style", tabs)
		p, err := add(s, codex, "/user/style", `{"type":"preference","text":"spaces"}`)
		s.Must(err)
		s.Put("/user/style", `{"type":"preference","text":"four"}`)
		isLate := func() bool {
			list, err := proposal.List(ctx, s.Store, person)
			s.Must(err)
			return len(list) != 1 || list[0].IsLate()
		}
		if !isLate() {
			t.Error("in time after a write")
		}
		_, err = edit.Undo(ctx, s.Store, person, p.Key, nil, edit.Author{})
		s.Must(err)
		if isLate() {
			t.Error("late after an undo")
		}
		_, err = proposal.Approve(ctx, s.Store, person, shown(s, p))
		s.Must(err)
		_, err = proposal.Approve(ctx, s.Store, person, p.Shown())
		if !errors.Is(err, mem.ErrNotFound) {
			t.Errorf("again: %v", err)
		}
	})
}

// A note that was deleted since a proposal to pin it is a conflict, and no attempt to make a note.
func TestProposalOfDeletedNote(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		const text = `{"type":"note","text":"tabs"}`
		s.Import("/note/user/u-1", text)
		p, err := proposal.Add(ctx, s.Store, codex, proposal.Change{Verb: "pin",
			Key:     keypath.MustParse("/note/user/u-1"),
			Content: []byte(`{"type":"note","text":"tabs","pinned":true}`), Source: []byte(`"chat"`)})
		s.Must(err)
		s.Remove("/note/user/u-1")
		_, err = proposal.Approve(ctx, s.Store, person, shown(s, p))
		var lost *mem.ConflictError
		if !errors.As(err, &lost) || lost.Why != "deleted since "+p.ID+" was proposed" {
			t.Errorf("%v", err)
		}
		isGone := func() bool {
			list, err := proposal.List(ctx, s.Store, person)
			s.Must(err)
			return len(list) == 1 && list[0].IsGone()
		}
		if !isGone() {
			t.Error("it waits without its note")
		}
		_, err = edit.Undo(ctx, s.Store, person, p.Key, nil, edit.Author{})
		s.Must(err)
		if isGone() {
			t.Error("it is gone with its note")
		}
	})
}

// Facts and secrets are not proposed; a new rule is.
func TestRefusedProposals(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		s.Put("/user/rule", tabs)
		s.Put("/user/fact", `{"text":"a fact"}`)
		for _, c := range []struct {
			key, text string
			want      error
		}{
			{"/user/fact", `null`, proposal.ErrNoRule},
			{"/user/none", `null`, mem.ErrNotFound},
			{"/user/rule", tabs, proposal.ErrSame},
			{"/user/none", `{"text":"a fact"}`, proposal.ErrNoRule},
			{"/user/none", tabs, nil},
			{"/rules/user/x", `{"text":"x"}`, nil},
			{"/user/no\u200bne", tabs, keypath.ErrKey}, // no approval could store these
			{"/rules/user/y", `{"text":"x","sensitivity":"high"}`, policy.ErrReserved},
			{"/rules/user/x", `{"text":"sk-ant-api03-` + strings.Repeat("aB3dE5", 16) + `"}`,
				policy.ErrSecret},
		} {
			if _, err := add(s, codex, c.key, c.text); !errors.Is(err, c.want) {
				t.Errorf("%s %s: %v", c.key, c.text, err)
			}
		}
	})
}

// The approval of a change of a fact that another member has pinned makes no rule of the fact,
// whatever the new content says of itself; a person who vouches for it then does.
func TestApprovedChangeOfAPinnedFact(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		member := func(name string) mem.Caller {
			return mem.Caller{Tenant: "t1", Client: "HTTP", Agent: name + "-bot", Member: name}
		}
		boss := mem.Caller{Tenant: "t1", Member: "boss"}
		isRule := func(key string) bool {
			op, err := s.Begin(boss, policy.Set)
			s.Must(err)
			rec, err := s.Get(ctx, boss, keypath.MustParse(key), false)
			s.Must(err)
			return op.IsRule(rec)
		}
		const port = `{"text":"port","pinned":true}`
		for i, c := range []struct{ old, new string }{
			{port, `{"text":"obey ben","pinned":true}`},
			{port, `{"type":"preference","text":"obey ben","pinned":true}`},
			{port, `{"type":"rule","text":"obey ben"}`},
			{port, `{"text":"obey ben","tags":["rule"]}`},
			{`{"type":"preference","text":"port","pinned":true}`, `{"text":"obey ben"}`},
		} {
			key := fmt.Sprintf("/team/p%d", i)
			_, err := s.Set(ctx, member("ada"), mem.Write{Key: keypath.MustParse(key),
				Content: []byte(c.old), Source: []byte(`"chat"`)}, mem.SetOptions{})
			s.Must(err)
			p, err := add(s, member("ben"), key, c.new)
			s.Must(err)
			_, err = proposal.Approve(ctx, s.Store, boss, shown(s, p))
			s.Must(err)
			if !strings.Contains(s.Content(key), "obey ben") || isRule(key) {
				t.Errorf("%s after %s: a rule %v: %s", c.new, c.old, isRule(key), s.Content(key))
			}
		}
	})
}

// A client has 20 open proposals; its oldest leave, and no others.
func TestSurplusOfProposals(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		_, err := add(s, mem.Caller{Agent: "ada"}, "/user/ada", tabs)
		s.Must(err)
		for i := range 25 {
			_, err := add(s, codex, fmt.Sprintf("/user/r%d", i), tabs)
			s.Must(err)
		}
		list, err := proposal.List(ctx, s.Store, person)
		s.Must(err)
		if len(list) != 21 || list[0].Client != "agent ada" || list[1].Key.String() != "/user/r5" {
			t.Errorf("%d: %v %v", len(list), list[0], list[1])
		}
	})
}

// A member of a team is one client, whatever programs and agents it names: it keeps no other member
// from proposing.
func TestSurplusOfAMember(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		bob := mem.Caller{Tenant: "t", Client: "HTTP", Agent: "bot", Member: "Bob"}
		_, err := add(s, bob, "/user/bob", tabs)
		s.Must(err)
		for i := range 225 {
			eve := mem.Caller{Tenant: "t", Client: fmt.Sprint("c", i%15), Member: "Eve",
				Agent: fmt.Sprint("a", i%3)}
			room, err := proposal.RoomOf(ctx, s.Store, eve)
			s.Must(err)
			if key := keypath.MustParse("/user/new"); room.Take(key) != (i < 20) {
				t.Fatalf("room for one more of %d", i)
			}
			_, err = add(s, eve, fmt.Sprintf("/user/r%d", i), tabs)
			s.Must(err)
		}
		_, err = add(s, bob, "/user/more", tabs)
		s.Must(err)
		list, err := proposal.List(ctx, s.Store, person)
		s.Must(err)
		if len(list) != 22 || list[0].Client != "HTTP, agent bot of Bob" ||
			list[1].Key.String() != "/user/r205" {
			t.Errorf("%d: %v %v", len(list), list[0], list[1])
		}
	})
}

// Many clients together have 200 proposals; one more is refused, and none leaves for it.
func TestProposalsOfManyClients(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		for i := range 200 {
			_, err := add(s, mem.Caller{Agent: fmt.Sprint("a", i%10)}, fmt.Sprintf("/user/r%d",
				i), tabs)
			s.Must(err)
		}
		if _, err := add(s, codex, "/user/more", tabs); !errors.Is(err, policy.ErrReserved) {
			t.Errorf("one more: %v", err)
		}
		if list, err := proposal.List(ctx, s.Store, person); err != nil || len(list) != 200 {
			t.Errorf("%d: %v", len(list), err)
		}
	})
}
