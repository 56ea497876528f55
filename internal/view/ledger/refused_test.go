package ledger_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
)

// An id of a session may look drawn, as most are. One that is a token of a service is no id.
func TestSessionsByDrawnIDs(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	drawn := "Kd93mXq2VbT5nRz8LwYc4JfHs6PaUe1Dg0oQiNvBtMyCxWkSjZ3hEr9uAlFp"
	l.record(message(drawn, "hi"))
	_, err := l.book.Record(ctx, message(token, "hi"))
	if !errors.Is(err, mem.ErrInput) || strings.Contains(err.Error(), token) {
		t.Error(err)
	}
}

// What is refused leaves no bytes behind.
func TestRefusedLeaveNoBytes(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Files))
	long := message("s1", strings.Repeat("a long text ", 10_000))
	large := message("s1", "")
	large.Content, _ = json.Marshal(map[string]string{"x": strings.Repeat("y", 2<<20)})
	if _, err := l.book.Record(ctx, long, large); err == nil {
		t.Error("a content that is too large is stored")
	}
	for name, a := range map[string]ledger.Artifact{
		"its session": {Scope: ledger.Scope{Session: token}},
		"its refs":    {Scope: ledger.Scope{Refs: []string{"/" + token}}},
	} {
		_, err := l.book.AddArtifact(ctx, a, strings.NewReader("some bytes"))
		if !errors.Is(err, policy.ErrSecret) {
			t.Errorf("a secret in %s: %v", name, err)
		}
	}
	left, err := os.ReadDir(filepath.Join(l.Root, "artifacts"))
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A few bytes that are no text hide no secret, and a file that is none has none by chance.
func TestSecretsBetweenBytes(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	drawn := "Kd93mXq2VbT5nRz8LwYc4JfHs6PaUe1Dg0oQiNvBtMyC"
	for text, kept := range map[string]bool{
		"caf\xe9\nexport TOKEN=" + token + "\n":   false,
		"\x00\x01\x02" + token + "\x00":           false,
		"caf\xe9 " + drawn:                        false,
		"\x7fELF\x00\x01" + drawn + "\x00":        true,
		"\x7fELF\x00password: hunter2hunter2\x00": true,
	} {
		_, err := l.book.AddArtifact(ctx, ledger.Artifact{}, strings.NewReader(text))
		if (err == nil) != kept || err != nil && !errors.Is(err, policy.ErrSecret) {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// A text in UTF-16 is judged as a text, in both orders, with and without a mark.
func TestSecretsInUTF16(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	for text, kept := range map[string]bool{
		"token=" + token: false, "password: hunter2\r\n": false, "пароль: Сова-4821x": false,
		"密码是 Panda#2021": false, strings.Repeat("a line of a log\r\n", 70_000) + token: false,
		"no secret is here\r\n": true, "пароль хранится в сейфе": true,
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []string{"", "\ufeff"} {
				var file []byte
				for _, unit := range utf16.Encode([]rune(mark + text)) {
					file = order.AppendUint16(file, unit)
				}
				_, err := l.book.AddArtifact(ctx, ledger.Artifact{}, bytes.NewReader(file))
				if (err == nil) != kept || err != nil && !errors.Is(err, policy.ErrSecret) {
					t.Errorf("%.30q, %v, mark %q: %v", text, order, mark, err)
				}
			}
		}
	}
}

// A decision is replaced only by one of which all are told who are told of it.
func TestSupersededForAll(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		decide := func(channel string, old ...string) (string, error) {
			reply, err := l.book.Decide(ctx, ledger.Decision{Text: "ships " + channel,
				Supersedes: old, Scope: ledger.Scope{Channel: channel, Refs: []string{"/fact/a"}}})
			return reply.ID, err
		}
		l.Put("/fact/a", `"a"`)
		old, err := decide("team")
		l.Must(err)
		for _, channel := range []string{"", "private", "agent"} {
			if _, err := decide(channel, old); !errors.Is(err, policy.ErrReserved) {
				t.Errorf("by one of %q: %v", channel, err)
			}
		}
		_, err = decide("public", old)
		l.Must(err)
	})
}

// No other verb writes what passes for an event, or says in the clear what asks to be sealed.
func TestNothingPassesForARecord(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	said := `{"type":"message","actor":{"type":"human","id":"user"},"content":{"text":"x"}}`
	for key, text := range map[string]string{
		"/event/s1/foo": said, "/event/s1/x/evt_01KJ2KH3EG1GW60J423CNHT7PE": said,
		"/event/s1/evt_01KJ2KH3EG1GW60J423CNHT7PEA": said, "/artifact/x": `{}`,
		"/rules/org/a":        `{"text":"x","sensitivity":"high"}`,
		"/agent/ada/identity": `{"text":"x","sensitivity":"secret"}`,
		"/task/x":             `{"text":"x","sensitivity":"unheard of"}`,
	} {
		w := storetest.Write(key, text)
		_, err := l.Store.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
		if !errors.Is(err, policy.ErrReserved) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := l.Get(ctx, mem.Caller{}, keypath.MustParse("/rules/org/a"), false); err == nil {
		t.Error("it is there")
	}
}

// An agent records what people and tools do, and of agents what it does itself; a person anything.
func TestWhoSpeaks(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	for _, c := range []struct {
		agent, kind, id string
		refused         bool
	}{
		{"", "agent", "grace", false}, {"ada", "agent", "ada", false}, {"ada", "human", "x", false},
		{"ada", "tool", "sh", false}, {"ada", "agent", "grace", true},
	} {
		e := message("s1", "hi")
		e.Actor = ledger.Actor{Type: c.kind, ID: c.id}
		book := ledger.New(l.Store.Store, mem.Caller{Agent: c.agent}, ledger.Options{})
		_, err := book.Record(ctx, e)
		if errors.Is(err, ledger.ErrActor) != c.refused || !c.refused && err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if c.refused && mem.KindOf(err) != mem.KindRefused {
			t.Errorf("of kind %s", mem.KindOf(err))
		}
	}
}

// A record is from the agent that calls, which stores nothing in the name of another.
func TestRecordsAreTheCallers(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	l.Put("/fact/a", `"a"`)
	book := ledger.New(l.Store.Store, mem.Caller{Agent: "ada"}, ledger.Options{})
	for _, agent := range []string{"", "ada", "bob"} {
		scope := ledger.Scope{Session: "s1", Agent: agent, Refs: []string{"/fact/a"}}
		e := message("s1", "hi")
		e.Agent = agent
		_, event := book.Record(ctx, e)
		_, decision := book.Decide(ctx, ledger.Decision{Scope: scope, Text: "ship it"})
		_, task := book.PutTask(ctx, ledger.Task{Scope: scope, Title: "ship it"})
		_, handoff := book.PutHandoff(ctx, ledger.Handoff{Scope: scope, To: "bob", Text: "go on"})
		_, artifact := book.AddArtifact(ctx, ledger.Artifact{Scope: scope}, strings.NewReader("x"))
		for i, err := range []error{event, decision, task, handoff, artifact} {
			refused := errors.Is(err, policy.ErrPerson)
			if refused != (agent == "bob") || agent != "bob" && err != nil {
				t.Errorf("record %d in the name of %q: %v", i, agent, err)
			}
		}
	}
	for _, text := range l.All() {
		if text != `"a"` && !strings.Contains(text, `"agent_id":"ada"`) {
			t.Errorf("it is nobody's: %s", text)
		}
	}
}
