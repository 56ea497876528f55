package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/wire"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// Whatever words and input a member's agent sends, no verb panics, no rule and no pin of another
// member changes, and nothing becomes a rule.
func FuzzServed(f *testing.F) {
	const line = `{"key":"/kept/pin","valid":true,"source":"x","content":null}`
	for _, args := range []string{"get /kept/rule", "set /kept/rule - -s x", "mv /free /kept/pin",
		"note - --pin --tag rule", "note x --replaces /kept/rule --propose", "edit /kept/pin",
		"forget /kept/pin /free", "forget --prefix / --all --yes", "import -", "undo --last",
		"merge /free /kept/pin --into /free", "supersede /kept/rule /free", "pin /free --propose",
		"touch /kept/pin --ttl 1s --tag x", "approve --all --yes", "memory-tool -", "move -",
		"event --session s --text x --actor human:u", "session create", "remember s x",
		"config set knowledge []", "audit --json --jq .x", "search x --limit 3", "hook codex",
		"decide x --session s --ref chk_1", "task x --status done", "history / --json",
		"export --format jsonl", "diff /free", "bundle --session s --agent bob", "stat --json",
		"set /free {} -s {\"kind\":\"user\",\"pinned_by\":\"user\"}"} {
		f.Add(strings.ReplaceAll(args, " ", "\x00"), line, false)
	}
	f.Fuzz(func(t *testing.T, args, input string, attended bool) {
		s := storetest.NewStore(t, storetest.Memory)
		s.Put("/kept/rule", `{"type":"preference","text":"tabs"}`)
		putAs(s, mem.Caller{Tenant: "t1", Member: "Bob", Agent: "bob", Client: policy.OverHTTP},
			"/kept/pin", `{"text":"port 1","pinned":true}`)
		eve := mem.Caller{Tenant: "t1", Member: "Eve", Agent: "eve", Client: policy.OverHTTP}
		putAs(s, eve, "/free", `{"text":"free"}`)
		in := &wire.Request{Root: "https://x.example/t1", Attended: attended, Yes: attended,
			Args:  wire.Bytes(strings.Split(args, "\x00")),
			Files: map[string][]byte{wire.Stdin: []byte(input)}}
		served := &app.Served{Request: in, Store: s.Store,
			Clock: func() time.Time { return s.Clock }}
		if reply, err := Serve(context.Background(), testBuild, eve, served); err != nil {
			t.Fatalf("%q: %+v: %v", args, reply, err)
		}
		op, err := s.Begin(mem.Caller{}, policy.Read)
		s.Must(err)
		kept := map[string]string{}
		s.Must(s.Everything(context.Background(), func(rec log.Record) error {
			kept[rec.Key.String()] = string(rec.Content)
			if op.IsRule(rec) && rec.Key.String() != "/kept/rule" {
				t.Errorf("%q: a rule: %s", args, rec.Line)
			}
			return nil
		}))
		if kept["/kept/rule"] != `{"type":"preference","text":"tabs"}` ||
			kept["/kept/pin"] != `{"text":"port 1","pinned":true}` {
			t.Errorf("%q: %v", args, kept)
		}
	})
}

// putAs stores a memory as a caller.
func putAs(s *storetest.Store, c mem.Caller, key, text string) {
	_, err := s.Set(context.Background(), c, storetest.Write(key, text), mem.SetOptions{})
	s.Must(err)
}
