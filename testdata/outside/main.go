// Command outside is a program of another module that tries every write that the Store forbids, by
// every way in that the public API has. It prints each that was not refused. Its arguments are the
// root of a store, and the keys that the store has for it, as name=key.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var ctx = context.Background()

// forbidden is a write that nobody may make; some may come by an import, which a backup needs.
type forbidden struct {
	name, key, content string
	caller             mem.Caller
	imports            bool
}

// ways are the ways in. Each returns the error of a write.
var ways = map[string]func(s *mem.Store, f forbidden) error{
	"Set": func(s *mem.Store, f forbidden) error {
		_, err := s.Set(ctx, f.caller, write(f), mem.SetOptions{})
		return err
	},
	"SetAll": func(s *mem.Store, f forbidden) error { return setAll(s, f, "") },
	"SetAll, import by time": func(s *mem.Store, f forbidden) error {
		return setAll(s, f, fmt.Sprintf(`,"ts":%q`, log.StampOf(time.Now())))
	},
	"Delete": func(s *mem.Store, f forbidden) error {
		if f.content != "null" {
			return mem.ErrInput // there is nothing to try
		}
		gone, _, err := s.Delete(ctx, f.caller, []keypath.Key{keypath.MustParse(f.key)}, nil)
		if err == nil && len(gone) == 0 {
			err = mem.ErrNotFound
		}
		return err
	},
	"a row without a name": func(s *mem.Store, f forbidden) error {
		_, err := s.Begin(f.caller, mem.Verb{})
		return err
	},
	"Drawn, import by time": func(s *mem.Store, f forbidden) error {
		return begun(s, f, true, func(_, op *mem.Operation, p mem.Checked) error {
			_, err := op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p.Drawn()) })
			return err
		})
	},
	"Guard": func(s *mem.Store, f forbidden) error {
		return begun(s, f, false, func(_, op *mem.Operation, p mem.Checked) error {
			op.Guard(func(_ context.Context, tx *mem.Tx, _ []mem.Checked) error { return tx.Put(p) })
			_, err := op.Update(ctx, func(*mem.Tx) error { return nil })
			return err
		})
	},
	"another operation": func(s *mem.Store, f forbidden) error {
		return begun(s, f, false, func(other, _ *mem.Operation, p mem.Checked) error {
			_, err := other.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
			return err
		})
	},
	"Replay": func(s *mem.Store, f forbidden) error {
		op, err := s.Begin(f.caller, mem.NewOperation("copy"))
		if err != nil {
			return err
		}
		w := write(f)
		return op.Replay(ctx, []log.Envelope{{Key: w.Key, Content: w.Content, Source: w.Source,
			TS: log.StampOf(time.Now())}})
	},
}

// begun begins two operations, checks the write by the second, and hands all of them over.
func begun(s *mem.Store, f forbidden, imported bool,
	fn func(other, op *mem.Operation, p mem.Checked) error) error {
	other, err := s.Begin(f.caller, mem.NewOperation("other"))
	if err != nil {
		return err
	}
	op, err := s.Begin(f.caller, mem.NewOperation("bookmark"))
	if err != nil {
		return err
	}
	w := write(f)
	if imported {
		now := log.StampOf(time.Now())
		w.TS = &now
	}
	p, err := op.Check(ctx, w, false)
	if err != nil {
		return err
	}
	return fn(other, op, p)
}

func write(f forbidden) mem.Write {
	return mem.Write{Key: keypath.MustParse(f.key), Content: []byte(f.content),
		Source: []byte(`{"kind":"user","name":"x"}`)}
}

func setAll(s *mem.Store, f forbidden, ts string) error {
	line := fmt.Sprintf(`{"key":%q,"content":%s,"source":{"kind":"user","name":"x"}%s}`, f.key,
		f.content, ts)
	_, err := s.SetAll(ctx, f.caller, strings.NewReader(line), mem.BatchOptions{})
	return err
}

// operate writes as an operation of a name, whole or below the key that was checked.
func operate(name string, f forbidden, named, imported bool) func(*mem.Store) error {
	return func(s *mem.Store) error {
		op, err := s.Begin(f.caller, mem.NewOperation(name))
		if err != nil {
			return err
		}
		w, last := write(f), ""
		if named {
			cut := strings.LastIndexByte(f.key, '/')
			if w.Key, err = keypath.Parse(f.key[:cut]); err != nil {
				return err
			}
			last = f.key[cut+1:]
		}
		if imported {
			now := log.StampOf(time.Now())
			w.TS = &now
		}
		p, err := op.Check(ctx, w, false)
		if err == nil && named {
			p, err = p.Named(last)
		}
		if err != nil {
			return err
		}
		_, err = op.Update(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
		return err
	}
}

func main() {
	s, err := mem.Open(os.Args[1], mem.Options{})
	if err != nil {
		panic(err)
	}
	keys := map[string]string{}
	for _, arg := range os.Args[2:] {
		name, key, _ := strings.Cut(arg, "=")
		keys[name] = key
	}
	agent := mem.Caller{Agent: "alice"}
	list := []forbidden{
		{"record for a closed session", keys["closed"], `{"type":"finding","text":"x"}`, mem.Caller{}, false},
		{"key in a closed session", "/session/c/note", `{"text":"x"}`, mem.Caller{}, false},
		{"key in a deleted session", "/session/d/note", `{"text":"x"}`, mem.Caller{}, false},
		{"second record of an event", keys["event"], `{"text":"x"}`, mem.Caller{}, false},
		{"deletion of an event", keys["event"], `null`, mem.Caller{}, false},
		{"core of another agent", keys["core"], `{"text":"x"}`, agent, false},
		{"deletion in another agent's core", keys["core"], `null`, agent, false},
		{"note under an id of one's own", "/note/workspace/m-99", `{"text":"x"}`, mem.Caller{}, true},
		{"quarantined key", "/untrusted/a", `{"text":"x"}`, mem.Caller{}, true},
		{"secret", "/a", `{"text":"AKIAIOSFODNN7REALKEY"}`, mem.Caller{}, false},
		{"knowledge without provenance", "/kb/a", `{"text":"x"}`, mem.Caller{}, false},
		{"rule by a client", "/rules/user/a", `{"text":"x"}`, mem.Caller{Client: "codex"}, false},
		{"words of the user by a client", "/a", `{"text":"x"}`, mem.Caller{Client: "codex"}, false},
	}
	tried := 0
	try := func(way string, f forbidden, fn func(*mem.Store) error) {
		if tried++; f.imports && strings.HasSuffix(way, "import by time") {
			return
		}
		if err := fn(s); err == nil {
			fmt.Println("not refused:", way, f.name)
		}
	}
	for _, f := range list {
		for name, way := range ways {
			try(name, f, func(s *mem.Store) error { return way(s, f) })
		}
		for _, name := range []string{"bookmark", "set", "core", "journal", "event", "artifact",
			"remember", "session", "import", "move", "copy", "undo", "approve", "agent",
			"forget", "config", "note", "rm"} {
			try(name, f, operate(name, f, false, false))
			try(name+" named", f, operate(name, f, true, false))
			try(name+", import by time", f, operate(name, f, false, true))
		}
	}
	fmt.Println("tried:", tried, "of", len(list)*(len(ways)+3*18))
}
