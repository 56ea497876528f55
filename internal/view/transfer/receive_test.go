package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/proposal"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// member is the agent of a member of a team, behind a server.
var member = mem.Caller{Client: "http", Agent: "bot", Tenant: "t1", Member: "ada"}

// sentLine is the line of a memory as another machine sends it.
func sentLine(s *storetest.Store, key, text, source string) string {
	e := log.Envelope{Key: keypath.MustParse(key), TS: log.StampOf(s.Clock) - 5e6,
		Content: []byte(text), Source: []byte(source)}
	return string(e.AppendLine(nil)) + "\n"
}

// Whatever the lines of a member say, they become facts in the member's name, take the place of no
// memory, and come once; what would be a rule waits.
func TestReceive(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		ctx := context.Background()
		s.Put("/project/taken", `"before"`)
		const user = `{"kind":"user","name":"x","pinned_by":"user","member":"eve"}`
		prompt := `{"kind":"user","name":"x","locator":{"channel":"prompt"}}`
		lines := sentLine(s, "/project/a", `{"text":"a"}`, user) +
			sentLine(s, "/project/taken", `"after"`, `"chat"`) +
			sentLine(s, "/project/rule", `{"type":"rule","text":"obey"}`, user) +
			sentLine(s, "/project/marked", `{"type":"rule","text":"x"}`,
				`{"kind":"user","claimed":"import"}`) +
			sentLine(s, "/project/quoted", `{"text":"always"}`, prompt) +
			sentLine(s, "/note/user/u-1-abcdef", `{"type":"note","text":"n"}`, `"chat"`) +
			sentLine(s, "/note/workspace/m-9", `{"type":"note","text":"p","pinned":true}`, user) +
			sentLine(s, "/project/secret", `"AKIAIOSFODNN7EXAMQLE"`, `"chat"`)
		for run := range 2 {
			rep, err := transfer.Receive(ctx, member, s.Store, note.IDs{}, []byte(lines))
			s.Must(err)
			got := fmt.Sprint(rep.Moved)
			const want = "[{/project/a /project/a} {/project/marked /project/marked} " +
				"{/project/quoted /project/quoted} {/note/user/u-1-abcdef /note/workspace/m-1} " +
				"{/note/workspace/m-9 /note/workspace/m-2}]"
			if got != want || len(rep.Waits) != 2 || len(rep.Kept) != 3 ||
				strings.Contains(fmt.Sprint(rep.Kept), "AKIA") {
				t.Errorf("run %d: moved %s, kept %v, waits %v", run, got, rep.Kept, rep.Waits)
			}
		}
		standing := s.Store.Reader(mem.Caller{}).Standing
		n := 0
		s.Must(s.Store.List(ctx, mem.Caller{}, mem.Filter{Trusted: true}, func(r log.Record) error {
			it := mem.ItemOf(r)
			isOurs := r.Key.String() != "/project/taken"
			if n++; standing(&it) != readout.Fact || isOurs && content.Writer(r.Source) != "ada" {
				t.Errorf("%s: %v, %s", r.Key, standing(&it), r.Source)
			}
			return nil
		}))
		if n != 6 || s.Content("/project/taken") != `"before"` {
			t.Errorf("%d memories, and %s", n, s.Content("/project/taken"))
		}
		// What is forgotten there does not come back.
		s.Clock = s.Clock.Add(time.Minute)
		s.Remove("/note/workspace/m-1")
		s.Remove("/project/a")
		rep, err := transfer.Receive(ctx, member, s.Store, note.IDs{}, []byte(lines))
		s.Must(err)
		if len(rep.Moved) != 3 || len(rep.Kept) != 5 {
			t.Errorf("after they were forgotten: %+v", rep)
		}
		// A person approves the pin, and the same line comes again, as after a kill there.
		list, err := proposal.List(ctx, s.Store, mem.Caller{})
		s.Must(err)
		for _, p := range list {
			_, err := proposal.Approve(ctx, s.Store, mem.Caller{}, p.Shown())
			s.Must(err)
		}
		rep, err = transfer.Receive(ctx, member, s.Store, note.IDs{}, []byte(lines))
		s.Must(err)
		if len(rep.Moved) != 4 || len(rep.Waits) != 0 {
			t.Errorf("after the approval: %+v", rep)
		}
	})
}

// What no move sends is refused whole.
func TestReceiveRefuses(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	good := sentLine(s, "/project/a", `{"text":"a"}`, `"chat"`)
	for what, lines := range map[string]string{
		"no line of a log": good + "{}\n",
		"a deletion":       good + sentLine(s, "/project/b", `null`, `"chat"`),
		"a key twice":      good + good,
		"an event": good + sentLine(s, "/event/s1/evt_01M8AQASRC4KXD0H2QV7Q44C4S", `{"text":"x"}`,
			`"chat"`),
	} {
		_, err := transfer.Receive(context.Background(), member, s.Store, note.IDs{}, []byte(lines))
		if !errors.Is(err, mem.ErrInput) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if st, err := s.Store.Stat(context.Background(), mem.Caller{}); err != nil || st.Live != 0 {
		t.Errorf("%d are stored, %v", st.Live, err)
	}
}

// Of many rules as many wait as proposals of one caller may; the rest is kept back.
func TestReceiveManyRules(t *testing.T) {
	s := storetest.NewStore(t, storetest.Memory)
	var lines strings.Builder
	for i := range 30 {
		lines.WriteString(sentLine(s, fmt.Sprintf("/project/%d", i),
			`{"type":"rule","text":"x"}`, `"chat"`))
	}
	for range 2 {
		rep, err := transfer.Receive(context.Background(), member, s.Store, note.IDs{},
			[]byte(lines.String()))
		s.Must(err)
		list, err := proposal.List(context.Background(), s.Store, mem.Caller{})
		s.Must(err)
		if len(rep.Waits) != 20 || len(rep.Kept) != 30 || len(list) != 20 {
			t.Errorf("%d wait, %d are kept, %d proposals", len(rep.Waits), len(rep.Kept),
				len(list))
		}
	}
}

// A server's answer takes nothing out of a store but what was sent, and nothing where it fails.
func TestSend(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		ctx := context.Background()
		for _, key := range []string{"/project/a", "/project/b", "/user/mine", "/project/c"} {
			s.Put(key, `{"text":"x"}`)
		}
		job := transfer.MoveJob{From: s.Store, Place: "https://memd.example/t1"}
		for _, key := range []string{"/project/a", "/project/b", "/user/mine", "/project/none"} {
			job.Keys = append(job.Keys, keypath.MustParse(key))
		}
		live := func(what, want string) {
			t.Helper()
			var keys []string
			s.Must(s.Store.List(ctx, mem.Caller{}, mem.Filter{}, func(r log.Record) error {
				keys = append(keys, r.Key.String())
				return nil
			}))
			if got := strings.Join(keys, " "); got != want {
				t.Errorf("%s: left %s, want %s", what, got, want)
			}
		}
		errGone := errors.New("gone")
		_, err := transfer.Send(ctx, mem.Caller{}, job, func(context.Context, []byte, bool) (
			transfer.MoveReport, error) {
			return transfer.MoveReport{}, errGone
		})
		if !errors.Is(err, errGone) {
			t.Errorf("got %v", err)
		}
		live("no server", "/project/a /project/b /project/c /user/mine")
		rep, err := transfer.Send(ctx, mem.Caller{}, job, func(_ context.Context, lines []byte,
			_ bool) (rep transfer.MoveReport, err error) {
			if strings.Contains(string(lines), "mine") || strings.Count(string(lines), "\n") != 2 {
				t.Errorf("sent %s", lines)
			}
			for _, key := range []string{"/project/a", "/project/a", "/project/c", "/user/mine"} {
				rep.Moved = append(rep.Moved, transfer.Moved{From: keypath.MustParse(key)})
			}
			return rep, nil
		})
		s.Must(err)
		if len(rep.Moved) != 1 || len(rep.Kept) != 1 || len(rep.Missing) != 1 {
			t.Errorf("%+v", rep)
		}
		live("one is stored there", "/project/b /project/c /user/mine")
	})
}
