package layers_test

import (
	"context"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
)

// ctx is that of every call.
var ctx = context.Background()

var noon, write = storetest.Noon, storetest.Write

const anID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

var aClient = mem.Caller{Client: "codex"}

const aRule = `{"type":"rule","text":"r"}`

// newStore returns an empty store in memory.
func newStore(t testing.TB) *storetest.Store { return storetest.NewStore(t, storetest.Memory) }

func keyOf(name string) keypath.Key { return keypath.MustParse(name) }

func keysOf(list []log.Record) string {
	var keys []string
	for _, rec := range list {
		keys = append(keys, rec.Key.String())
	}
	return strings.Join(keys, " ")
}

// begun begins an operation of a store under test.
func begun(t testing.TB, s *mem.Store, c mem.Caller, verb mem.Verb) *mem.Operation {
	t.Helper()
	op, err := s.Begin(c, verb)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// checked returns a write that has passed.
func checked(t testing.TB, op *mem.Operation, w mem.Write) mem.Checked {
	t.Helper()
	p, err := op.Check(ctx, w, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// put stores checked writes in one update.
func put(op *mem.Operation, writes ...mem.Checked) error {
	_, err := op.Update(ctx, func(t *mem.Tx) error { return t.Put(writes...) })
	return err
}

// stored puts a write by an operation, and returns its error.
func stored(op *mem.Operation, w mem.Write) error {
	p, err := op.Check(ctx, w, false)
	if err == nil {
		_, err = op.Update(ctx, func(t *mem.Tx) error { return t.Put(p) })
	}
	return err
}
