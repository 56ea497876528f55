package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
)

// A client gets a command as a value, and a hint that needs no command line.
func TestFailuresHaveAnAction(t *testing.T) {
	s := newTestServer(t)
	missing := &mem.NotFoundError{Key: keypath.MustParse("/a")}
	for _, c := range []struct {
		err        error
		verb, hint string
		args       []string
	}{
		{missing, "ls", "", nil},
		{fmt.Errorf("%s: %w", s.root.path, missing), "ls", "", nil},
		{fault.Wrap(mem.KindRefused, "s", session.ErrClosed, mem.AdviceOf(
			&session.FullError{ID: s.root.path + "/s"})), "session compact", "",
			[]string{"ROOT/s"}},
		{errUnauthorized, "token add", "send Authorization: Bearer TOKEN; mem token add TENANT " +
			"--agent ID makes one", []string{"TENANT", "--agent", "ID"}},
		{ErrNoTenant, "", "mem space add NAME --root URL makes one", nil}, // it names the place
		{errors.New("odd"), "", "please report this at https://github.com/set-memory/mem/issues, " +
			"with the command", nil},
	} {
		doc, err := mem.EncodeJSON(s.replyOf(mem.Caller{}, c.err))
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Error struct {
				Message, Hint string
				Action        struct {
					Verb string
					Args []string
				}
			}
		}
		if err := json.Unmarshal(doc, &got); err != nil {
			t.Fatal(err)
		}
		action := got.Error.Action
		if action.Verb != c.verb || !slices.Equal(action.Args, c.args) || got.Error.Hint != c.hint {
			t.Errorf("%v: %s", c.err, doc)
		}
	}
	answer := s.ask("GET", "/api/v1/memories/none?tenant_id=t", "")
	failure, _ := answer.json(t)["error"].(object)
	if action, _ := failure["action"].(object); answer.status != 404 || action["verb"] != "ls" {
		t.Errorf("%d %s", answer.status, answer.body)
	}
}
