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
