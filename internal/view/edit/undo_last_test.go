package edit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/internal/view/forget"
	"github.com/set-memory/mem/keypath"
)

// undoLast takes the last command back.
func undoLast(t *testing.T, s *storetest.Store) edit.UndoneCommand {
	t.Helper()
	done, err := edit.UndoCommand(context.Background(), mem.Caller{}, lastCommand(s),
		edit.Author{})
	s.Must(err)
	return done
}

func lastCommand(s *storetest.Store) edit.Command {
	s.T.Helper()
	cmd, err := edit.LastCommand(mem.Caller{}, edit.Stores{List: []*mem.Store{s.Store}})
	s.Must(err)
	return cmd
}

// A whole command is taken back at once, and given again by a second undo; where a key was written
// since nothing is.
func TestUndoOfACommand(t *testing.T) {
	ctx := context.Background()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		holds := func(what, want string) {
			t.Helper()
			got := ""
			for _, key := range []string{"/a", "/b", "/c"} {
				got += strings.Trim(s.Content(key), `"`) + " "
			}
			if strings.TrimSpace(got) != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		for _, key := range []string{"/a", "/b", "/c"} {
			s.Put(key, `"`+key[1:]+`"`)
		}
		start := "a b c"
		_, _, err := forget.Delete(ctx, s.Store, mem.Caller{}, []keypath.Key{
			keypath.MustParse("/a"), keypath.MustParse("/b")}, "", nil)
		s.Must(err)
		if done := undoLast(t, s); done.Op != "forget" || len(done.Undone) != 2 {
			t.Errorf("forget: %+v", done)
		}
		holds("forget", start)
		undoLast(t, s)
		undoLast(t, s)
		holds("undo of an undo, undone", start)
		op, err := s.Begin(mem.Caller{}, policy.Import)
		s.Must(err)
		text := ""
		for _, key := range []string{"/a", "/b", "/c", "/d"} {
			text += `{"key":"` + key + `","content":"new","source":"s"}` + "\n"
		}
		writes, _, err := op.ReadLines(ctx, strings.NewReader(text), mem.BatchOptions{},
			keypath.Prefix{})
		s.Must(err)
		rep, err := op.PutAll(ctx, writes)
		op.Done(rep.Written, err)
		s.Must(err)
		cmd := lastCommand(s)
		s.Put("/b", `"since"`)
		_, err = edit.UndoCommand(ctx, mem.Caller{}, cmd, edit.Author{})
		if !errors.Is(err, edit.ErrSince) || s.Content("/d") != `"new"` {
			t.Errorf("a write since: %v", err)
		}
		holds("a write since", "new since new")
	})
}

// What an import brought stays a claim, whatever an edit does to it.
func TestEditsOfImportsAreMarked(t *testing.T) {
	ctx := context.Background()
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
		key := keypath.MustParse("/user/x")
		op, err := s.Begin(mem.Caller{}, policy.Import)
		s.Must(err)
		p, err := op.Check(ctx, mem.Write{Key: key, Content: []byte(`{"text":"x"}`),
			Source: []byte(`"chat"`)}, false)
		s.Must(err)
		_, err = op.PutAll(ctx, []mem.Checked{p})
		s.Must(err)
		marked := func(key keypath.Key) bool {
			rec, err := s.Get(ctx, mem.Caller{}, key, true)
			s.Must(err)
			return content.Claim(rec.Source) == content.FromImport
		}
		touch := func(c mem.Caller, with edit.Changes) {
			_, err := edit.Touch(ctx, s.Store, c, []keypath.Key{key}, with, edit.Author{})
			s.Must(err)
		}
		touch(mem.Caller{}, edit.Changes{Add: []string{"t"}})
		if !marked(key) {
			t.Error("a touch makes it the user's")
		}
		touch(mem.Caller{Client: "claude-code"}, edit.Changes{Pin: true})
		if !marked(key) {
			t.Error("a pin of a program makes it the user's")
		}
		touch(mem.Caller{}, edit.Changes{Unpin: true})
		to := keypath.MustParse("/user/y")
		_, err = edit.Rename(ctx, s.Store, mem.Caller{}, key, to, edit.RenameOptions{})
		s.Must(err)
		if key = to; !marked(key) {
			t.Error("another name makes it the user's")
		}
		_, err = edit.Pin(ctx, s.Store, mem.Caller{}, []keypath.Key{key}, true, edit.Author{})
		s.Must(err)
		if !marked(key) {
			t.Error("a person's pin makes it theirs")
		}
		was, err := s.Get(ctx, mem.Caller{}, key, true)
		s.Must(err)
		_, err = edit.Replace(ctx, s.Store, mem.Caller{}, was.Clone(), []byte(`{"text":"y"}`),
			edit.Author{})
		s.Must(err)
		_, err = edit.Undo(ctx, s.Store, mem.Caller{}, key, nil, edit.Author{})
		s.Must(err)
		into := keypath.MustParse("/user/z")
		_, err = edit.Merge(ctx, s.Store, mem.Caller{}, []keypath.Key{key}, into,
			edit.MergeOptions{})
		s.Must(err)
		if !marked(into) {
			t.Error("an edit, an undo or a merge makes it the user's")
		}
	})
}

// A history that a command brings may say that an undo took a version of it back. That happened
// elsewhere, and the command is in force.
func TestUndoOfABroughtHistory(t *testing.T) {
	ctx := context.Background()
	for name, last := range map[string]string{
		"changed": `"content":1,"source":{"name":"me","edited":{"undone":"TWO","command":"set"}}`,
		"deleted": `"content":null,"valid":false,` +
			`"source":{"kind":"user","locator":{"undone":"TWO","command":"set"}}`,
	} {
		storetest.EachKind(t, func(t *testing.T, s *storetest.Store) {
			s.Put("/other", "1")
			text := strings.ReplaceAll(`{"key":"/a","ts":"ONE","content":1,"source":"me"}
{"key":"/a","ts":"TWO","content":2,"source":"me"}
{"key":"/a","ts":"THREE",`+last+"}", "TWO", "2026-02-22T10:00:02.000000Z")
			text = strings.NewReplacer("ONE", "2026-02-22T10:00:01.000000Z",
				"THREE", "2026-02-22T10:00:03.000000Z").Replace(text)
			_, err := s.SetAll(ctx, mem.Caller{}, strings.NewReader(text), mem.BatchOptions{})
			s.Must(err)
			before := s.Content("/a")
			done := undoLast(t, s)
			if got := s.Content("/a"); got != "(none)" {
				t.Errorf("%s: %s, was %s, after %+v", name, got, before, done)
			}
		})
	}
}
