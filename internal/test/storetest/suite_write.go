package storetest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A store that has nothing says so, and makes nothing by being asked.
func testEmpty(s *suite) {
	s.between()
	s.holds("nothing", "/a", none)
	snap := s.snapshot()
	defer snap.Close()
	if snap.Newest() != log.MinStamp || len(snap.Damaged()) > 0 {
		s.Errorf("newest %s, damaged %v", snap.Newest(), snap.Damaged())
	}
	if list := s.history(); len(list) > 0 {
		s.Errorf("history: %v", list)
	}
	if text, version, err := s.Config(s.ctx, ""); text != nil || version != "" || err != nil {
		s.Errorf("config: %q %q %v", text, version, err)
	}
}

// What is set is read, replaced and deleted, and comes back byte for byte.
func testSet(s *suite) {
	s.put("/a", "1")
	s.holds("one", "/a", "1", "/b", none)
	s.put("/a", "2")
	s.put("/b", `"x"`)
	s.between()
	s.holds("replaced", "/a", "2", "/b", `"x"`, "/a/b", none)
	s.put("/a", "null")
	s.holds("deleted", "/a", none, "/b", `"x"`)
	s.between()
	s.put("/a", "3")
	s.holds("set again", "/a", "3", "/b", `"x"`)
	for i, content := range []string{
		`{}`, `[]`, `""`, `false`, `1.0`, `1e400`, `-0`, `123456789012345678901234567890`,
		`"\u7259科 <&> \ud83d\ude00 \/"`, `{"z":1,"a":[{"b":null}]}`,
	} {
		key := fmt.Sprint("/v/", i)
		s.put(key, content)
		s.same(key, s.contentOf(s.Get(s.ctx, keypath.MustParse(key))), content)
	}
	s.between()
	snap := s.snapshot()
	defer snap.Close()
	s.same("prefix", s.below(snap, "/v/3")+"|"+s.below(snap, "/b")+"|"+s.below(snap, "/c"),
		`/v/3=false|/b="x"|`)
}

// Many envelopes of one update are stored at once, in their order, and the update sees them.
func testBatch(s *suite) {
	var pairs []string
	for i := range 500 {
		pairs = append(pairs, fmt.Sprintf("/k/%03d", i), fmt.Sprint(i))
	}
	given := envelopes(append(pairs, "/k/007", `"later"`)...)
	var stamps []log.Stamp
	s.must(s.update(func(tx backend.Tx) (err error) {
		stamps, err = appendTo(tx, given...)
		s.must(err)
		s.same("within the update", s.got(tx, "/k/007")+" "+s.below(tx, "/k/499"),
			`"later" /k/499=499`)
		more, err := appendTo(tx, envelopes("/k/499", "null")...)
		stamps = append(stamps, more...)
		s.same("a tombstone", s.got(tx, "/k/499")+s.below(tx, "/k/499"), none)
		if _, err := appendTo(tx); err != nil {
			s.Error(err)
		}
		return err
	}))
	for i, e := range given {
		if e.TS != 0 {
			s.Fatalf("the caller's envelope %d was stamped", i)
		}
	}
	for i := range stamps[1:] {
		if stamps[i+1] <= stamps[i] {
			s.Fatalf("stamp %d is %s, after %s", i+1, stamps[i+1], stamps[i])
		}
	}
	s.between()
	if n := len(s.history()); len(stamps) != 502 || n != 502 {
		s.Errorf("%d stamps, %d in the history", len(stamps), n)
	}
	s.same("late in the batch", s.contentOf(s.Get(s.ctx, keypath.MustParse("/k/007"))), `"later"`)
	s.must(s.update(func(backend.Tx) error { return nil }))
	if n := len(s.history()); n != 502 {
		s.Errorf("an update that appends nothing stored %d", n-502)
	}
}

// A Get within an update decides, whoever else writes: nothing comes in between.
func testConditions(s *suite) {
	const writers, each = 16, 8
	s.put("/n", "0")
	together(writers, func(int) {
		for range each {
			err := s.update(func(tx backend.Tx) error {
				rec, _, err := tx.Get(s.ctx, keypath.MustParse("/n"))
				if err != nil {
					return err
				}
				var n int
				fmt.Sscan(string(rec.Content), &n)
				_, err = appendTo(tx, envelopes("/n", fmt.Sprint(n+1))...)
				return err
			})
			if err != nil {
				s.Error(err)
			}
		}
	})
	s.between()
	s.holds("counted", "/n", fmt.Sprint(writers*each))
}

// The history has everything that was ever appended, in that order, wherever it lies by now.
func testHistory(s *suite) {
	var want []string
	for i := range 4 {
		for _, pair := range [][2]string{{"/x", fmt.Sprint(i)}, {"/y", "null"}} {
			ts := s.put(pair[0], pair[1])
			want = append(want, pair[0]+" "+ts[0].String()+" "+pair[1])
		}
		s.between()
	}
	old := s.now - 1e6
	s.take("/z", old, `"old"`)
	want = append(want, "/z "+old.String()+` "old"`)
	var got []string
	for _, rec := range s.history() {
		s.contentOf(rec, true, nil)
		got = append(got, fmt.Sprint(rec.Key, " ", rec.TS, " ", string(rec.Content)))
	}
	s.same("history", strings.Join(got, "\n"), strings.Join(want, "\n"))
	for range s.History(s.ctx) {
		break // a walk may end early
	}
	s.versionsAre("/x", "3 2 1 0")
	s.take("/y", s.now+1e6, `"later"`)
	s.versionsAre("/y", `"later" null null null null`)
	s.versionsAre("/none", "")
}

// versionsAre checks the contents of the versions of a key.
func (s *suite) versionsAre(key, want string) {
	s.Helper()
	v, err := s.Versions(s.ctx, keypath.MustParse(key))
	s.must(err)
	var got []string
	if v.Count > 0 {
		for rec, err := range v.Rows {
			s.must(err)
			got = append(got, string(rec.Content))
		}
	}
	s.same("versions of "+key, strings.Join(got, " "), want)
	s.same("their number", v.Count, len(got))
}

var errRefused = errors.New("refused")

// An update that fails leaves nothing behind, and hears of its own error.
func testFailingUpdate(s *suite) {
	s.put("/a", "1")
	before := s.history()
	err := s.update(func(tx backend.Tx) error {
		if _, err := tx.NextNumber(s.ctx, "note"); err != nil {
			s.Error(err)
		}
		if _, err := appendTo(tx, envelopes("/a", "2", "/note/user/m-1", "3")...); err != nil {
			s.Error(err)
		}
		return fmt.Errorf("fn: %w", errRefused)
	})
	if !errors.Is(err, errRefused) || errors.Is(err, backend.ErrStored) {
		s.Errorf("the error is %v", err)
	}
	s.between()
	s.holds("after it", "/a", "1", "/note/user/m-1", none)
	s.same("history", len(s.history()), len(before))
	s.must(s.update(func(tx backend.Tx) error {
		n, err := tx.NextNumber(s.ctx, "note")
		s.same("a number that carried nothing", n, 1)
		return err
	}))
	s.failAmongOthers()
}

// failAmongOthers fails every second of many updates that may share a group.
func (s *suite) failAmongOthers() {
	together(20, func(i int) {
		err := s.update(func(tx backend.Tx) error {
			_, err := appendTo(tx, envelopes(fmt.Sprint("/mixed/", i), "1")...)
			if i%2 == 0 {
				return errRefused
			}
			return err
		})
		if (err != nil) != (i%2 == 0) {
			s.Errorf("update %d: %v", i, err)
		}
	})
	for i := range 20 {
		want := none
		if i%2 == 1 {
			want = "1"
		}
		key := keypath.MustParse(fmt.Sprint("/mixed/", i))
		s.same(key.String(), s.contentOf(s.Get(s.ctx, key)), want)
	}
}

// The instant is the caller's. A clock that steps back never makes an older write win, and where no
// later instant can be written, nothing is.
func testClocks(s *suite) {
	first := s.put("/a", "1")[0]
	s.same("the caller's clock", first, s.now)
	s.pass(-time.Hour)
	second := s.put("/a", "2")[0]
	s.same("an hour back", second, first+1)
	s.between()
	s.same("still back", s.put("/b", "1")[0], second+1)
	s.holds("the later wins", "/a", "2", "/b", "1")
	s.pass(2 * time.Hour)
	s.same("forward", s.put("/a", "3")[0], s.now)
	snap := s.snapshot()
	s.same("newest", snap.Newest(), s.now)
	snap.Close()
	s.now = log.MaxStamp + 1
	_, err := write(s.ctx, s, s.caller(), "test", envelopes("/a", "4")...)
	if !errors.Is(err, log.ErrTime) {
		s.Errorf("past the last instant: %v", err)
	}
	s.between()
	s.holds("and nothing stored", "/a", "3", "/b", "1")
}

// A number is never returned again, whatever becomes of what carried it.
func testNumbers(s *suite) {
	next := func(want int64) {
		s.Helper()
		var n int64
		s.must(s.update(func(tx backend.Tx) (err error) {
			if n, err = tx.NextNumber(s.ctx, "note"); err == nil {
				_, err = appendTo(tx, envelopes(fmt.Sprint("/note/user/m-", n), `"x"`)...)
			}
			return err
		}))
		s.same("number", n, want)
	}
	next(1)
	next(2)
	s.put("/note/user/m-2", "null")
	s.between()
	next(3)
	s.put("/note/user/m-1", "null", "/note/user/m-3", "null")
	s.between()
	s.between()
	next(4)
	s.put("/note/session/m-40", `"by hand"`)
	s.put("/note/session/m-40", "null")
	next(41)
	s.put("/note/other/m-90", "1", "/note/user/m-091", "1", "/other/m-92", "1")
	s.between()
	next(42)
	s.take("/note/workspace/m-50", s.now-1e9, "null")
	next(51)
	// What is far above all others was not returned by a store: it uses no numbers up.
	most := int64(math.Pow10(15)) - 1
	s.put(fmt.Sprint("/note/user/m-", most), "1")
	next(52)
	s.between()
	s.put(fmt.Sprint("/note/user/m-", 10+2*keypath.MaxGap), "1")
	next(53)
	// Unless what is between is there as well, whichever comes first.
	s.between()
	s.put(fmt.Sprint("/note/user/m-", 10+2*keypath.MaxGap), "1",
		fmt.Sprint("/note/user/m-", 10+keypath.MaxGap), "1")
	next(11 + 2*keypath.MaxGap)
	s.between()
	next(12 + 2*keypath.MaxGap)
}

// Many that ask at once get a number each; what an update appends by hand counts too, and a number
// that was asked for twice in one update is two.
func testNumbersInAGroup(s *suite) {
	s.must(s.update(func(tx backend.Tx) error {
		for want := int64(1); want <= 2; want++ {
			n, err := tx.NextNumber(s.ctx, "note")
			s.must(err)
			s.same("number", n, want)
		}
		_, err := appendTo(tx, envelopes("/note/user/m-2", "1", "/note/user/m-7", "1")...)
		s.must(err)
		n, err := tx.NextNumber(s.ctx, "note")
		s.same("after one by hand", n, 8)
		return err
	}))
	s.between()
	const writers = 24
	taken := make(chan int64, writers)
	together(writers, func(i int) {
		s.check(s.update(func(tx backend.Tx) error {
			n, err := tx.NextNumber(s.ctx, "note")
			if err != nil {
				return err
			}
			key := keypath.MustParse(fmt.Sprint("/note/user/m-", n))
			if _, found, err := tx.Get(s.ctx, key); found {
				return fmt.Errorf("m-%d is there already: %v", n, err)
			}
			_, err = appendTo(tx, envelopes(key.String(), fmt.Sprint(i))...)
			taken <- n
			return err
		}))
	})
	close(taken)
	seen := map[int64]bool{}
	for n := range taken {
		if seen[n] || n < 8 {
			s.Errorf("%d was returned again", n)
		}
		seen[n] = true
	}
}
