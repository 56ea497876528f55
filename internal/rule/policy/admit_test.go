package policy

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// facts returns those of a write.
func facts(c backend.Caller, verb Verb, x Exemptions, key, text, source string) *Facts {
	f := NewFacts(&Call{c, verb}, x, log.Envelope{Key: keypath.MustParse(key),
		Content: []byte(text),
		Source:  []byte(source)})
	return &f
}

var (
	person       = backend.Caller{}
	script       = backend.Caller{Unattended: true}
	client       = backend.Caller{Client: "codex"}
	ada          = backend.Caller{Agent: "ada"}
	bob          = backend.Caller{Agent: "bob"}
	byUser       = `{"kind":"user","name":"me"}`
	wire         = `{"kind":"agent","name":"x"}`
	adas         = "/agent/ada/core/" + ulid
	event        = "/event/s/evt_" + ulid
	inSession    = "/session/s/mem_" + ulid
	aNote        = "/note/workspace/m-2"
	aProposal    = Proposals + "/p-1"
	errElsewhere = errors.New("not of this layer")
)

// admissionCase is a write, and the error that it is refused with; nil: it is admitted.
type admissionCase struct {
	caller            backend.Caller
	verb              Verb
	exempt            Exemptions
	key, text, source string
	want              error
}

// Each rule refuses, and passes what it is to pass: the same write by somebody who may, with the
// exemption, or by the verb for it.
var admissionCases = []admissionCase{
	{person, Set, 0, "/a", `1`, `"x"`, nil},
	{person, Set, 0, "/a", `null`, `"x"`, nil},

	// A note has a text where a caller gives the content; a line from elsewhere stays as it is.
	{person, Set, 0, aNote, `{"txt":"x"}`, `"x"`, ErrInput},
	{person, Edit, 0, aNote, `{"text":""}`, `"x"`, ErrInput},
	{person, Merge, 0, aNote, `{"text":1}`, `"x"`, ErrInput},
	{person, Approve, 0, aNote, `1`, `"x"`, ErrInput},
	{person, Edit, 0, aNote, `{"text":"x"}`, `"x"`, nil},
	{person, Edit, 0, aNote, `null`, `"x"`, nil},
	{person, Touch, 0, aNote, `{"txt":"x"}`, `"x"`, nil},
	{person, Import, 0, aNote, `{"txt":"x"}`, `"x"`, nil},
	{person, Set, Given, aNote, `{"txt":"x"}`, `"x"`, nil},

	// Secrets are searched for first, also in what any other rule refuses.
	{person, Set, 0, "/a", `"` + madeUp + `"`, `7`, ErrSecret},
	{person, Set, Forced | Given, "/a", `"` + madeUp + `"`, `"x"`, ErrSecret},
	{person, Set, 0, "/a/" + madeUp, `1`, `"x"`, ErrSecret},
	{person, Rm, 0, "/a/" + madeUp, `null`, `"/a/` + madeUp + `"`, nil},
	{person, Rm, 0, "/a", `null`, `"` + madeUp + `"`, ErrSecret},
	{person, Set, 0, "/a", `1`, `7`, ErrInput},
	{person, Set, 0, "/a", `1`, `[1]`, ErrInput},

	// A class with a form of its own is written by its verbs.
	{person, Set, 0, inSession, `1`, `"x"`, ErrReserved},
	{client, Set, Forced, inSession, `1`, `"x"`, ErrPerson},
	{person, Set, Forced, inSession, `1`, `"x"`, nil},
	{person, Set, Tending, inSession, `1`, `"x"`, nil},
	{person, Set, Purging, inSession, `null`, `"x"`, nil},
	{client, Remember, 0, inSession, `1`, `"x"`, nil},
	{person, Journal, 0, adas, `1`, `"x"`, nil},
	{person, Set, 0, adas, `1`, `"x"`, ErrReserved},

	// Append-only records come by their verb or as they were, and go by a purge alone.
	{client, Event, 0, event, `1`, `"x"`, nil},
	{person, Set, 0, event, `1`, `"x"`, ErrReserved},
	{person, Set, Forced, event, `1`, `"x"`, ErrReserved},
	{person, Set, Tending, event, `1`, `"x"`, ErrReserved},
	{person, Import, Given, event, `1`, `"x"`, nil},
	{person, Import, Given, event, `null`, `"x"`, ErrReserved},
	{person, Purge, Purging, event, `null`, `"x"`, nil},

	// An agent adds to what it keeps, and to nothing of another's.
	{ada, Core, 0, adas, `1`, `"x"`, nil},
	{ada, Core, 0, adas, `null`, `"x"`, ErrPerson},
	{ada, Forget, 0, adas, `null`, `"x"`, ErrPerson},
	{ada, Undo, 0, adas, `1`, `"x"`, ErrPerson},
	{ada, Move, 0, adas, `null`, `"x"`, nil},
	{bob, Core, 0, adas, `1`, `"x"`, ErrPerson},
	{bob, Forget, 0, adas, `null`, `"x"`, nil}, // it finds none
	{bob, Set, Purging, adas, `null`, `"x"`, ErrPerson},
	{person, Forget, 0, adas, `null`, `"x"`, nil},
	{ada, Set, 0, "/agent/ada/identity", `"I am Ada"`, wire, nil},
	{bob, Set, 0, "/agent/ada/identity", `"I am Ada"`, wire, ErrPerson},
	{client, Set, 0, "/agent/ada/identity", `"I am Ada"`, wire, ErrPerson},
	{person, Set, 0, "/agent/ada/identity", `"I am Ada"`, `"x"`, nil},

	// A rule, and a word in the user's name, are a person's.
	{person, Set, 0, "/rules/user/a", `1`, `"x"`, nil},
	{script, Set, 0, "/rules/user/a", `1`, `"x"`, ErrUnattended},
	{script, Set, 0, "/rules/user/a", `null`, `"x"`, nil},
	{script, Import, Given, "/rules/user/a", `1`, `"x"`, nil},
	{client, Set, 0, "/rules/user/a", `1`, `"x"`, ErrRule},
	{client, Rm, 0, "/RULES/user/a", `null`, `"x"`, ErrRule},
	{ada, Edit, 0, "/rules/user/a", `1`, `"x"`, ErrRule},
	{client, Set, 0, "/a", `1`, byUser, ErrPerson},
	{client, Set, 0, "/a", `1`, `{"kind":"agent","name":"x","pinned_by":"user"}`, ErrPerson},
	{client, Note, 0, "/a", `1`, byUser, nil}, // its caller names no source
	{person, Set, 0, "/a", `1`, byUser, nil},
	{client, Reject, 0, "/untrusted/a", `null`, `"x"`, ErrPerson},
	{script, Reject, 0, "/untrusted/a", `null`, `"x"`, nil},
	{person, Set, 0, aProposal, `1`, `"x"`, ErrReserved},
	{client, Propose, 0, aProposal, `1`, `"x"`, nil},
	{person, Undo, 0, aProposal, `1`, `"x"`, nil},
	{client, Undo, 0, aProposal, `1`, `"x"`, ErrReserved},

	// What is to be sealed is not stored in the clear where bundles are built from.
	{person, Set, 0, "/task/a", `{"sensitivity":"secret"}`, `"x"`, ErrReserved},
	{person, Set, 0, "/task/a", `{"sensitivity":"high"}`, `"x"`, ErrReserved},
	{person, Set, 0, "/task/a", `{"sensitivity":"low"}`, `"x"`, nil},
	{person, Set, 0, "/a", `{"sensitivity":"secret"}`, `"x"`, nil},
	{person, Import, Given, "/task/a", `{"sensitivity":"high"}`, `"x"`, nil},

	// The layer, and the keys that only some verbs make.
	{person, Set, 0, "/elsewhere", `1`, `"x"`, errElsewhere},
	{person, Set, Given, "/elsewhere", `1`, `"x"`, errElsewhere},
	{person, Rm, 0, "/elsewhere", `null`, `"x"`, nil},
	{person, Set, 0, "/a\u200b", `1`, `"x"`, keypath.ErrKey},
	{person, Import, Given, "/a\u200b", `1`, `"x"`, nil},
	{person, Set, 0, "/stored\u200b", `1`, `"x"`, nil},
	{person, Set, 0, "/untrusted/a", `1`, `"x"`, ErrReserved},
	{person, Undo, 0, "/untrusted/a", `1`, `"x"`, nil},
	{person, Set, 0, "/untrusted/stored", `1`, `"x"`, ErrReserved},
	{person, Set, 0, "/note/user/m-1", `1`, `"x"`, ErrReserved},
	{person, Set, 0, "/note/user/m-2", `{"text":"1"}`, `"x"`, nil}, // it is stored
	{person, Note, Numbered, "/note/user/m-1", `1`, `"x"`, nil},
	{person, Set, Numbered, "/note/user/m-1", `1`, `"x"`, ErrReserved},
	{person, Set, 0, "/agent/ada/core/x", `1`, `"x"`, ErrReserved},
	{person, Set, 0, "/event/s/x", `1`, `"x"`, ErrReserved},

	// Provenance comes last.
	{person, Set, 0, "/kb/a", `1`, `"x"`, ErrProvenance},
	{person, Set, 0, "/kb/a", `1`, complete, nil},
	{person, Set, 0, "/a", `1`, `" "`, ErrProvenance},
	{person, Set, 0, "/untrusted/kb/a", `null`, `"x"`, nil},
	{person, Set, 0, "/a", `1`, `{"kind":"user","purged":true}`, ErrReserved},
	{person, Import, Given, "/a", `null`, `{"kind":"user","purged":true}`, ErrReserved},
	{person, Move, Given, "/a", `null`, `{"kind":"user","purged":true}`, nil},
	{person, Move, Given, "/a", `1`, `{"kind":"user","purged":true}`, ErrReserved},
}

func TestAdmit(t *testing.T) {
	ground := Ground{
		Belongs: func(key keypath.Key) error {
			if key.String() == "/elsewhere" {
				return errElsewhere
			}
			return nil
		},
		Stored: func(key keypath.Key) (bool, error) {
			name := key.String()
			return strings.Contains(name, "stored") || strings.HasSuffix(name, "-2"), nil
		},
	}
	for _, c := range admissionCases {
		err := ground.Admit(facts(c.caller, c.verb, c.exempt, c.key, c.text, c.source))
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%.300s by %s of %+v: %v, want %v", fmt.Sprintf("%+v", c), c.verb, c.caller,
				err, c.want)
		}
	}
	for i, rule := range admission {
		refuses := func(c admissionCase) bool {
			f := facts(c.caller, c.verb, c.exempt, c.key, c.text, c.source)
			return c.want != nil && !f.Exempt.has(rule.unless) && rule.ask(f, &ground) != nil
		}
		if !slices.ContainsFunc(admissionCases, refuses) {
			name := runtime.FuncForPC(reflect.ValueOf(rule.ask).Pointer()).Name()
			t.Errorf("admit_test.go: no case is refused by row %d of admission, %s", i+1, name)
		}
	}
	failed := errors.New("the disk")
	ground.Stored = func(keypath.Key) (bool, error) { return true, failed }
	if err := ground.Admit(facts(person, Set, 0, "/note/user/m-2", `1`, `"x"`)); err != failed {
		t.Error(err)
	}
	ground.Stored = func(keypath.Key) (bool, error) { return false, failed }
	if err := ground.Admit(facts(person, Set, 0, "/untrusted/a", `1`, `"x"`)); err != failed {
		t.Error(err)
	}
}

// What takes the place of a record: an agent keeps the rules of the user, and nobody replaces what
// is append-only.
func TestAdmitOver(t *testing.T) {
	for _, c := range []struct {
		caller    backend.Caller
		verb      Verb
		key, text string
		was       string // content of the record in its place; "": there is none
		isRule    bool
		needs     bool
		want      error
	}{
		{person, Set, "/a", `1`, `2`, true, false, nil},
		{client, Set, "/a", `1`, `2`, true, true, ErrRule},
		{ada, Rm, "/a", `null`, `2`, true, true, ErrRule},
		{client, Set, "/a", `1`, `2`, false, true, nil},
		{client, Set, "/a", `1`, "", true, true, nil},
		{client, Propose, "/a", `1`, `2`, true, false, nil},
		{ada, Set, "/agent/ada/identity", `1`, `2`, true, true, ErrRule},
		{ada, Set, "/agent/ada/identity", `1`, `2`, false, true, nil},
		{person, Event, event, `1`, `2`, false, true, ErrReserved},
		{person, Event, event, `1`, "", false, true, nil},
		{person, Rm, event, `null`, "", false, true, ErrReserved},
	} {
		f := facts(c.caller, c.verb, 0, c.key, c.text, `"x"`)
		var old log.Record
		if c.was != "" {
			old.Key, old.Content = f.Key, []byte(c.was)
		}
		err := f.AdmitOver(old, func(log.Record) bool { return c.isRule })
		if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) || f.NeedsOld() != c.needs {
			t.Errorf("%+v: %v, needs %v", c, err, f.NeedsOld())
		}
	}
}

// The lines that no person vouches for are marked, and no others.
func TestOrigin(t *testing.T) {
	const rule, fact = `{"type":"rule","text":"a"}`, `{"text":"a"}`
	for _, c := range []struct {
		caller                  backend.Caller
		verb                    Verb
		key, text, source, want string
		refused                 bool
	}{
		{person, Set, "/a", rule, `"x"`, "", false},
		{client, Set, "/a", rule, `"x"`, "client codex", false},
		{ada, Set, "/a", rule, `"x"`, "client ada", false},
		{client, Set, "/a", fact, `"x"`, "", false},
		{client, Set, "/a", rule, wire, "", false},
		{client, Rm, "/a", `null`, `"x"`, "", false},
		{client, Set, "/untrusted/a", rule, `"x"`, "", false},
		{person, Import, "/a", fact, `"x"`, "import", false},
		{client, Import, "/a", rule, `"x"`, "import", false},
		{person, Import, "/a", `null`, `"x"`, "", false},
		{person, Restore, "/a", rule, `"x"`, "", false},
		{client, Undo, "/a", rule, `"x"`, "", true},
		{client, Undo, "/a", rule, `{"kind":"user","claimed":"client codex"}`, "client codex", false},
		{client, Undo, "/a", fact, `"x"`, "", false},
	} {
		origin, err := facts(c.caller, c.verb, 0, c.key, c.text, c.source).Origin()
		if origin != c.want || errors.Is(err, ErrRule) != c.refused || c.refused != (err != nil) {
			t.Errorf("%+v: %q, %v", c, origin, err)
		}
	}
}

// A write with more than fits is measured, but for what an approval adds.
func TestSizesOfApprovals(t *testing.T) {
	long := slices.Repeat([]byte{' '}, MaxSource+1)
	if CheckSizes(nil, long, 0) == nil || CheckSizes(nil, long, Approved) != nil {
		t.Error("the source of an approval grows by that of the line")
	}
}
