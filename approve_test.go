package mem_test

import (
	"errors"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/keypath"
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

// Each decision that is refused is a line of the journal, and so are a deletion and a purge.
func TestRefusalsAreJournaled(t *testing.T) {
	f := newStore(t)
	secret := write("/kb/s", `"`+testkit.Token+`"`)
	_, err := f.Set(ctx, mem.Caller{}, secret, mem.SetOptions{Quarantine: true,
		AllowSecrets: []string{"github-pat"}})
	f.Must(err)
	f.Put("/n", "1")
	waits, err := seen(f.Store, keyOf("/untrusted/kb/s"))
	f.Must(err)
	live, err := seen(f.Store, keyOf("/n"))
	f.Must(err)
	_, err = f.Approve(ctx, mem.Caller{}, live, mem.ApproveOptions{})
	f.Must(err)
	live, err = seen(f.Store, keyOf("/n"))
	f.Must(err)
	approve := func(shown mem.Shown) func() error {
		return func() error {
			_, err := f.Approve(ctx, mem.Caller{}, shown, mem.ApproveOptions{})
			return err
		}
	}
	reject := func(shown mem.Shown) func() error {
		return func() error {
			_, err := f.Reject(ctx, mem.Caller{}, shown)
			return err
		}
	}
	for name, refused := range map[string]func() error{
		"approve what is gone":       approve(mem.Shown{Key: keyOf("/untrusted/kb/x")}),
		"approve what is unseen":     approve(mem.Shown{Key: keyOf("/untrusted/kb/s")}),
		"approve a secret":           approve(waits),
		"approve what does not wait": approve(live),
		"reject what is gone":        reject(mem.Shown{Key: keyOf("/untrusted/kb/x")}),
		"reject what does not wait":  reject(live),
		"delete by a bad source": func() error {
			_, _, err := f.Delete(ctx, mem.Caller{Client: "codex"}, []keypath.Key{keyOf("/n")},
				[]byte(`{"kind":"user","name":"me"}`))
			return err
		},
		"purge for a secret reason": func() error {
			_, err := f.Purge(ctx, mem.Caller{}, mem.PurgeOptions{
				Keys: []keypath.Key{keyOf("/n")}, Reason: testkit.Token})
			return err
		},
	} {
		before, err := f.Journaled()
		f.Must(err)
		if err := refused(); err == nil {
			t.Errorf("%s: done", name)
			continue
		}
		after, err := f.Journaled()
		f.Must(err)
		if len(after) != len(before)+1 || after[len(before)].Code == mem.KindDone {
			t.Errorf("%s: %d lines more", name, len(after)-len(before))
		}
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
