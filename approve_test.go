package mem_test

import (
	"errors"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/log"
)

// A person decides about what they were shown, and about nothing that came since.
func TestDecisions(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Files, storetest.Memory} {
		t.Run(string(kind), func(t *testing.T) {
			storetest.RunDecisions(t, func(t testing.TB) *mem.Store {
				return storetest.NewStore(t, kind).Store
			})
		})
	}
}

// A decision that names no time of a line is about none.
func TestDecisionsNameTheirLine(t *testing.T) {
	f := newStore(t)
	_, err := f.Set(ctx, mem.Caller{}, write("/kb/a", "1"), mem.SetOptions{Quarantine: true})
	f.Must(err)
	f.Put("/n", "1")
	for _, key := range []string{"/untrusted/kb/a", "/n"} {
		shown := mem.Shown{Key: keyOf(key)}
		_, err := f.Approve(ctx, mem.Caller{}, shown, mem.ApproveOptions{Force: true})
		if !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("%s: approved: %v", key, err)
		}
	}
	_, err = f.Reject(ctx, mem.Caller{}, mem.Shown{Key: keyOf("/untrusted/kb/a")})
	if !errors.Is(err, mem.ErrUnseen) {
		t.Errorf("rejected: %v", err)
	}
	live, err := seen(f.Store, keyOf("/n"))
	f.Must(err)
	if _, err = f.Reject(ctx, mem.Caller{}, live); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("a live memory is rejected: %v", err)
	}
	if f.Content("/kb/a") != "(none)" || f.Content("/untrusted/kb/a") != "1" ||
		f.Content("/n") != "1" {
		t.Error("something changed")
	}
}

// The comparison is made in the update: what another caller writes before it begins counts.
func TestDecisionsCompareInTheUpdate(t *testing.T) {
	for name, change := range map[string]func(*mem.Store, mem.Shown) error{
		"the line": func(s *mem.Store, _ mem.Shown) error {
			w := write("/kb/a", "2")
			_, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
			return err
		},
		"the memory there": func(s *mem.Store, _ mem.Shown) error {
			w := write("/kb/a", "3")
			w.Source = []byte(`{"kind":"user","name":"me","retrieved_at":"2026-02-22T10:00:00Z",` +
				`"locator":{"url":"https://x.example"}}`)
			_, err := s.Set(ctx, mem.Caller{}, w, mem.SetOptions{})
			return err
		},
		"rejected": func(s *mem.Store, shown mem.Shown) error {
			_, err := s.Reject(ctx, mem.Caller{}, shown)
			return err
		},
	} {
		var s *mem.Store
		var shown mem.Shown
		waits := false
		s, _, _ = lateStore(&late{before: func(int) error {
			if !waits {
				return nil
			}
			waits = false
			return change(s, shown)
		}})
		_, err := s.Set(ctx, mem.Caller{}, write("/kb/a", "1"), mem.SetOptions{Quarantine: true})
		if err == nil {
			shown, err = seen(s, keyOf("/kb/a"))
		}
		if err != nil {
			t.Fatal(err)
		}
		waits = true
		_, err = s.Approve(ctx, mem.Caller{}, shown, mem.ApproveOptions{Force: true})
		var lost *mem.ConflictError
		if !errors.As(err, &lost) || !errors.Is(err, mem.ErrUnseen) {
			t.Errorf("%s: %v", name, err)
		} else if newest := lost.Newest.TS; (newest == log.Stamp(0)) != (name == "rejected") {
			t.Errorf("%s: the newest is of %v", name, newest)
		}
		if rec, err := s.Get(ctx, mem.Caller{}, keyOf("/kb/a"), true); err == nil &&
			string(rec.Content) != "3" {
			t.Errorf("%s: stored all the same: %s", name, rec.Content)
		}
	}
}
