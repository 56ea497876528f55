package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/keypath"
)

// A server runs a verb again with the answer to its question: it counts for the memories that were
// shown, and for no other question.
func TestServedAnswersAreAboutWhatWasShown(t *testing.T) {
	const approve, forget = "approve /kb/x", "forget --prefix /a --all"
	same := func(*storetest.Store) {}
	for name, c := range map[string]struct {
		args   string
		change func(*storetest.Store)
		exit   int
	}{
		"approve":             {approve, same, 0},
		"approve another":     {approve, func(s *storetest.Store) { quarantine(s, "2") }, 4},
		"approve over":        {approve, replace, 4},
		"forget":              {forget, same, 0},
		"forget another":      {forget, func(s *storetest.Store) { s.Put("/a/b", "2") }, 4},
		"forget one for one":  {forget, swap, 4},
		"an answer to nobody": {forget, nil, 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t, storetest.Memory)
			s.Put("/a/a", "1")
			quarantine(s, "1")
			in := &wire.Request{Root: "https://x.example/t1", Attended: true,
				Args: wire.Bytes(strings.Fields(c.args))}
			serve := func() wire.Reply {
				served := &app.Served{Request: in, Store: s.Store,
					Clock: func() time.Time { return s.Clock }}
				reply, err := Serve(context.Background(), testBuild, mem.Caller{}, served)
				if err != nil && reply.Exit == 0 {
					t.Fatal(err)
				}
				return reply
			}
			reply := serve()
			if reply.Want == nil || reply.Want.Question == "" || reply.Want.About == "" {
				t.Fatalf("%+v", reply)
			}
			in.Yes = true
			if c.change != nil {
				in.About = reply.Want.About
				c.change(s)
			}
			before := s.Logged()
			if reply = serve(); reply.Want != nil || reply.Exit != c.exit {
				t.Errorf("%+v, want exit %d", reply, c.exit)
			}
			if c.exit != 0 && s.Logged() != before {
				t.Error("something was written")
			}
		})
	}
}

// A server keeps nothing of a command line that it has answered, whatever its words: one that
// leaves its request behind fills the memory.
func TestServedKeepsNoRequest(t *testing.T) {
	lines := []string{"", "nope", "nope --json", "help", "help get", "completion bash", "--version",
		"__complete get /", "get --help", "session create", "session nope"}
	for _, v := range verbs {
		lines = append(lines, v.name)
	}
	s := storetest.NewStore(t, storetest.Memory)
	serve := func(line string) weak.Pointer[wire.Request] {
		in := &wire.Request{Root: "https://x.example/t1", Args: wire.Bytes(strings.Fields(line)),
			Files: map[string][]byte{wire.Stdin: nil}}
		_, err := Serve(context.Background(), testBuild, mem.Caller{Client: policy.OverHTTP},
			&app.Served{Request: in, Store: s.Store, Clock: func() time.Time { return s.Clock }})
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		return weak.Make(in)
	}
	for _, line := range lines {
		kept := serve(line)
		for range 3 {
			runtime.GC()
		}
		if kept.Value() != nil {
			t.Errorf("mem %s: its request is still there", line)
		}
	}
}

func quarantine(s *storetest.Store, text string) {
	_, err := s.Set(context.Background(), mem.Caller{}, mem.Write{Key: keypath.MustParse("/kb/x"),
		Content: []byte(text), Source: []byte(`"hearsay"`)}, mem.SetOptions{Quarantine: true})
	s.Must(err)
}

// replace writes the memory in whose place the quarantined one would come.
func replace(s *storetest.Store) {
	_, err := s.Set(context.Background(), mem.Caller{}, mem.Write{Key: keypath.MustParse("/kb/x"),
		Content: []byte("3"), Source: []byte(`{"kind":"web","name":"x","retrieved_at":` +
			`"2026-02-22T10:00:00Z","locator":{"url":"https://x.example"}}`)}, mem.SetOptions{})
	s.Must(err)
}

// swap replaces the one memory below /a by another.
func swap(s *storetest.Store) {
	s.Remove("/a/a")
	s.Put("/a/b", "2")
}

// An answer about all that waits counts for each line as it was shown: what changed meanwhile is
// named and stays, what came since waits, and the rest is stored.
func TestServedAllIsAboutWhatWasShown(t *testing.T) {
	for _, verb := range []string{"approve", "reject"} {
		t.Run(verb, func(t *testing.T) {
			s := storetest.NewStore(t, storetest.Memory)
			agent := mem.Caller{Client: "HTTP", Agent: "bot", Member: "ada"}
			propose := func(key string) string {
				p, err := proposal.Add(context.Background(), s.Store, agent,
					proposal.Change{Verb: "set", Key: keypath.MustParse(key),
						Content: []byte(`{"type":"rule","text":"new"}`)})
				s.Must(err)
				return p.ID
			}
			first, second := propose("/user/first"), propose("/user/second")
			quarantine(s, "1")
			in := &wire.Request{Root: "https://x.example/t1", Attended: true,
				Args: wire.Bytes([]string{verb, "--all"})}
			serve := func(c mem.Caller) (wire.Reply, string) {
				served := &app.Served{Request: in, Store: s.Store,
					Clock: func() time.Time { return s.Clock }}
				reply, err := Serve(context.Background(), testBuild, c, served)
				if err != nil {
					t.Fatal(err)
				}
				var says []byte
				for _, p := range reply.Printed {
					says = append(says, p.Text...)
				}
				return reply, string(says)
			}
			if reply, _ := serve(agent); reply.Want == nil || !reply.Want.Person {
				t.Fatalf("an agent's token: %+v", reply)
			}
			boss := mem.Caller{Member: "boss"}
			reply, says := serve(boss)
			if reply.Want == nil || !strings.Contains(reply.Want.Question, "2 proposed changes") ||
				!strings.Contains(says, first) || !strings.Contains(says, "/untrusted/kb/x") {
				t.Fatalf("a person's: %+v, %s", reply, says)
			}
			in.Yes, in.About = true, reply.Want.About
			quarantine(s, "2")
			third := propose("/user/third")
			reply, says = serve(boss)
			if reply.Exit != 4 || !strings.Contains(says, "/untrusted/kb/x: it changed since") ||
				!strings.Contains(says, first+" "+second) || strings.Contains(says, third) {
				t.Errorf("exit %d: %s", reply.Exit, says)
			}
			left, err := proposal.List(context.Background(), s.Store, boss)
			s.Must(err)
			w, err := s.Waiting(context.Background(), boss, keypath.MustParse("/kb/x"))
			s.Must(err)
			if len(left) != 1 || left[0].ID != third || string(w.Rec.Content) != "2" {
				t.Errorf("%v and %s wait", left, w.Rec.Content)
			}
			_, err = s.Get(context.Background(), boss, keypath.MustParse("/user/first"), false)
			if (err == nil) != (verb == "approve") {
				t.Errorf("%v", err)
			}
			in.About = ""
			if reply, _ = serve(boss); reply.Exit != 4 {
				t.Errorf("an answer to nobody: exit %d", reply.Exit)
			}
		})
	}
}

// A verb waits before it prints more than a little, once; one that may not wait longer prints no
// more.
func TestLongAnswersWait(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	for i := range 4 {
		s.Put(fmt.Sprintf("/a/%d", i), `"`+strings.Repeat("x", 1<<19)+`"`)
	}
	late := errors.New("no turn")
	for _, c := range []struct {
		args  string
		err   error
		waits bool
		exit  int
	}{{"get /a/1", late, false, 0}, {"export --format jsonl", nil, true, 0},
		{"export --format jsonl", late, true, 6}} {
		waits := 0
		served := &app.Served{Store: s.Store, Clock: func() time.Time { return s.Clock },
			Long: func() error { waits++; return c.err },
			Request: &wire.Request{Root: "https://x.example/t1",
				Args: wire.Bytes(strings.Fields(c.args))}}
		reply, err := Serve(context.Background(), testBuild, mem.Caller{}, served)
		bytes := 0
		for _, piece := range reply.Printed {
			bytes += len(piece.Text)
		}
		if err != nil || waits > 0 != c.waits || c.err == nil && waits > 1 ||
			reply.Exit != c.exit || bytes > 1<<20 != (c.waits && c.err == nil) {
			t.Errorf("%s, %v: %d waits, exit %d, %d bytes: %v", c.args, c.err, waits, reply.Exit,
				bytes, err)
		}
	}
}
