package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// An agent names itself alone, a person anybody.
func TestActing(t *testing.T) {
	for _, c := range []struct{ caller, agent, as string }{
		{"", "", ""}, {"", "ada", "ada"}, {"ada", "", "ada"}, {"ada", "ada", "ada"},
		{"ada", "Ada", "ada"}, {"bob", "ada", "bob"},
	} {
		as, err := Acting(backend.Caller{Agent: c.caller}, c.agent)
		refused := c.caller != "" && c.agent != "" && c.agent != c.caller
		if as.Agent != c.as || errors.Is(err, ErrPerson) != refused {
			t.Errorf("%+v: as %q, %v", c, as.Agent, err)
		}
	}
	// A token says which agent calls, and no variable.
	_, err := Acting(backend.Caller{Agent: "ada", Client: OverHTTP}, "bob")
	var refused *PersonError
	if !errors.As(err, &refused) || !strings.Contains(refused.Advice().String(), "token") {
		t.Errorf("over HTTP: %v", refused.Advice())
	}
	if CheckNoAgent(backend.Caller{}, "x") != nil ||
		!errors.Is(CheckNoAgent(backend.Caller{Agent: "ada"}, "x"), ErrPerson) {
		t.Error("who is a person?")
	}
}

// What an agent keeps it neither takes away nor brings back, in whatever way; all else it may, and
// what another one keeps is as if it were not there. A person deletes it by the verbs for that.
func TestOwn(t *testing.T) {
	const adas, waiting = "/agent/ada/core/" + ulid, "/untrusted/agent/ada/core/" + ulid
	for _, c := range []struct {
		caller, verb, key string
		valid             bool
		refused, reaches  bool
	}{
		{"ada", "forget", adas, false, true, true}, {"ada", "rm", adas, false, true, true},
		{"ada", "undo", adas, true, true, true}, {"ada", "undo", adas, false, true, true},
		{"ada", "core", adas, true, false, true}, {"ada", "journal", adas, true, false, true},
		{"ada", "move", adas, false, false, true}, {"ada", "move", adas, true, false, true},
		{"ada", "set", adas, true, true, true}, {"ada", "import", adas, true, true, true},
		{"ada", "set", waiting, true, true, true}, {"ada", "approve", adas, true, true, true},
		{"ada", "edit", adas, true, true, true}, {"ada", "core", adas, false, true, true},
		{"ada", "forget", waiting, false, true, true},
		{"ada", "forget", "/agent/ada/notes", false, false, true},
		{"bob", "forget", adas, false, false, false}, {"bob", "undo", adas, true, false, false},
		{"", "forget", adas, false, false, true}, {"", "agent", adas, false, false, true},
		{"", "undo", adas, true, false, true}, {"", "diff", adas, true, false, false},
		{"", "rm", adas, false, false, false}, {"", "get", adas, true, false, false},
		{"", "rm", "/a", false, false, true},
	} {
		key, caller := keypath.MustParse(c.key), backend.Caller{Agent: c.caller}
		verb := VerbNamed(c.verb)
		err, reaches := CheckOwn(caller, verb, key, c.valid), Reaches(caller, verb, key)
		if errors.Is(err, ErrPerson) != c.refused || reaches != c.reaches {
			t.Errorf("%+v: %v, reaches %v", c, err, reaches)
		}
	}
}

// An agent that its environment names takes no decision of a person, as a client takes none.
func TestAgentIsNoPerson(t *testing.T) {
	key, user := keypath.MustParse("/rules/user/a"), []byte(`{"kind":"user","name":"me"}`)
	callers := []backend.Caller{{Agent: "bot"}, {Client: "codex"}, {Client: "MCP", Agent: "bot"}}
	for _, c := range callers {
		for name, err := range map[string]error{
			"approve": CheckPerson(c, Approve),
			"source":  CheckSource(c, user),
			"revert":  CheckRevert(c, Undo, key, user),
			"agent":   CheckNoAgent(c, "copy"),
		} {
			var refused *PersonError
			if !errors.As(err, &refused) || refused.Agent != c.Agent || refused.Client != c.Client {
				t.Errorf("%+v: %s: %v", c, name, err)
			}
		}
		for text, want := range map[string]string{"1": "set /rules/user/a --text TEXT --propose",
			"null": "forget /rules/user/a --propose"} {
			f := facts(c, Forget, Given, "/rules/user/a", text, `"x"`)
			err := f.checkClaim(&Ground{})
			var refused *RuleError
			if !errors.As(err, &refused) || !errors.Is(err, ErrPerson) || refused.Caller != c ||
				!strings.Contains(refused.Advice().String(), want) {
				t.Errorf("%+v: %s: %v", c, text, err)
			}
		}
	}
	person := backend.Caller{}
	if err := errors.Join(CheckPerson(person, Approve), CheckSource(person, user),
		CheckRevert(person, Undo, key, user), CheckNoAgent(person, "copy")); err != nil {
		t.Error(err)
	}
}
