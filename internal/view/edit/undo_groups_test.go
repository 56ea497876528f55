package edit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// asCommand returns the caller of a command with an id, as of a process.
func asCommand() mem.Caller { return mem.Caller{Command: backend.NewCommand()} }

// undoMany takes the last command back.
func undoMany(ctx context.Context, s *storetest.Store) (edit.UndoneCommand, error) {
	return edit.UndoCommand(ctx, asCommand(), lastCommand(s), edit.Author{})
}

// setMany stores so many keys in one command.
func setMany(s *storetest.Store, n int, text string) {
	s.T.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"key":"/b/%05d","content":{"text":"%s %d"},"source":"x"}`+"\n",
			i, text, i)
	}
	rep, err := s.SetAll(context.Background(), asCommand(), strings.NewReader(lines.String()),
		mem.BatchOptions{})
	s.Must(err)
	if rep.Written != n {
		s.T.Fatalf("%d of %d written", rep.Written, n)
	}
}

// holding returns how many live keys hold a text of setMany.
func holding(s *storetest.Store, text string) (n int) {
	s.T.Helper()
	s.Must(s.List(context.Background(), mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		if strings.Contains(string(rec.Content), `"`+text+" ") {
			n++
		}
		return nil
	}))
	return n
}

const many = 5000 // keys: three groups

// A large command is taken back in groups: other writers get the lock between them, and what they
// write there stays.
func TestUndoOfManyKeysInGroups(t *testing.T) {
	for _, kind := range []storetest.Kind{storetest.Files, storetest.Memory} {
		t.Run(string(kind), func(t *testing.T) {
			s := storetest.NewStore(t, kind)
			between := func() {}
			groups := 0
			s.Progress = func(what string, _, _ int) {
				if what == "undo" {
					groups++
					between()
				}
			}
			s.Open()
			setMany(s, many, "old")
			setMany(s, many, "new")
			if done := undoLast(t, s); len(done.Undone) != many || groups < 3 ||
				holding(s, "old") != many {
				t.Errorf("%d undone in %d groups, %d as before", len(done.Undone), groups,
					holding(s, "old"))
			}
			if undoLast(t, s); holding(s, "new") != many {
				t.Errorf("undo of the undo: %d are new", holding(s, "new"))
			}
			between = func() {
				between = func() {}
				s.Put("/b/04999", `{"text":"theirs 1"}`)
				s.Put("/c", `{"text":"theirs 2"}`)
			}
			done, err := undoMany(context.Background(), s)
			var part *mem.PartialError
			if !errors.Is(err, edit.ErrMeanwhile) || !errors.As(err, &part) ||
				part.Stored != many-1 || len(done.Undone) != many-1 ||
				holding(s, "old") != many-1 || holding(s, "theirs") != 2 {
				t.Errorf("a write between two groups: %v, %d undone", err, len(done.Undone))
			}
		})
	}
}

// Nothing of a large command is taken back where a key was written before.
func TestUndoOfManyKeysAfterAWrite(t *testing.T) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		setMany(s, many, "new")
		cmd := lastCommand(s)
		s.Put("/b/04999", `{"text":"theirs 1"}`)
		_, err := edit.UndoCommand(context.Background(), mem.Caller{}, cmd, edit.Author{})
		if !errors.Is(err, edit.ErrSince) || holding(s, "new") != many-1 {
			t.Errorf("%v: %d are new", err, holding(s, "new"))
		}
	})
}

// An undo that ends between two groups is finished by the next one, also where the journal knows
// nothing of the first, as after a crash; and the one after that brings all of it again, but for
// what others wrote between.
func TestUndoOfManyKeysIsFinished(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprint(killed), func(t *testing.T) {
			s := storetest.NewStore(t, storetest.Files)
			ctx, cancel := context.WithCancel(context.Background())
			s.Progress = func(what string, done, _ int) {
				if what == "undo" && done == 4000 {
					cancel()
				} else if what == "undo" && done == 2000 && ctx.Err() == nil {
					s.Put("/c", `{"text":"theirs 1"}`)
				}
			}
			s.Open()
			setMany(s, many, "old")
			setMany(s, many, "new")
			journal, err := os.ReadFile(s.File(backend.OpsFile))
			s.Must(err)
			_, err = undoMany(ctx, s)
			if part := (*mem.PartialError)(nil); !errors.As(err, &part) || part.Stored != 4000 {
				t.Fatalf("ended with %v", err)
			}
			if killed {
				s.Must(os.WriteFile(s.File(backend.OpsFile), journal, 0o600))
			}
			done, err := undoMany(context.Background(), s)
			if err != nil || holding(s, "old") != many || len(done.Undone) != many {
				t.Errorf("the rest: %d as before, %d undone, %v", holding(s, "old"),
					len(done.Undone), err)
			}
			_, err = undoMany(context.Background(), s)
			if err != nil || holding(s, "new") != many || holding(s, "theirs") != 1 {
				t.Errorf("undone again: %d are new, %d theirs, %v", holding(s, "new"),
					holding(s, "theirs"), err)
			}
		})
	}
}

// The rest of an undo that was killed between two groups is taken back by the time of the command,
// where another command was run since; what that wrote stays.
func TestUndoOfManyKeysIsFinishedAfterAnother(t *testing.T) {
	s := storetest.NewStore(t, storetest.Files)
	ctx, cancel := context.WithCancel(context.Background())
	s.Progress = func(what string, done, _ int) {
		if what == "undo" && done == 2000 {
			cancel()
		}
	}
	s.Open()
	setMany(s, many, "old")
	setMany(s, many, "new")
	cmd := lastCommand(s)
	journal, err := os.ReadFile(s.File(backend.OpsFile))
	s.Must(err)
	_, err = undoMany(ctx, s)
	if part := (*mem.PartialError)(nil); !errors.As(err, &part) || !cmd.IsLarge() {
		t.Fatalf("ended with %v", err)
	}
	s.Must(os.WriteFile(s.File(backend.OpsFile), journal, 0o600))
	s.Clock = s.Clock.Add(time.Minute)
	_, err = s.Set(context.Background(), asCommand(), mem.Write{Key: keypath.MustParse("/c"),
		Content: []byte(`{"text":"theirs 1"}`), Source: []byte(`"x"`)}, mem.SetOptions{})
	s.Must(err)
	in := edit.Stores{List: []*mem.Store{s.Store}}
	first, err := edit.CommandOf(mem.Caller{}, in, cmd.At)
	s.Must(err)
	done, err := edit.UndoCommand(context.Background(), asCommand(), first, edit.Author{})
	if err != nil || holding(s, "old") != many || holding(s, "theirs") != 1 ||
		len(done.Undone) != many {
		t.Errorf("the rest: %d as before, %d undone, %v", holding(s, "old"), len(done.Undone), err)
	}
	if _, err := edit.CommandOf(mem.Caller{}, in, "then"); !errors.Is(err, edit.ErrGone) {
		t.Errorf("of another time: %v", err)
	}
}

// BenchmarkUndoOfMany is the undo of a command that deleted so many keys, and the time for a key of
// it, which stays the same.
func BenchmarkUndoOfMany(b *testing.B) {
	for _, n := range []int{2000, 4000, 8000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := storetest.NewStore(b, storetest.Files)
			setMany(s, n, "new")
			for b.Loop() {
				_, err := undoMany(context.Background(), s)
				s.Must(err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/key")
		})
	}
}
