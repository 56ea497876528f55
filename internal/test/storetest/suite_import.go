package storetest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What comes with a time keeps it. The newest there ever was of a key is known after its deletion,
// and after that has gone to the archives; what does not win against it is refused, and so is what
// comes with it.
func testImports(s *suite) {
	old := s.now - 1e6
	s.put("/a", "1")
	s.take("/b", old, `"b"`)
	s.put("/gone", "1", "/gone", "null")
	s.between()
	s.refuses("/a", old, `"older"`)
	s.refuses("/gone", old, `"raised"`)
	s.refuses("/b", old, `"a"`)
	s.refuses("/b", old, `"b"`)
	s.take("/b", old, `"c"`)
	later := s.now + 1e6
	s.take("/a", later, `"from ahead"`)
	s.take("/deleted", old, "null")
	s.between()
	s.holds("newer wins", "/a", `"from ahead"`, "/b", `"c"`, "/gone", none, "/deleted", none)
	s.same("a write after it", s.put("/a", "2")[0], later+1)
	s.between()
	s.put("/new", "1")
	for range 2 {
		s.newest("/a", "2 2", "/b", `"c" "c"`, "/gone", none+" null", "/never", none+" "+none,
			"/new", "1 1", "/deleted", none+" null")
	}
	s.put("/new", "2", "/b", "null")
	s.newest("/a", "2 2", "/b", none+" null", "/new", "2 2")
	snap := s.snapshot()
	defer snap.Close()
	s.same("newest", snap.Newest(), later+4)
}

// refuses checks that what does not win is not stored, nor what stands beside it.
func (s *suite) refuses(key string, ts log.Stamp, content string) {
	s.Helper()
	before := len(s.history())
	list := envelopes("/beside", "1", key, content)
	list[1].TS = ts
	_, err := write(s.ctx, s, s.caller(), "import", list...)
	if !errors.Is(err, backend.ErrOlder) {
		s.Errorf("%s of %s: %v", key, ts, err)
	}
	s.same(key+" refused: history", len(s.history()), before)
}

// An update answers for what it has appended itself, imports and tombstones among it; where an
// Append is refused the update may go on without it.
func testImportsInOneUpdate(s *suite) {
	s.put("/a", "1", "/b", "1", "/c", "1")
	s.between()
	old := s.now - 1e6
	s.must(s.update(func(tx backend.Tx) error {
		list := envelopes("/d", `"d"`, "/e", `"e"`, "/a", `"ahead"`)
		list[0].TS, list[1].TS, list[2].TS = old, old+1, s.now+1e6
		_, err := appendTo(tx, list...)
		s.must(err)
		_, err = appendTo(tx, envelopes("/c", "null", "/f", "1")...)
		s.must(err)
		for i, e := range envelopes("/a", "2", "/c", "2", "/d", "2", "/f", "2") {
			e.TS = old - log.Stamp(i)
			if _, err := appendTo(tx, append(envelopes("/g", "1"), e)...); !errors.Is(
				err,
				backend.ErrOlder,
			) {
				s.Errorf("%s: %v", e.Key, err)
			}
		}
		ahead := envelopes("/h", "1", "/i", "1", "/h", "2")
		ahead[0].TS, ahead[1].TS, ahead[2].TS = s.now+9e6, s.now+2e6, s.now+3e6
		if _, err := appendTo(tx, ahead...); !errors.Is(err, backend.ErrOlder) {
			s.Errorf("older than what comes before it: %v", err)
		}
		keys := keysOf("/a", "/b", "/c", "/d", "/g")
		live, err := tx.Newest(s.ctx, keys)
		s.must(err)
		ever, err := tx.NewestEver(s.ctx, keys)
		s.must(err)
		var got []string
		for _, key := range keys {
			got = append(got, s.got(tx, key.String()), s.held(live, key), s.held(ever, key))
		}
		s.same("newest", got, []string{`"ahead"`, `"ahead"`, `"ahead"`, "1", "1", "1",
			none, none, "null", `"d"`, `"d"`, `"d"`, none, none, none})
		s.same("below", s.below(tx, ""), `/a="ahead" /b=1 /d="d" /e="e" /f=1`)
		return nil
	}))
	s.between()
	s.holds("after it", "/a", `"ahead"`, "/b", "1", "/c", none, "/d", `"d"`, "/e", `"e"`, "/f", "1",
		"/g", none)
}

// newest checks what Newest and NewestEver return, in the same update and one after another.
func (s *suite) newest(pairs ...string) {
	s.Helper()
	var keys []keypath.Key
	want := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		keys = append(keys, keypath.MustParse(pairs[i]))
		want[pairs[i]] = pairs[i+1]
	}
	s.must(s.update(func(tx backend.Tx) error {
		live, err := tx.Newest(s.ctx, keys)
		s.must(err)
		ever, err := tx.NewestEver(s.ctx, keys)
		s.must(err)
		got := map[string]string{}
		for _, key := range keys {
			got[key.String()] = s.held(live, key) + " " + s.held(ever, key)
		}
		s.same("newest", got, want)
		return nil
	}))
}

func (s *suite) held(m map[keypath.Key]log.Record, key keypath.Key) string {
	rec, ok := m[key]
	if !ok {
		return none
	}
	return s.contentOf(rec, true, nil)
}

// Lines of a journal come back in order, the newest of them where there are too many; each name has
// its own.
func testJournals(s *suite) {
	s.put("/a", "1")
	ops, told := s.Journal("ops.jsonl"), s.Journal("injections.jsonl")
	read := func(j backend.Journal, limit int64) string {
		s.Helper()
		text, err := j.Read(limit)
		s.must(err)
		return string(text)
	}
	s.same("nothing", read(ops, 100), "")
	for i := range 4 {
		ops.Append(fmt.Appendf(nil, "{\"n\":%d}\n", i), 32)
	}
	told.Append([]byte("{}\n"), 32)
	s.between()
	ops, told = s.Journal("ops.jsonl"), s.Journal("injections.jsonl")
	s.same("all", read(ops, 100), "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
	s.same("the newest", read(ops, 20), "{\"n\":2}\n{\"n\":3}\n")
	s.same("the other", read(told, 100), "{}\n")
	ops.Append([]byte("{\"n\":4}\n"), 32)
	if text := read(ops, 100); len(text) > 32 || !strings.HasSuffix(text, "{\"n\":4}\n") {
		s.Errorf("past the limit: %q", text)
	}
	for i := 5; i < 100; i++ {
		ops.Append(fmt.Appendf(nil, "{\"n\":%d}\n", i), 200)
		if text := read(ops, 1000); len(text) > 200 || text[0] != '{' {
			s.Fatalf("%d bytes: %q", len(text), text)
		}
	}
}
