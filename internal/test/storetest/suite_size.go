package storetest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// The sizes of a conversation are those of the newest lines below its key, at every step and by
// every way to ask.
func testSizes(s *suite) {
	s.sized("nothing yet")
	s.put("/session/a", `"the conversation itself"`, "/session/b/x", "1", "/session/bad-id/x", "1",
		"/other/session/a/x", "1")
	s.sized("nothing below a")
	s.put("/session/a/x", `"one"`, "/session/a/deep/er", "2")
	s.sized("two keys")
	s.between()
	s.put("/session/a/x", `"one, and some more"`)
	s.sized("overwritten")
	s.between()
	s.put("/session/a/x", "null")
	s.sized("deleted")
	s.between()
	s.put("/session/a/x", "null", "/session/a/y", "null")
	s.sized("deleted again, and what never was")
	s.between()
	s.put("/session/a/x", `"back"`)
	s.sized("revived")
	s.put("/session/a/z", `{"body":"over","expired_at":"2001-01-01T00:00:00Z"}`)
	s.sized("expired")
	s.between()
	s.sized("expired, and perhaps left out of the state")
}

// Imported lines count by their time, and those of one time by their bytes.
func testSizesOfImports(s *suite) {
	old := s.now - 1e9
	s.take("/session/a/x", old, `"imported"`)
	s.put("/session/a/y", "1")
	s.take("/session/a/z", old, `"null"`)
	s.sized("older than all")
	s.between()
	s.take("/session/a/x", old, `"imported~ twice, and the greater"`)
	s.take("/session/a/z", old, `"z"`)
	s.sized("of the same time")
	s.between()
	s.take("/session/a/x", old+1, "null")
	s.take("/session/a/x", old+2, "3")
	s.sized("deleted and revived")
	s.between()
	s.take("/session/a/z", old, `"zz, still of the same time"`)
	s.between()
	s.sized("and once more")
}

// An update sees what it has appended, and what an earlier one of its group has.
func testSizesInOneUpdate(s *suite) {
	s.put("/session/a/x", "1", "/session/a/y", "2", "/session/b/x", "3")
	s.between()
	want := s.recount()
	s.must(s.update(func(tx backend.Tx) error {
		s.same("before", s.sizesIn(tx), want)
		add := func(pairs ...string) {
			list := envelopes(pairs...)
			stamps, err := appendTo(tx, list...)
			s.must(err)
			for i := range list {
				list[i].TS = stamps[i]
				want.add(log.Record{Envelope: list[i], Line: list[i].Line()})
			}
			s.same(fmt.Sprint("with ", pairs), s.sizesIn(tx), want)
		}
		add("/session/a/x", `"longer"`, "/session/a/x", "1")
		add("/session/a/x", "null", "/session/b/new", "4")
		add("/session/a/x", `"revived"`)
		return nil
	}))
	s.sized("after it")
	failed := errors.New("failed")
	err := s.update(func(tx backend.Tx) error {
		_, err := appendTo(tx, envelopes("/session/a/x", `"never stored"`)...)
		return errors.Join(err, failed)
	})
	if !errors.Is(err, failed) {
		s.Error(err)
	}
	s.sized("after one that failed")
}

// A snapshot stays as it is, and there is no size of any other prefix.
func testSizesOfSnapshots(s *suite) {
	s.put("/session/a/x", "1")
	snap := s.snapshot()
	defer snap.Close()
	want := s.recount()
	s.put("/session/a/x", "null", "/session/a/y", "2")
	s.meanwhile()
	s.put("/session/a/z", "3")
	s.same("of before", s.sizesIn(snap), want)
	s.sized("of now")
	for _, other := range []string{"", "/", "/session", "/session/a/x", "/session/bad-id", "/a",
		"/session/" + strings.Repeat("x", keypath.MaxSessionID+1)} {
		if _, _, err := snap.Size(s.ctx, prefix(other)); !errors.Is(err, backend.ErrNoSize) {
			s.Errorf("size below %q: %v", other, err)
		}
		s.must(s.update(func(tx backend.Tx) error {
			if _, _, err := tx.Size(s.ctx, prefix(other)); !errors.Is(err, backend.ErrNoSize) {
				s.Errorf("size below %q in an update: %v", other, err)
			}
			return nil
		}))
	}
}

// recounted is the newest line of each key below a conversation.
type recounted map[string]log.Record

func (r recounted) add(rec log.Record) {
	key := rec.Key.String()
	if strings.Count(key, "/") < 3 || !strings.HasPrefix(key, "/session/") {
		return
	}
	old, ok := r[key]
	if !ok || rec.TS > old.TS || rec.TS == old.TS && string(rec.Line) > string(old.Line) {
		r[key] = rec.Clone()
	}
}

// String returns the sizes of the conversations that the cases use.
func (r recounted) String() string {
	var text strings.Builder
	for _, id := range []string{"a", "b", "none"} {
		live, deleted := 0, 0
		for key, rec := range r {
			switch {
			case !strings.HasPrefix(key, "/session/"+id+"/"):
			case rec.Valid():
				live += len(rec.Line) + 1
			default:
				deleted += len(rec.Line) + 1
			}
		}
		fmt.Fprintf(&text, "%s %d %d\n", id, live, deleted)
	}
	return text.String()
}

// recount counts the history.
func (s *subject) recount() recounted {
	s.Helper()
	r := recounted{}
	for _, rec := range s.history() {
		r.add(rec)
	}
	return r
}

// sizesIn returns the sizes as a reader says.
func (s *subject) sizesIn(r backend.Reader) string {
	s.Helper()
	var text strings.Builder
	for _, id := range []string{"a", "b", "none"} {
		live, deleted, err := r.Size(s.ctx, prefix("/session/"+id))
		s.must(err)
		fmt.Fprintf(&text, "%s %d %d\n", id, live, deleted)
	}
	return text.String()
}

// sized checks the sizes against the history.
func (s *subject) sized(what string) {
	s.Helper()
	want := s.recount()
	snap := s.snapshot()
	defer snap.Close()
	s.same(what+": snapshot", s.sizesIn(snap), want)
	s.must(s.update(func(tx backend.Tx) error {
		s.same(what+": update", s.sizesIn(tx), want)
		return nil
	}))
}
