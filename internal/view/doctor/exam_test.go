package doctor_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/doctor"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/queue"
	"github.com/set-memory/mem/keypath"
)

// examOf returns an exam of one store in an environment.
func examOf(t *testing.T, s *storetest.Store, env map[string]string) *doctor.Exam {
	t.Helper()
	getenv := func(name string) string { return env[name] }
	l := layers.Of(s.Store)
	l.Sites.Book = site.OpenBook(getenv, t.TempDir())
	return &doctor.Exam{
		Queue:   &queue.Queue{Layers: l, Inbox: inbox.In("", s.Now)},
		Options: mem.Options{Now: s.Now}, Getenv: getenv, Words: advice.List.String,
		Stat: func(context.Context, *site.Site) (mem.Stat, error) {
			return mem.Stat{}, errors.New("no answer")
		},
	}
}

// byWhat returns the checks of all stores of an exam by what they are about.
func byWhat(t *testing.T, e *doctor.Exam) map[string]doctor.Check {
	t.Helper()
	found := map[string]doctor.Check{}
	list := e.Layers.Sites.List()
	for _, c := range e.Checks(t.Context(), list, func(*site.Site) string { return "" }) {
		found[c.What] = c
	}
	return found
}

func TestExamNamesWhatTheEnvironmentAndTheQueueHave(t *testing.T) {
	s := storetest.NewStore(t, storetest.Files)
	s.Put("/user/style", `{"type":"preference","text":"tabs"}`)
	gone := filepath.Join(t.TempDir(), "gone")
	e := examOf(t, s, map[string]string{})
	for _, what := range []string{"MEM_ROOT", "MEM_TRUST", "hooks", "proposals", "server"} {
		if c, found := byWhat(t, e)[what]; found {
			t.Errorf("nothing is there: %+v", c)
		}
	}
	_, err := proposal.Add(t.Context(), s.Store, mem.Caller{Client: "codex"}, proposal.Change{
		Verb: "set", Key: keypath.MustParse("/user/style"), Content: []byte(`null`),
		Source: []byte(`"chat"`)})
	s.Must(err)
	e = examOf(t, s, map[string]string{"MEM_ROOT": "memory", "MEM_TRUST": gone, "MEM_OFF": "1"})
	e.Layers.Sites.Served = &site.Site{Remote: "https://memd.example/t1"}
	found := byWhat(t, e)
	for what, want := range map[string]doctor.Check{
		"MEM_ROOT": {Level: doctor.Warn,
			Message: "memory is a relative path: each working directory has its own memory"},
		"MEM_TRUST": {Level: doctor.Warn, Message: gone + " is not there, so it trusts no store"},
		"hooks":     {Level: doctor.Warn, Message: "off: MEM_OFF is set"},
		"proposals": {Level: doctor.OK,
			Message: "1 proposed change of your rules: mem approve"},
		"server": {Level: doctor.Bad, Message: "no answer"},
	} {
		got := found[what]
		if got.Level != want.Level || got.Message != want.Message ||
			(got.Level == doctor.OK || what == "hooks") != (got.Fix == "") {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	e.Root = "memory" // a flag named it
	if c, found := byWhat(t, e)["MEM_ROOT"]; found {
		t.Errorf("%+v", c)
	}
}
