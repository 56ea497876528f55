package mem_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/keypath"
)

// A guard gets the writes of each update, and may refuse all of them. It adds nothing but what a
// session needs.
func TestGuard(t *testing.T) { storetest.EachKind(t, testGuard) }

func testGuard(t *testing.T, s *storetest.Store) {
	ctx, refused := context.Background(), errors.New("refused")
	op, err := s.Begin(mem.Caller{}, policy.VerbNamed("set"))
	s.Must(err)
	check := func(key string) mem.Checked {
		p, err := op.Check(ctx, storetest.Write(key, `{"text":"x"}`), false)
		s.Must(err)
		return p
	}
	var heard []string
	op.Guard(func(ctx context.Context, tx *mem.Tx, written []mem.Checked) error {
		heard = append(heard, fmt.Sprint(len(written), written[0].Key()))
		if _, live, err := tx.Get(ctx, written[0].Key()); err != nil || !live {
			t.Errorf("the update is not seen: %v", err)
		}
		if written[0].Key().String() == "/bad" {
			return refused
		}
		if written[0].Key().String() == "/more" {
			return tx.Put(check("/more/a"))
		}
		return nil
	})
	put := func(keys ...string) error {
		_, err := op.Update(ctx, func(tx *mem.Tx) error {
			for _, key := range keys {
				if err := tx.Put(check(key)); err != nil {
					return err
				}
			}
			return nil
		})
		return err
	}
	s.Must(put("/a", "/b"))
	if err := put("/bad", "/c"); !errors.Is(err, refused) {
		t.Errorf("refused: %v", err)
	}
	if err := put("/more"); !errors.Is(err, policy.ErrReserved) {
		t.Errorf("more: %v", err)
	}
	own := errors.New("own")
	if _, err := op.Update(ctx, func(*mem.Tx) error { return own }); !errors.Is(err, own) {
		t.Error(err)
	}
	if got := fmt.Sprint(heard); got != "[2/a 2/bad 1/more]" && got != "[2 /a 2 /bad 1 /more]" {
		t.Error(got)
	}
	for key, want := range map[string]bool{"/a": true, "/b": true, "/more/a": false, "/bad": false,
		"/c": false, "/more/bad": false} {
		_, err := s.Get(ctx, mem.Caller{}, keypath.MustParse(key), false)
		if (err == nil) != want {
			t.Errorf("%s: %v", key, err)
		}
	}
}
