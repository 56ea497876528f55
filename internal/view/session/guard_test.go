package session_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
)

// guarded is an import of lines by another view.
func guarded(s *storetest.Store, text string) error {
	op, err := s.Begin(none, policy.VerbNamed("import"))
	s.Must(err)
	session.Tend(op)
	writes, bad, err := op.ReadLines(ctx, strings.NewReader(text), mem.BatchOptions{
		Source: []byte(`"chat"`)}, keypath.Prefix{})
	s.Must(err)
	s.Must(mem.WithBadLines(nil, bad))
	_, err = op.PutAll(ctx, writes)
	return err
}

// A store brings its closed sessions along, and the records of a closed session can be deleted.
func TestGuardLetsAStoreIn(t *testing.T) { onEach(t, testGuardLetsAStoreIn) }

func testGuardLetsAStoreIn(t *testing.T, s *fixture) {
	f := &fixture{Store: storetest.NewStore(t, storetest.Memory), id: "s1"}
	_, err := session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "s1"})
	f.Must(err)
	f.various(2)
	_, err = session.Close(ctx, f.Store.Store, none, "s1")
	f.Must(err)
	before := s.All()
	s.Must(guarded(s.Store, f.Logged()))
	want := f.All()
	maps.Copy(want, before)
	if got := s.All(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s.Must(guarded(s.Store, f.Logged()))
	for key := range f.All() {
		if strings.Contains(key, "mem_") {
			s.Must(guarded(s.Store, fmt.Sprintf(`{"key":%q,"content":null}`, key)))
		}
	}
	s.Must(guarded(s.Store,
		`{"key":"/session/none/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV","content":{"text":"x"}}`))
}

// The first write to a session migrates a record without a version that a person forced into it, or
// that was there before the session.
func TestLateRecordsAreMigrated(t *testing.T) { onEach(t, testLateRecordsAreMigrated) }

func testLateRecordsAreMigrated(t *testing.T, f *fixture) {
	const name, text = "/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", `{"type":"finding","finding":"tea"`
	op, err := f.Begin(none, policy.Set)
	f.Must(err)
	session.Tend(op)
	op.Force()
	p, err := op.Check(ctx, storetest.Write("/session/"+f.id+name, text+"}"), false)
	f.Must(err)
	_, err = op.UpdateAsOne(ctx, func(tx *mem.Tx) error { return tx.Put(p) })
	f.Must(err)
	f.Put("/session/later"+name, text+"}")
	_, err = session.Create(ctx, f.Store.Store, none, session.CreateOptions{ID: "later"})
	f.Must(err)
	for _, f.id = range []string{f.id, "later"} {
		f.remember(session.Record{Text: "new"})
		got := f.Content("/session/" + f.id + name)
		if !strings.HasPrefix(got, text) || !strings.HasSuffix(got, `,"schema_version":1}`) {
			t.Errorf("%s: %s", f.id, got)
		}
	}
}
